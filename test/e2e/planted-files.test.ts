import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { commandsOn, type Ran, temporaryFolder } from './command.ts'

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

/** How a command must not end: by a defect, at its limit, with a stack, or with two errors. */
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

async function tryFile(name: string, plant: (file: string) => void): Promise<string[]> {
  const home = temporaryFolder()
  const shop = path.join(home, 'shop')
  const data = path.join(shop, '.turngraph')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  plant(path.join(data, name))
  const given = { cwd: shop, environment: { TURNGRAPH_DATA: data }, wrapper: LIMIT }
  const { run } = commandsOn(home)
  const faults = listFaults(`capture, ${name}`, await run(['capture', '-'], { ...given, input: TURN }))
  faults.push(...listFaults(`worlds, ${name}`, await run(['worlds'], given)))
  const settings = path.join(home, 'settings.json')
  await run(['hook', 'install', '--gate', '--settings', settings], given)
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  const commands = Object.values(hooks).flatMap((entries) => entries.flatMap((entry) => entry.hooks))
  for (const command of new Set(commands.map((each) => each.command))) {
    const ran = await runHook(command, shop)
    if (ran.code !== 0) faults.push(`hook, ${name}: ${JSON.stringify(ran)}`)
  }
  return faults
}

test.runIf(process.platform === 'linux').each(Object.entries(WAYS))(
  'a file of the data folder that is %s is refused in one sentence, or not needed',
  { timeout: 300_000 },
  async (_way, plant) => {
    const faults = await Promise.all(FILES.map((name) => tryFile(name, plant)))
    expect(faults.flat()).toEqual([])
  },
)
