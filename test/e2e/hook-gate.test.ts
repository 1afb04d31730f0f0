import { execFile, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cli } from '../faults/harness/service-process.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** The hooks of Stop and SessionStart, with the payloads of Claude Code (hooks reference, Claude Code 2.1). */

type Settings = { hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]> }

const sources = fileURLToPath(new URL('../../src/cli', import.meta.url))
const built = path.dirname(cli)

const SESSION = '8c5c0b6e-4a0e-4e0f-9d1c-1f4a52d3a001'
const OTHER = '8c5c0b6e-4a0e-4e0f-9d1c-1f4a52d3a002'

function aUser() {
  const home = temporaryFolder()
  const project = path.join(home, 'shop')
  mkdirSync(project)
  const user = commandsOn(home)
  const settings = path.join(home, 'settings.json')
  const taskFile = path.join(project, '.turngraph', 'task.json')
  const common = {
    session_id: SESSION,
    transcript_path: path.join(home, `${SESSION}.jsonl`),
    cwd: project,
    permission_mode: 'acceptEdits',
  }
  const commandAt = (event: string): string =>
    (JSON.parse(readFileSync(settings, 'utf8')) as Settings).hooks[event]?.at(-1)?.hooks[0]?.command ?? ''
  const ask = async (event: string, payload: object, environment: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await inShell(commandAt(event), JSON.stringify(payload), environment)
    expect([code, stderr]).toEqual([0, ''])
    return stdout === '' ? null : JSON.parse(stdout)
  }
  return {
    ...user,
    settings,
    project,
    /** Installs the hooks with the path of the build. An install in this process writes the path of the sources. */
    install: async (...more: string[]) => {
      const installed = await user.run(['hook', 'install', '--gate', '--settings', settings, ...more])
      if (installed.code === 0)
        writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(sources, built))
      return installed
    },
    /** Names a task in the working folder, and binds the session to it. */
    name: (task: unknown, sessionId: string | null = SESSION) => {
      mkdirSync(path.dirname(taskFile), { recursive: true })
      const bound = () => JSON.stringify({ ...Object(task), ...(sessionId && { session_id: sessionId }) })
      writeFileSync(taskFile, typeof task === 'string' || Array.isArray(task) ? String(task) : bound())
    },
    taskFile,
    /** Returns the session that the task of the working folder is bound to. */
    bound: (): unknown => JSON.parse(readFileSync(taskFile, 'utf8')).session_id,
    stop: (more: object = {}, environment?: Record<string, string>) =>
      ask(
        'Stop',
        {
          ...common,
          hook_event_name: 'Stop',
          stop_hook_active: false,
          last_assistant_message: 'All done.',
          background_tasks: [],
          session_crons: [],
          ...more,
        },
        environment,
      ),
    start: (source: string, environment?: Record<string, string>, more: object = {}) =>
      ask(
        'SessionStart',
        { ...common, hook_event_name: 'SessionStart', source, model: 'm', ...more },
        environment,
      ),
    capture: (record: object) => user.run(['capture'], { input: JSON.stringify(record) }),
  }
}

/** Runs a hook in the same way as Claude Code: through a shell, with JSON on standard input. */
const inShell = (
  command: string,
  input: string,
  environment: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(TURNGRAPH|CLAUDE)_/.test(name))
    const env = { ...Object.fromEntries(inherited), TURNGRAPH_HOOK_WAIT_MS: '30000', ...environment }
    const child = execFile('/bin/sh', ['-c', command], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
    child.stdin?.end(input)
  })

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const TASK = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
/** The environment of a session for the task, even if its folder names another task. */
const ASKED = { TURNGRAPH_TASK: 'FEAT-1/TASK-1' }

const turn = {
  ...TASK,
  turn_number: 1,
  player_summary: 'Built the lid',
  coach_decision: 'feedback',
  coach_feedback: 'It does not open.',
  verifications: [
    {
      criterion_id: 'AC-001',
      criterion_text: 'the lid closes',
      status: 'verified',
      evidence: 'canary: I pulled',
    },
    {
      criterion_id: 'AC-002',
      criterion_text: 'the lid opens',
      status: 'rejected',
      evidence: 'canary: it sticks',
    },
    { criterion_id: 'AC-003', criterion_text: 'the lid is red', status: 'pending' },
  ],
}

describe('the gate', () => {
  test('lists unproven criteria to an agent that stops, up to the limit of its own session', async () => {
    const user = aUser()
    await user.install('--gate-limit', '2')
    await user.startService()
    await user.capture(turn)
    user.name(TASK)
    for (const time of [1, 2]) {
      const { decision, reason } = await user.stop({ stop_hook_active: time > 1 })
      expect(decision).toBe('block')
      expect(reason).toContain('- AC-002 (rejected): the lid opens\n- AC-003 (pending): the lid is red\n')
      expect(reason).toContain(`(${time} of at most 2 such reminders in this session;`)
      expect(reason).not.toMatch(/AC-001|canary/)
      await user.capture({ ...turn, turn_number: time + 1 }) // judged again
    }
    expect(await user.stop()).toEqual({
      systemMessage: 'Turngraph: 2 criteria of FEAT-1/TASK-1 are not proven.',
    })
    expect(await user.stop({ session_id: OTHER }, ASKED)).toMatchObject({ decision: 'block' })
  })

  test('blocks again only if a criterion was proven or judged again, and names the command that records proof', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    await user.capture(turn)
    user.name(TASK)
    expect((await user.stop()).reason).toContain('`turngraph capture TURN.json`')
    expect(await user.stop()).toBeNull()
    const unrelated = { criterion_id: 'AC-001', criterion_text: 'the lid closes', status: 'verified' }
    await user.capture({ ...turn, turn_number: 2, verifications: [unrelated] })
    expect(await user.stop()).toBeNull()
    const opens = { ...turn.verifications[1], status: 'verified' }
    await user.capture({ ...turn, turn_number: 3, verifications: [opens] })
    const { reason } = await user.stop()
    expect(reason).toMatch(/not proven:\n- AC-003 \(pending\): the lid is red\n/)
    expect(await user.stop()).toBeNull()
  })

  test('lists contested, rejected and stale criteria as not proven, unless its policy is sticky', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    const names = ['AC-001', 'AC-002', 'AC-003', 'AC-004']
    const of = (id: string, status: string, evidence: string | null) => ({
      criterion_id: id,
      criterion_text: `lid ${names.indexOf(id)} closes well`,
      status,
      evidence,
    })
    const criteria = names.map((id) => ({ criterion_id: id, text: of(id, '', null).criterion_text }))
    const specification = path.join(user.project, 'TASK.json')
    writeFileSync(specification, JSON.stringify({ criteria }))
    await user.run(['specify', specification, '--feature', 'FEAT-1', '--task', 'TASK-1'])
    const verified = names.map((id) => ({
      ...of(id, 'verified', 'I pulled'),
      ...(id === 'AC-003' && { files: ['lid.ts'] }),
    }))
    await user.capture({ ...turn, files_modified: ['lid.ts'], verifications: verified })
    user.name(TASK)
    expect(await user.stop()).toBeNull()
    const verifications = [of('AC-001', 'rejected', 'canary: it sticks'), of('AC-002', 'rejected', null)]
    await user.capture({ ...turn, turn_number: 2, files_modified: ['lid.ts'], verifications })
    const { reason } = await user.stop()
    expect(reason).toContain('- AC-001 (rejected): lid 0 closes well\n')
    expect(reason).toContain('- AC-002 (verified, but contested in turn 2')
    expect(reason).toContain('- AC-003 (verified, but stale since turn 2): lid 2 closes well\n')
    const { additionalContext } = (await user.start('compact')).hookSpecificOutput
    for (const line of reason.split('\n').filter((each: string) => each.startsWith('- ')))
      expect(additionalContext.split('\n')).toContain(line)
    expect(`${reason}${additionalContext}`).not.toContain('canary')
    await user.install('--gate-policy', 'sticky')
    expect(await user.stop({ session_id: OTHER }, ASKED)).toBeNull()
    expect((await user.start('compact')).hookSpecificOutput.additionalContext).not.toContain('Not proven')
  })

  test('answers with additionalContext, which is not an error, if the prompt_id shows that Claude Code accepts it', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    await user.capture(turn)
    user.name(TASK)
    expect(await user.stop({ prompt_id: '7d1c1b4e-0b1e-4f0e-8d1c-1f4a52d3b001' })).toEqual({
      hookSpecificOutput: {
        hookEventName: 'Stop',
        additionalContext: expect.stringContaining('- AC-002 (rejected)'),
      },
    })
  })

  test('lets an agent stop whose task is proven, and one that only a person can prove', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    const specification = path.join(user.project, 'TASK.json')
    const criteria = [
      { criterion_id: 'AC-001', text: 'the lid closes' },
      { criterion_id: 'AC-002', text: 'the lid is beautiful', kind: 'manual' },
    ]
    writeFileSync(specification, JSON.stringify({ criteria }))
    const names = ['--feature', TASK.feature_id, '--task', TASK.task_id]
    expect(await user.run(['specify', specification, ...names])).toMatchObject({ code: 0 })
    user.name(TASK)
    expect((await user.stop()).reason).toContain(
      'proven:\n- AC-001 (pending): the lid closes\nThe task is done',
    )
    // A criterion that the task does not declare blocks no agent, even if it is rejected.
    const undeclared = { criterion_id: 'AC-009', criterion_text: 'it is green', status: 'rejected' }
    await user.capture({ ...turn, verifications: [...turn.verifications.slice(0, 1), undeclared] })
    expect(await user.stop()).toBeNull()
  })

  test('does not block a subagent or a session that waits for background work', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    await user.capture(turn)
    user.name(TASK)
    const agent = { agent_id: 'a36efb2a', agent_type: 'Explore' }
    expect(await user.stop(agent)).toBeNull()
    expect(await user.stop({ ...agent, hook_event_name: 'SubagentStop' })).toBeNull()
    const running = { id: 'b1', type: 'subagent', status: 'running', description: 'tests' }
    expect(await user.stop({ background_tasks: [running] })).toBeNull()
    const scheduled = { id: 'c1', schedule: '*/5 * * * *', recurring: true, prompt: 'look again' }
    expect(await user.stop({ session_crons: [scheduled] })).toBeNull()
    expect(await user.stop({ background_tasks: [running], session_crons: [scheduled] })).toBeNull()
    expect((await user.stop()).reason).toContain('1 of at most 3')
  })

  test('reports an unknown task, and a source that does not name a task', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    await user.capture(turn)
    expect(await user.stop()).toBeNull()
    expect(await user.stop({}, { TURNGRAPH_TASK: 'FEAT-1/TASK-7' })).toEqual({
      systemMessage: 'Turngraph does not know FEAT-1/TASK-7.',
    })
    for (const [task, message] of [
      ['{"feature_id": ', 'is neither FEATURE/TASK nor a JSON object'],
      ['[]', 'is neither FEATURE/TASK nor a JSON object'],
      [{ feature_id: 'FEAT-1' }, 'names neither a task nor a world'],
      [{ ...TASK, turn: 1 }, 'turn is no field here'],
      [{ ...TASK, project: 7 }, 'project must be a text'],
      [JSON.stringify({ ...TASK, 'x\n- AC-9': 'y' }), 'x - AC-9 is no field here'],
      [JSON.stringify({ ...TASK, session_id: 7 }), 'session_id must be a text'],
      [`{"world_slug": "${'x'.repeat(65_536)}"}`, 'is larger than 64 KiB'],
    ] as const) {
      user.name(task)
      expect((await user.stop()).systemMessage).toContain(message)
      expect((await user.start('startup')).systemMessage).toContain(message)
    }
    expect(await user.stop({}, { TURNGRAPH_TASK: 'FEAT-1/TASK-1' })).toMatchObject({ decision: 'block' })
    user.name({ world_slug: 'TASK-1' }, OTHER)
    expect(await user.stop({ session_id: OTHER })).toMatchObject({ decision: 'block' })
  })

  test('uses the project that it was installed for, that of the environment, otherwise that of the task file', async () => {
    const user = aUser()
    await user.startService()
    await user.capture({ ...turn, project: 'toys' })
    const [blocks, unknown] = [
      expect.objectContaining({ decision: 'block' }),
      { systemMessage: 'Turngraph does not know FEAT-1/TASK-1.' },
    ]
    const sessions = [SESSION, OTHER, SESSION.replace(/1$/, '3'), SESSION.replace(/1$/, '4')]
    // Each session is new, because the gate blocks the same state only once.
    const stop = (project: string, environment: Record<string, string> = {}) => {
      const session_id = sessions.shift() ?? ''
      user.name({ ...TASK, project }, session_id)
      return user.stop({ session_id }, environment)
    }
    await user.install()
    expect(await stop('toys')).toEqual(blocks)
    expect(await stop('toys', { TURNGRAPH_PROJECT: 'tools' })).toEqual(unknown)
    expect(await stop('tools', { TURNGRAPH_PROJECT: 'toys' })).toEqual(blocks)
    await user.install('--project', 'toys')
    expect(await stop('tools', { TURNGRAPH_PROJECT: 'tools' })).toEqual(blocks)
  })
})

describe('the context of a session that starts', () => {
  test('is printed at a start, after a resume and after a compaction, as a Player may see it', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    await user.capture(turn)
    user.name(TASK)
    for (const source of ['startup', 'resume', 'compact', 'fork']) {
      const { hookSpecificOutput } = await user.start(source)
      expect(hookSpecificOutput.hookEventName).toBe('SessionStart')
      const { additionalContext: context } = hookSpecificOutput
      expect(context).toContain('the memory of FEAT-1/TASK-1, knows for turn 2')
      expect(context).toContain('## Previous Turn Summary (Turn 1)')
      expect(context).toContain('✓ AC-001: verified')
      expect(context).toContain('AC-002: rejected — the lid opens')
      expect(context).not.toContain('canary')
    }
    expect(await user.start('clear')).toBeNull()
    const { hooks } = JSON.parse(readFileSync(user.settings, 'utf8')) as Settings
    expect(hooks.SessionStart?.map(({ matcher }) => matcher)).toEqual(['startup|resume|compact|fork'])
  })

  test('waits for a service that takes longer than the other hooks wait', async () => {
    const user = aUser()
    await user.install()
    user.name(TASK)
    const environment = { TURNGRAPH_AUTH: 'off', TURNGRAPH_HOOK_WAIT_MS: '' }
    let isLate = false
    const service = createServer(async ({ url = '' }, response) => {
      isLate = true
      await sleep(600)
      const criteria = { as_of_turn: 1, criteria: [], task_known: false }
      response.end(JSON.stringify(url.startsWith('/v1/criteria') ? criteria : { context: 'What is known' }))
    })
    const url = await listen(service)
    const start = await user.start('startup', { ...environment, TURNGRAPH_URL: url })
    expect(start.hookSpecificOutput.additionalContext).toContain('What is known')
    expect(isLate).toBe(true)
    expect(await user.stop({}, { ...environment, TURNGRAPH_URL: url })).toEqual({
      systemMessage: expect.stringContaining('did not answer within 150 ms'),
    })
  })

  test('is empty if nothing is stored yet', async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    user.name(TASK)
    expect(await user.start('startup')).toBeNull()
  })
})

describe('a session', () => {
  const context = {
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: expect.any(String) },
  }
  const ofAnother = { systemMessage: expect.stringContaining('belongs to another session of this folder') }

  const captured = async () => {
    const user = aUser()
    await user.install()
    await user.startService()
    await user.capture(turn)
    return user
  }

  test('that starts first in the folder of a task is bound to it, also when it is resumed, and does not block other sessions', async () => {
    const user = await captured()
    user.name(TASK, null)
    expect(await user.stop()).toBeNull()
    expect(await user.start('startup')).toEqual(context)
    expect(user.bound()).toBe(SESSION)
    const other = { session_id: OTHER }
    expect(await user.start('startup', {}, other)).toEqual(ofAnother)
    for (const source of ['resume', 'compact']) {
      expect(await user.start(source, {}, other)).toBeNull()
      expect(await user.start(source)).toEqual(context)
    }
    for (let time = 1; time <= 4; time++)
      expect(await user.stop({ ...other, stop_hook_active: true })).toBeNull()
    expect(user.bound()).toBe(SESSION)
    expect(await user.stop()).toMatchObject({ decision: 'block' })
  })

  test('that is forked from another session gets the context, and is not blocked', async () => {
    const user = await captured()
    user.name(TASK)
    expect(await user.start('fork', {}, { session_id: OTHER })).toEqual(context)
    expect(user.bound()).toBe(SESSION)
    expect(await user.stop({ session_id: OTHER })).toBeNull()
  })

  test('whose environment names the task is checked but not bound, and is excluded by TURNGRAPH_TASK=none', async () => {
    const user = await captured()
    user.name(TASK, null)
    expect(await user.start('startup', ASKED)).toEqual(context)
    expect(user.bound()).toBeUndefined()
    expect(await user.stop({}, ASKED)).toMatchObject({ decision: 'block' })
    const none = { TURNGRAPH_TASK: 'none' }
    expect(await user.start('startup', none)).toBeNull()
    expect(user.bound()).toBeUndefined()
  })

  test('is the only one that is bound if several start in parallel', async () => {
    const user = await captured()
    user.name({ ...TASK, world_slug: 'TASK-1' }, null)
    const ids = Array.from({ length: 6 }, (_, i) => `8c5c0b6e-4a0e-4e0f-9d1c-1f4a52d3b00${i}`)
    const answers = await Promise.all(ids.map((id) => user.start('startup', {}, { session_id: id })))
    const told = ids.filter((_, i) => 'hookSpecificOutput' in answers[i])
    expect(told).toEqual([user.bound()])
    expect(JSON.parse(readFileSync(user.taskFile, 'utf8'))).toMatchObject({ ...TASK, world_slug: 'TASK-1' })
    expect(readdirSync(path.dirname(user.taskFile))).toEqual(['task.json'])
  })

  test('is not bound while another hook binds one', async () => {
    const user = await captured()
    user.name(TASK, null)
    const lock = `${user.taskFile}.lock`
    writeFileSync(lock, '')
    const soon = new Date(Date.now() + 4_000) // the hook may start late
    utimesSync(lock, soon, soon)
    expect(await user.start('startup')).toEqual({
      systemMessage: expect.stringContaining('this session is not bound'),
    })
    expect(user.bound()).toBeUndefined()
    expect(existsSync(lock)).toBe(true)
  })

  test('is bound to the task of a folder above its own, of the main checkout of its worktree, and behind a link', async () => {
    const user = await captured()
    const home = path.dirname(user.project)
    const git = path.join(user.project, '.git', 'worktrees', 'cart')
    mkdirSync(git, { recursive: true })
    writeFileSync(path.join(git, 'commondir'), '../..\n')
    const nested = path.join(user.project, 'packages', 'lid')
    const inside = path.join(user.project, '.claude', 'worktrees', 'cart', 'src')
    const outside = path.join(home, 'cart')
    const link = path.join(home, 'link')
    for (const folder of [nested, inside, outside]) mkdirSync(folder, { recursive: true })
    for (const root of [path.dirname(inside), outside])
      writeFileSync(path.join(root, '.git'), `gitdir: ${path.relative(root, git)}\n`)
    symlinkSync(nested, link)
    for (const cwd of [nested, inside, outside, link]) {
      user.name(TASK, null)
      const session = { session_id: `session in ${cwd}`, cwd }
      expect(await user.start('startup', {}, session), cwd).toEqual(context)
      expect(user.bound()).toBe(session.session_id)
      expect(await user.stop(session), cwd).toMatchObject({ decision: 'block' })
    }
    const elsewhere = path.join(home, 'elsewhere')
    mkdirSync(elsewhere)
    expect(await user.stop({ cwd: elsewhere })).toBeNull()
  })

  test('is bound even if a hook was killed while it held the lock', async () => {
    const user = await captured()
    user.name(TASK, null)
    writeFileSync(`${user.taskFile}.lock`, '')
    utimesSync(`${user.taskFile}.lock`, 0, 0)
    expect(await user.start('startup')).toEqual(context)
    expect(user.bound()).toBe(SESSION)
  })

  test('is controlled by `turngraph task`: set binds the next session, show names it, clear ends the binding', async () => {
    const user = await captured()
    const nested = path.join(user.project, 'src')
    mkdirSync(nested)
    const task = (...args: string[]) => user.run(['task', ...args], { cwd: user.project })
    expect(await task('show')).toMatchObject({ code: 0, stdout: '' })
    for (const wrong of [['set'], ['set', 'TASK-1'], ['set', 'F/T/W'], ['set', '--task', 'TASK-1']])
      expect(await task(...wrong), wrong.join(' ')).toMatchObject({ code: 2 })
    expect(existsSync(user.taskFile)).toBe(false)
    expect(await task('set', 'FEAT-1/TASK-1')).toMatchObject({ code: 0 })
    await user.start('startup')
    expect(JSON.parse((await task('show', '--json')).stdout)).toEqual({
      ...TASK,
      file: user.taskFile,
      session_id: SESSION,
    })
    await user.run(['task', 'set'], { cwd: nested })
    expect(JSON.parse(readFileSync(user.taskFile, 'utf8'))).toEqual(TASK)
    await user.start('startup', {}, { session_id: OTHER })
    expect((await task('show')).stdout).toContain(`FEAT-1/TASK-1 in ${user.taskFile}: for session ${OTHER}.`)
    await task('set', '--feature', 'FEAT-1', '--task', 'TASK-2', '--world', 'W-2')
    expect(JSON.parse(readFileSync(user.taskFile, 'utf8'))).toEqual({
      feature_id: 'FEAT-1',
      task_id: 'TASK-2',
      world_slug: 'W-2',
    })
    expect(await task('clear')).toMatchObject({ code: 0 })
    expect(existsSync(user.taskFile)).toBe(false)
    expect(await user.stop()).toBeNull()
  })
})

describe('files that are not regular', () => {
  test('do not delay a hook: it skips a FIFO, a device, a folder and an endless file', async () => {
    const user = aUser()
    await user.install()
    mkdirSync(user.folder, { recursive: true })
    mkdirSync(path.dirname(user.taskFile), { recursive: true })
    const log = path.join(user.folder, 'hook.log')
    const make: Record<string, (file: string) => void> = {
      'a FIFO': (file) => void spawnSync('mkfifo', [file]),
      'a device': (file) => symlinkSync('/dev/zero', file),
      'a folder': (file) => mkdirSync(file),
      'a link in a circle': (file) => symlinkSync(file, file),
    }
    const stop = () => user.stop({}, { TURNGRAPH_HOOK_WAIT_MS: '' })
    for (const [kind, put] of Object.entries(make)) {
      rmSync(user.taskFile, { recursive: true, force: true })
      put(user.taskFile)
      for (const event of [stop, () => user.start('startup')])
        expect([null, expect.stringContaining('task.json')], kind).toContainEqual(
          (await event())?.systemMessage ?? null,
        )
    }
    rmSync(user.taskFile, { force: true })
    user.name(TASK)
    await user.startService()
    await user.capture(turn)
    for (const [kind, put] of Object.entries(make)) {
      for (const file of [log, path.join(user.folder, 'gate.log')]) {
        rmSync(file, { recursive: true, force: true })
        put(file)
      }
      // The gate cannot log its message, so it stays silent.
      expect(await user.stop(), kind).toBeNull()
    }
  })
})

describe('a memory that is unavailable', () => {
  const goesOn = expect.stringMatching(
    /^Turngraph is unavailable: .*[^.]\. The agent continues without it\.$/,
  )
  const forAgent = expect.stringContaining('What was proven before is not known here.')

  test('lets the agent continue, and reports that', async () => {
    const user = aUser()
    await user.install()
    user.name(TASK)
    expect(await user.stop()).toEqual({ systemMessage: goesOn })
    expect(await user.start('compact')).toEqual({
      systemMessage: goesOn,
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: forAgent },
    })
    const { child, end } = await user.serve()
    await user.capture(turn)
    expect(await user.stop()).toMatchObject({ decision: 'block' })
    expect(await user.stop({}, { TURNGRAPH_TASK: '{"world_slug":"NOWHERE"}' })).toEqual({
      systemMessage: goesOn,
    })
    child.kill('SIGKILL') // but server.json remains
    await end
    expect(await user.stop()).toEqual({ systemMessage: goesOn })
  })

  test.each([
    ['never answers', () => {}],
    ['is somebody else', (end: (status: number, text: string) => void) => end(200, '<html>')],
    [
      'refuses the token',
      (end: (status: number, text: string) => void) => end(401, '{"error":{"message":"No."}}'),
    ],
    ['never ends its answer', (end: (status: number, text: string | null) => void) => end(200, null)],
  ])('lets the agent go on where a service %s', async (_name, answer) => {
    const server = createServer((_request, response) =>
      answer((status, text) => {
        response.writeHead(status)
        if (text === null) response.write('{')
        else response.end(text)
      }),
    )
    const url = await listen(server)
    const user = aUser()
    await user.install()
    user.name(TASK)
    // Even on a busy machine, an answer after this time is too late.
    const environment = {
      TURNGRAPH_HOOK_WAIT_MS: '500',
      TURNGRAPH_URL: url,
    }
    expect(await user.stop({}, environment)).toEqual({ systemMessage: goesOn })
    expect(await user.start('resume', environment)).toMatchObject({ systemMessage: goesOn })
  })

  test('rejects an address with a user and a password, and does not show them', async () => {
    const user = aUser()
    await user.install()
    user.name(TASK)
    expect(await user.stop({}, { TURNGRAPH_URL: 'http://anna:hidden@127.0.0.1:9' })).toEqual({
      systemMessage: expect.stringMatching(
        /: TURNGRAPH_URL must be an address without a user and a password\. /,
      ),
    })
  })

  test('sends its token to no one if the recorded service has ended, because another program may have its port', async () => {
    let asked = 0
    const stranger = createServer((_request, response) => {
      asked++
      response.end('{}')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void stranger.close())
    const user = aUser()
    await user.install()
    user.name(TASK)
    mkdirSync(user.folder, { recursive: true })
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    const { pid } = spawnSync(process.execPath, ['-e', '0']) // it has ended
    const own = { mode: 0o600 }
    writeFileSync(path.join(user.folder, 'server.json'), JSON.stringify({ pid, url, version: '0.1.0' }), own)
    writeFileSync(path.join(user.folder, 'token'), 'a-token-of-the-folder', own)
    expect(await user.stop()).toMatchObject({ systemMessage: expect.stringContaining('no service runs on') })
    expect(asked).toBe(0)
  })

  test('does not block the agent if the hook itself fails, and logs the reason', async () => {
    const user = aUser()
    await user.install()
    const { hooks } = JSON.parse(readFileSync(user.settings, 'utf8')) as Settings
    for (const event of ['Stop', 'SessionStart']) {
      const command = hooks[event]?.at(-1)?.hooks[0]?.command ?? ''
      for (const odd of ['', 'no json', 'null', '[]', '{"session_id": 7, "cwd": {}}'])
        expect(await inShell(command, odd, {}), odd).toEqual({ code: 0, stdout: '', stderr: '' })
    }
    expect(readFileSync(path.join(user.folder, 'hook.log'), 'utf8')).toContain('is not JSON')
  })
})

test('an invalid limit is rejected, and so is a limit without the gate', async () => {
  const user = aUser()
  for (const limit of ['0', '101', 'x']) expect((await user.install('--gate-limit', limit)).code).toBe(2)
  const { code, stderr } = await user.run([
    'hook',
    'install',
    '--settings',
    user.settings,
    '--gate-limit',
    '2',
  ])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--gate-limit')])
})
