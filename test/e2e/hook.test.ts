import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/core/exit-codes.ts'
import { bytesOf, sessionOf, turn } from '../support/transcript-import.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** The hook that Claude Code runs after every turn: it imports the session and never blocks an agent. */

type Settings = { hooks?: Record<string, { hooks: { command: string }[] }[]> }

function aUser() {
  const home = temporaryFolder()
  const user = commandsOn(home)
  const settings = path.join(home, 'claude', 'settings.json')
  return {
    ...user,
    home,
    settings,
    install: (...more: string[]) => user.spawn(['hook', 'install', '--settings', settings, ...more]),
    uninstall: () => user.run(['hook', 'uninstall', '--settings', settings]),
    /** Lists the stored turns. Returns none before an import has begun, and while it holds the graph for long. */
    turns: async (...more: string[]): Promise<{ session_id: string }[]> => {
      const { code, stdout } = await user.run(['turns', '--min-length', '1', '--json', ...more])
      return code === EXIT.notFound.code || code === EXIT.away.code ? [] : JSON.parse(stdout)
    },
    read: (): Settings => JSON.parse(readFileSync(settings, 'utf8')),
    command: (event: string): string =>
      (JSON.parse(readFileSync(settings, 'utf8')) as Settings).hooks?.[event]?.at(-1)?.hooks[0]?.command ??
      '',
  }
}

/** Runs a hook in the same way as Claude Code: through a shell, with JSON on standard input. */
const hook = (
  command: string,
  input: string,
  environment: Record<string, string> = {},
): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...environment }
    const child = execFile('/bin/sh', ['-c', command], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: `${stdout}${stderr}` })
    })
    child.stdin?.end(input)
  })

describe('turngraph hook', () => {
  test('the hook imports its session and the subagents, prints nothing, and never fails', async () => {
    const { home, folder, install, command, turns: ofUser } = aUser()
    expect((await install('--project', 'shop')).code).toBe(0)
    const session = sessionOf(1)
    const transcript = path.join(home, `it's here`, `${session}.jsonl`)
    const agents = path.join(home, `it's here`, session, 'subagents')
    mkdirSync(agents, { recursive: true })
    writeFileSync(transcript, bytesOf(turn('t', ['Read', 'Task'])))
    writeFileSync(path.join(agents, 'agent-a1.jsonl'), bytesOf(turn('c', ['Grep'])))
    const input = JSON.stringify({
      session_id: session,
      transcript_path: transcript,
      hook_event_name: 'Stop',
      prompt: 'canary',
    })
    expect(await hook(command('Stop'), input)).toEqual({ code: 0, said: '' })
    const turns = () => ofUser('--project', 'shop')
    // The import continues in the background, so its turns appear later.
    while ((await turns()).length < 2) await sleep(50)
    expect((await turns()).map(({ session_id: id }) => id)).toEqual([session, `${session}/a1`])

    for (const odd of [
      '',
      'no json',
      '[]',
      'null',
      '{"transcript_path":7}',
      '{"transcript_path":"/nowhere.jsonl"}',
    ])
      expect(await hook(command('SessionEnd'), odd), odd).toEqual({ code: 0, said: '' })
    const readLog = () => readFileSync(path.join(folder, 'hook.log'), 'utf8')
    while (!readLog().includes(` ${session} turns\t2\n`)) await sleep(50) // what the import prints
    const log = readLog()
    expect(log).toContain('is not JSON')
    expect(log).toContain(' - /nowhere.jsonl is not a file; no other project folder has this session\n')
    for (const line of log.trimEnd().split('\n'))
      expect(line).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z (-|${session}) `))
    expect(log).not.toContain('canary')
    expect(statSync(path.join(folder, 'hook.log')).mode & 0o077).toBe(0)
  })

  test('a transcript that was never written is skipped, and a subagent is not a main session', async () => {
    const { home, install, command, turns } = aUser()
    await install()
    const session = sessionOf(2)
    const agents = path.join(home, session, 'subagents')
    mkdirSync(agents, { recursive: true })
    const agent = path.join(agents, 'agent-b2.jsonl')
    const unnamed = path.join(home, '5b0a7c11-3d52-4f6e-9a41-0c8d2e6f1a09.jsonl')
    writeFileSync(agent, bytesOf(turn('c', ['Grep'])))
    writeFileSync(unnamed, bytesOf(turn('x', ['Bash'])))
    const payload = (agentTranscript: string) =>
      JSON.stringify({
        session_id: session,
        transcript_path: path.join(home, `${session}.jsonl`), // never written
        hook_event_name: 'SubagentStop',
        agent_id: 'b2',
        agent_type: 'Explore',
        agent_transcript_path: agentTranscript,
        stop_hook_active: false,
      })
    for (const named of [path.join(agents, 'agent-never.jsonl'), unnamed, agent])
      expect(await hook(command('SubagentStop'), payload(named)), named).toEqual({ code: 0, said: '' })
    while ((await turns()).length < 1) await sleep(50)
    expect((await turns()).map(({ session_id: id }) => id)).toEqual([`${session}/b2`])
  })

  test('a session that is stored under another project than the hook names is found and logged', async () => {
    const { home, folder, install, command, turns } = aUser()
    await install()
    const real = path.join(home, 'real')
    const repository = path.join(real, 'dev', 'shop')
    const git = path.join(repository, '.git', 'worktrees', 'cart')
    mkdirSync(git, { recursive: true })
    writeFileSync(path.join(git, 'commondir'), '../..\n')
    const inside = path.join(repository, '.claude', 'worktrees', 'cart')
    const outside = path.join(home, 'cart')
    const linked = path.join(home, 'linked')
    symlinkSync(real, linked)
    for (const worktree of [inside, outside]) {
      mkdirSync(path.join(worktree, 'src'), { recursive: true })
      writeFileSync(path.join(worktree, '.git'), `gitdir: ${git}\n`)
    }
    const projects = path.join(real, '.claude', 'projects')
    const ofRepository = path.join(projects, repository.replace(/[^A-Za-z0-9]/g, '-'))
    const named = (folderOfProjects: string, session: string) =>
      path.join(folderOfProjects, '-never-written', `${session}.jsonl`)
    const cases = [
      // The transcript is in the same folder of projects, for any working folder.
      { cwd: path.join(home, 'elsewhere'), stored: path.join(projects, '-somewhere'), projects },
      // The transcript is in the user's folder of projects, under the name of the main checkout.
      { cwd: path.join(inside, 'src'), stored: ofRepository, projects: path.join(home, 'none', 'projects') },
      { cwd: path.join(outside, 'src'), stored: ofRepository, projects: path.join(home, 'none', 'projects') },
      // The home folder is a link.
      { cwd: outside, stored: ofRepository, projects: path.join(linked, '.claude', 'projects') },
    ]
    const sessions = cases.map((_, i) => sessionOf(30 + i))
    for (const [i, { cwd, stored, projects: told }] of cases.entries()) {
      const session = sessions[i] ?? ''
      mkdirSync(path.join(stored, session, 'subagents'), { recursive: true })
      writeFileSync(path.join(stored, `${session}.jsonl`), bytesOf(turn(`t${i}`, ['Read'])))
      const input = {
        session_id: session,
        transcript_path: named(told, session),
        cwd,
        hook_event_name: 'Stop',
      }
      const home = { HOME: linked, CLAUDE_CONFIG_DIR: '' }
      expect(await hook(command('Stop'), JSON.stringify(input), home)).toEqual({ code: 0, said: '' })
    }
    while ((await turns()).length < cases.length) await sleep(50)
    expect((await turns()).map(({ session_id: id }) => id).sort()).toEqual(sessions)
    const log = readFileSync(path.join(folder, 'hook.log'), 'utf8')
    for (const [i, session] of sessions.entries()) {
      const told = log.split('\n').filter((line) => line.includes('is not a file'))
      expect(told[i]).toContain(
        ` ${session} ${named(cases[i]?.projects ?? '', session)} is not a file; imports `,
      )
    }
  })

  test('a transcript whose name differs from the session is not searched in other folders', async () => {
    const { home, folder, install, command, turns } = aUser()
    await install()
    const projects = path.join(home, '.claude', 'projects')
    mkdirSync(path.join(projects, '-other'), { recursive: true })
    writeFileSync(path.join(projects, '-other', 'transcript.jsonl'), bytesOf(turn('t', ['Read'])))
    const input = {
      session_id: sessionOf(40),
      transcript_path: path.join(projects, '-own', 'transcript.jsonl'),
      cwd: home,
      hook_event_name: 'Stop',
    }
    expect(await hook(command('Stop'), JSON.stringify(input), { HOME: home })).toEqual({ code: 0, said: '' })
    expect(readFileSync(path.join(folder, 'hook.log'), 'utf8')).toMatch(
      /no other project folder has this session\n$/,
    )
    expect(await turns()).toEqual([])
  })

  test('the hook prints nothing and does not fail if its data folder cannot be written', async () => {
    const { home, install, command } = aUser()
    await install()
    writeFileSync(path.join(home, 'graph'), 'a file where the data folder should be')
    expect(await hook(command('Stop'), '{"transcript_path":"x"}')).toEqual({ code: 0, said: '' })
  })

  test('hook install keeps existing settings, their order, their mode and their link, and a second install changes nothing', async () => {
    const { home, settings, install, uninstall } = aUser()
    const real = path.join(home, 'dotfiles.json')
    const before = {
      zeta: 1,
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo hi' }] }] },
      alpha: 2,
    }
    writeFileSync(real, JSON.stringify(before), { mode: 0o640 })
    mkdirSync(path.dirname(settings))
    symlinkSync(real, settings)
    await install()
    const once = readFileSync(real, 'utf8')
    await install()
    expect(readFileSync(real, 'utf8')).toBe(once)
    expect(Object.keys(JSON.parse(once))).toContain('alpha')
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect((await uninstall()).stderr).toContain(`Removed the hooks of Turngraph from ${settings}.`)
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual(before)
    expect((await uninstall()).stderr).toContain(`${settings} had no hook of Turngraph: nothing was changed.`)
  })

  test('settings with comments and trailing commas are edited, and uninstalling restores their text', async () => {
    const { settings, install, uninstall } = aUser()
    mkdirSync(path.dirname(settings))
    const text =
      '{\n  // mine\n  "hooks": {\n    "Stop": [\n      {"hooks": []}, // theirs\n    ],\n  },\n}\n'
    writeFileSync(settings, text)
    expect((await install('--gate')).code).toBe(0)
    const installed = readFileSync(settings, 'utf8')
    for (const line of text.split('\n')) expect(installed.split('\n')).toContain(line)
    expect(installed).toContain('hook-gate.js')
    expect((await uninstall()).code).toBe(0)
    expect(readFileSync(settings, 'utf8')).toBe(text)
  })

  test('settings that are no JSON, or have an unexpected form, are not changed', async () => {
    const { settings, install, uninstall } = aUser()
    mkdirSync(path.dirname(settings))
    for (const broken of ['{"hooks": ', '{"hooks": {"Stop": 7}}', '[]']) {
      writeFileSync(settings, broken)
      for (const attempt of [install, uninstall]) {
        const { code, stderr } = await attempt()
        expect([code, stderr]).toEqual([2, expect.stringContaining('settings')])
        expect(readFileSync(settings, 'utf8')).toBe(broken)
      }
    }
  })

  test('the default settings are those in the folder of CLAUDE_CONFIG_DIR', async () => {
    const folder = temporaryFolder()
    const { code } = await commandsOn(temporaryFolder()).spawn(['hook', 'install'], {
      environment: { CLAUDE_CONFIG_DIR: folder },
    })
    expect(code).toBe(0)
    expect(readFileSync(path.join(folder, 'settings.json'), 'utf8')).toContain('hook-run.js')
  })

  test('uninstall without a settings file does not create one', async () => {
    const { settings, uninstall } = aUser()
    expect((await uninstall()).code).toBe(0)
    expect(existsSync(settings)).toBe(false)
  })
})
