import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

/** What Claude Code asks at Stop and SessionStart, with the payloads that it sends (hooks reference, Claude Code 2.1). */

type Settings = { hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]> }

const SESSION = '8c5c0b6e-4a0e-4e0f-9d1c-1f4a52d3a001'

function aUser() {
  const home = temporaryFolder()
  const project = path.join(home, 'shop')
  mkdirSync(project)
  const user = commandsOn(home)
  const settings = path.join(home, 'settings.json')
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
    install: (...more: string[]) => user.run(['hook', 'install', '--gate', '--settings', settings, ...more]),
    /** Names the session's task in its working folder. */
    name: (task: unknown) => {
      mkdirSync(path.join(project, '.turngraph'), { recursive: true })
      const text = typeof task === 'string' ? task : JSON.stringify(task)
      writeFileSync(path.join(project, '.turngraph', 'task.json'), text)
    },
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
    start: (source: string, environment?: Record<string, string>) =>
      ask('SessionStart', { ...common, hook_event_name: 'SessionStart', source, model: 'm' }, environment),
    capture: (record: object) => user.run(['capture'], { input: JSON.stringify(record) }),
  }
}

/** As Claude Code does: through a shell, with JSON on standard input. */
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

const TASK = { feature_id: 'FEAT-1', task_id: 'TASK-1' }

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
  test('tells an agent that stops which criteria are not proven, so often at most, and no agent of another session less', async () => {
    const user = aUser()
    await user.install('--gate-limit', '2')
    await user.serve()
    await user.capture(turn)
    user.name(TASK)
    for (const time of [1, 2]) {
      const { decision, reason } = await user.stop({ stop_hook_active: time > 1 })
      expect(decision).toBe('block')
      expect(reason).toContain('- AC-002 (rejected): the lid opens\n- AC-003 (pending): the lid is red\n')
      expect(reason).toContain(`(${time} of at most 2 such reminders in this session.)`)
      expect(reason).not.toMatch(/AC-001|canary/)
    }
    expect(await user.stop()).toEqual({
      systemMessage: 'Turngraph: 2 criteria of FEAT-1/TASK-1 are not proven.',
    })
    expect(await user.stop({ session_id: 'another' })).toMatchObject({ decision: 'block' })
  })

  test('lets an agent stop whose task is proven, and one that only a person can prove', async () => {
    const user = aUser()
    await user.install()
    await user.serve()
    const specification = path.join(user.project, 'TASK.json')
    const criteria = [
      { criterion_id: 'AC-001', text: 'the lid closes' },
      { criterion_id: 'AC-002', text: 'the lid is beautiful', kind: 'manual' },
    ]
    writeFileSync(specification, JSON.stringify({ criteria }))
    const names = ['--feature', TASK.feature_id, '--task', TASK.task_id]
    expect(await user.run(['specify', specification, ...names])).toMatchObject({ code: 0 })
    user.name(TASK)
    expect((await user.stop()).reason).toContain('- AC-001 (pending): the lid closes\nGo on')
    // What the task does not declare keeps no agent at work, whatever a judge says of it.
    const undeclared = { criterion_id: 'AC-009', criterion_text: 'it is green', status: 'rejected' }
    await user.capture({ ...turn, verifications: [...turn.verifications.slice(0, 1), undeclared] })
    expect(await user.stop()).toBeNull()
  })

  test('holds up no subagent, and no session that waits for work in the background', async () => {
    const user = aUser()
    await user.install()
    await user.serve()
    await user.capture(turn)
    user.name(TASK)
    const agent = { agent_id: 'a36efb2a', agent_type: 'Explore' }
    expect(await user.stop(agent)).toBeNull()
    expect(await user.stop({ ...agent, hook_event_name: 'SubagentStop' })).toBeNull()
    const running = { id: 'b1', type: 'subagent', status: 'running', description: 'tests' }
    expect(await user.stop({ background_tasks: [running] })).toBeNull()
    expect((await user.stop()).reason).toContain('1 of at most 3')
  })

  test('says that it knows nothing of a task, and what does not name one', async () => {
    const user = aUser()
    await user.install()
    await user.serve()
    await user.capture(turn)
    expect(await user.stop()).toBeNull()
    expect(await user.stop({}, { TURNGRAPH_TASK: 'FEAT-1/TASK-7' })).toEqual({
      systemMessage: 'Turngraph knows nothing of FEAT-1/TASK-7.',
    })
    for (const [task, message] of [
      ['{"feature_id": ', 'is no JSON object'],
      ['[]', 'is no JSON object'],
      [{ feature_id: 'FEAT-1' }, 'names neither a task nor a world'],
      [{ ...TASK, turn: 1 }, 'turn is no field here'],
      [{ ...TASK, project: 7 }, 'project must be a text'],
    ] as const) {
      user.name(task)
      expect((await user.stop()).systemMessage).toContain(message)
      expect((await user.start('startup')).systemMessage).toContain(message)
    }
    expect(await user.stop({}, { TURNGRAPH_TASK: 'FEAT-1/TASK-1' })).toMatchObject({ decision: 'block' })
    user.name({ world_slug: 'TASK-1' })
    expect(await user.stop()).toMatchObject({ decision: 'block' })
  })

  test('is asked in the project of the task, else in the one that it was installed for', async () => {
    const user = aUser()
    await user.install('--project', 'toys')
    await user.serve()
    await user.capture({ ...turn, project: 'toys' })
    user.name(TASK)
    expect(await user.stop()).toMatchObject({ decision: 'block' })
    user.name({ ...TASK, project: 'tools' })
    expect(await user.stop()).toEqual({ systemMessage: 'Turngraph knows nothing of FEAT-1/TASK-1.' })
  })
})

describe('the context of a session that starts', () => {
  test('is given back at a start, after a resume and after a compaction, as a Player may see it', async () => {
    const user = aUser()
    await user.install()
    await user.serve()
    await user.capture(turn)
    user.name(TASK)
    for (const source of ['startup', 'resume', 'compact']) {
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
    expect(hooks.SessionStart?.map(({ matcher }) => matcher)).toEqual(['startup|resume|compact'])
  })

  test('is nothing where nothing is known yet', async () => {
    const user = aUser()
    await user.install()
    await user.serve()
    user.name(TASK)
    expect(await user.start('startup')).toBeNull()
  })
})

describe('a memory that is away', () => {
  const goesOn = expect.stringMatching(/^Turngraph is away: .* The agent goes on without it\.$/)
  const forAgent = expect.stringContaining('What was proven before is not known here.')

  test('lets the agent go on, and says so', async () => {
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
    child.kill('SIGKILL') // and server.json stays
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
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const user = aUser()
    await user.install()
    user.name(TASK)
    // An answer that comes later than this, of a machine at work, is too late as well.
    const environment = {
      TURNGRAPH_HOOK_WAIT_MS: '500',
      TURNGRAPH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    }
    expect(await user.stop({}, environment)).toEqual({ systemMessage: goesOn })
    expect(await user.start('resume', environment)).toMatchObject({ systemMessage: goesOn })
  })

  test('shows its token to nobody where the service that is named has gone: the port may be somebody else’s', async () => {
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

  test('lets the agent go on where the hook itself fails, and the log says why', async () => {
    const user = aUser()
    await user.install()
    const { hooks } = JSON.parse(readFileSync(user.settings, 'utf8')) as Settings
    for (const event of ['Stop', 'SessionStart']) {
      const command = hooks[event]?.at(-1)?.hooks[0]?.command ?? ''
      for (const odd of ['', 'no json', 'null', '[]', '{"session_id": 7, "cwd": {}}'])
        expect(await inShell(command, odd, {}), odd).toEqual({ code: 0, stdout: '', stderr: '' })
    }
    expect(readFileSync(path.join(user.folder, 'hook.log'), 'utf8')).toContain('no JSON')
  })
})

test('a limit that is none is refused, and one without the gate', async () => {
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
