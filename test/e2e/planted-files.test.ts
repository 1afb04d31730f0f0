import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { filesOfTurn, writeSlowly } from '../support/written-session.ts'
import { commandsOn, type Ran, temporaryFolder, untilGone } from './command.ts'

/** A repository may bring any file of a data folder (contract: hardening.md, section 2). No command and no hook may wait for it. */

const FILES = [
  ...[
    'server.json',
    'token',
    'task.json',
    'instance',
    'instance.lock',
    'holder.json',
    'hook.log',
    'gate.log',
  ],
  ...['graph.db', 'graph.db.wal', 'graph.acknowledged'],
]
const WAYS: Record<string, (file: string) => void> = {
  'a FIFO': (file) => void execFileSync('mkfifo', [file]),
  'a link to a device': (file) => symlinkSync('/dev/zero', file),
  'a folder': (file) => mkdirSync(file),
}

const TURN = JSON.stringify({ feature_id: 'F', task_id: 'T', turn_number: 1, player_summary: 'Built it' })
const LIMIT = ['timeout', '-k', '1', '60']
/** Kinds of files whose read never ends. A command that might read one runs in a process that can be killed. */
const ENDLESS = /FIFO|device/

/** Lists faults of a command: an internal error, a timeout, a stack, or two errors. */
function listFaults(what: string, { code, stderr }: Ran): string[] {
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '))
  const isOrderly = code === 0 || (errors.length === 1 && ![1, 124, 137, null].includes(code))
  return isOrderly && !/^\s+at /m.test(stderr) ? [] : [`${what}: exit code ${code}: ${stderr.slice(0, 300)}`]
}

async function runHook(command: string, cwd: string): Promise<Ran> {
  const child = spawn(LIMIT[0] ?? '', [...LIMIT.slice(1), '/bin/sh', '-c', command], { cwd })
  const input = { session_id: 'a', cwd, hook_event_name: 'Stop', source: 'startup', transcript_path: cwd }
  child.stdin.on('error', () => {}) // a hook may end before it has read its input
  child.stdin.end(JSON.stringify(input))
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

/** Waits for the imports that hooks started on a data folder. They outlive the hooks, and would write into a deleted folder. */
async function untilImportsEnd(data: string): Promise<void> {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let environment = ''
    try {
      environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    } catch {} // the process has ended, or belongs to another user
    if (environment.split('\0').includes(`TURNGRAPH_DATA=${data}`)) await untilGone(pid)
  }
}

/** A data folder that does not exist. */
const NOWHERE = '/folder-of-nobody'

/** Lists the commands of all hooks, for the data folder NOWHERE. */
async function listHooks(): Promise<string[]> {
  const home = temporaryFolder()
  const settings = path.join(home, 'settings.json')
  await commandsOn(home).spawn(['hook', 'install', '--gate', '--settings', settings], {
    environment: { TURNGRAPH_DATA: NOWHERE },
  })
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  const commands = Object.values(hooks).flatMap((entries) => entries.flatMap((entry) => entry.hooks))
  return [...new Set(commands.map(({ command }) => command))]
}

async function tryFile(
  way: string,
  name: string,
  plant: (file: string) => void,
  hooks: readonly string[],
): Promise<string[]> {
  const home = temporaryFolder()
  const shop = path.join(home, 'shop')
  const data = path.join(shop, '.turngraph')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  plant(path.join(data, name))
  const limit = ENDLESS.test(way) && { wrapper: LIMIT }
  const given = { cwd: shop, environment: { TURNGRAPH_DATA: data }, ...limit }
  const { run } = commandsOn(home)
  const faults = listFaults(`capture, ${name}`, await run(['capture', '-'], { ...given, input: TURN }))
  for (const command of hooks) {
    const ran = await runHook(command.replace(NOWHERE, data), shop)
    if (ran.code !== 0) faults.push(`hook, ${name}: ${JSON.stringify(ran)}`)
  }
  await untilImportsEnd(data)
  return faults
}

test.runIf(process.platform === 'linux').each(Object.entries(WAYS))(
  'a file of the data folder that is %s is refused in one sentence, or not needed',
  { timeout: 300_000 },
  async (way, plant) => {
    const hooks = await listHooks()
    const faults = await Promise.all(FILES.map((name) => tryFile(way, name, plant, hooks)))
    expect(faults.flat()).toEqual([])
  },
)

/** Counts the requests that reach the author of a repository, on another loopback address. */
async function listenAsAuthor(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = []
  const server = createServer(({ method, url }, response) => {
    seen.push(`${method} ${url}`)
    response.end('{"proof":"00"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  onTestFinished(() => void server.close())
  return { seen, url: `http://127.0.0.2:${(server.address() as AddressInfo).port}` }
}

const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' })

/** Ways to plant a file with the given content in a repository. planted-folder.slow.test.ts has every other way. */
const STRANGERS: Record<string, (file: string, content: string) => void> = {
  committed: (file, content) => writeFileSync(file, content, { mode: 0o600 }),
  FIFOs: (file) => void execFileSync('mkfifo', [file]),
}

/** Every command except those that open no graph: `completion`, `config`, `schema`, `task`, `hook` and `help`. */
const ALL_COMMANDS: readonly string[] = [
  ...[
    'capture -',
    'worlds',
    'worlds create --feature F --task T2',
    'context --feature F --task T --turn 2 --role player',
  ],
  ...['criteria --world T', 'promises --world T --turn 1', 'specify tasks/TASK-1.md --feature F --task T'],
  ...[
    'stall --world T',
    'issues --world T',
    'why --world T',
    'projects',
    'report --world T',
    'turns',
    'paths',
  ],
  ...[
    'desires',
    'analyses',
    'query RETURN/**/1',
    'run list',
    'tail --snapshot',
    'export',
    'migrate',
    'doctor',
  ],
  ...['forget --world T', 'open', 'import autobuild .', 'import transcripts .', 'watch .', 'mcp', 'serve'],
]

/** Commands that run until they are stopped. */
const LASTING_COMMANDS = ['watch .', 'mcp', 'serve']
/** A command that writes, two commands that read, and the lasting commands. Each reads the files in a different way. */
const SOME_COMMANDS = ['capture -', 'worlds', 'open', ...LASTING_COMMANDS]

test.runIf(process.platform === 'linux').each(Object.entries(STRANGERS))(
  'files of a repository that are %s choose for no command where data goes',
  { timeout: 300_000 },
  async (way, plant) => {
    const [author, home] = [await listenAsAuthor(), temporaryFolder()]
    const shop = path.join(home, 'shop')
    const data = path.join(shop, '.turngraph')
    mkdirSync(data, { recursive: true, mode: 0o700 })
    mkdirSync(path.join(shop, 'tasks'))
    writeFileSync(path.join(shop, 'tasks', 'TASK-1.md'), '## Acceptance Criteria\n\n- [ ] Prices are shown\n')
    for (const each of filesOfTurn(path.join(shop, '.guardkit', 'autobuild', 'TASK-1'), 1))
      await writeSlowly(each, 1)
    const server = { pid: process.pid, url: author.url, version: '0.1.0' }
    plant(path.join(data, 'server.json'), JSON.stringify(server))
    plant(path.join(data, 'token'), 'a-token-of-43-characters-that-somebody-made')
    plant(path.join(data, 'task.json'), JSON.stringify({ feature_id: 'F', task_id: 'T' }))
    git(shop, 'init', '-q')
    if (way === 'committed') git(shop, 'add', '-f', '.')
    const environment = { TURNGRAPH_DATA: data, TURNGRAPH_PORT: '0', HOME: home }
    const { run } = commandsOn(home)
    const faults: string[] = []
    // `readOwnFile` detects each way for every command, so all commands are tried with only one way.
    const limited = ENDLESS.test(way) ? SOME_COMMANDS : LASTING_COMMANDS
    for (const command of way === 'committed' ? ALL_COMMANDS : SOME_COMMANDS) {
      const ran = await run(command.split(' '), {
        ...{ cwd: shop, environment, input: command === 'capture -' ? TURN : '' },
        ...(limited.includes(command) && { wrapper: ['timeout', '-k', '1', '20'] }),
      })
      faults.push(...listFaults(command, ran))
      if (!ran.stderr.includes('is not used: '))
        faults.push(`${command} does not say what it refused: ${ran.stderr}`)
    }
    expect(faults).toEqual([])
    expect(author.seen).toEqual([])
  },
)
