import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../faults/harness/scenario.ts'
import { bytesOf, sessionOf, turn } from '../support/transcript-import.ts'
import { filesOfTurn, writeSlowly } from '../support/written-session.ts'
import { commandsOn, temporaryFolder } from './command.ts'

const BOUND_MS = 30_000

type Watch = { child: ChildProcess; lines: () => Record<string, unknown>[]; turns: () => string[] }

/** Starts `turngraph watch` in its own process, and collects its lines. */
function startWatch(commands: ReturnType<typeof commandsOn>, args: string[], environment = {}): Watch {
  const child = commands.start(['watch', '--project', 'shop', '--json', ...args], { environment })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    printed += more
  })
  const lines = () =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line): Record<string, unknown> => JSON.parse(line))
  const turns = () =>
    lines().flatMap((line) => (line.type === 'turn' ? `${line.task_id} ${line.turn_number}` : []))
  return { child, lines, turns }
}

async function endBy(signal: NodeJS.Signals, { child }: Watch): Promise<number | null> {
  child.kill(signal)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

const isWatching = (watch: Watch) =>
  until('it watches', BOUND_MS, async () => watch.lines().some(({ type }) => type === 'watching'))

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a watch cleanly, and another command finds what it imported', async (signal, code) => {
  const [commands, root] = [commandsOn(temporaryFolder()), temporaryFolder()]
  const watch = startWatch(commands, [root])
  await isWatching(watch)
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 1)) await writeSlowly(each)
  await until('the turn is imported', BOUND_MS, async () => watch.turns().length === 1)
  expect(watch.lines().find(({ type }) => type === 'turn')).toMatchObject({
    ...{ project: 'shop', feature_id: 'FEAT-1', task_id: 'TASK-1', world_slug: 'TASK-1', turn_number: 1 },
    ...{ decision: 'feedback', verified: 1, total: 2, superseded: false, at: expect.any(String) },
  })
  expect(await endBy(signal, watch)).toBe(code)
  const { stdout } = await commands.run(['worlds', '--project', 'shop', '--json'])
  expect(JSON.parse(stdout).items[0]).toMatchObject({ world_slug: 'TASK-1', current_turn: 1 })
})

test('other commands use a watch without a service, and a watch uses a running service', async () => {
  const [commands, root] = [commandsOn(temporaryFolder()), temporaryFolder()]
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 1)) await writeSlowly(each, 1)
  const alone = startWatch(commands, [root])
  await until('the turn is imported', BOUND_MS, async () => alone.turns().length === 1)
  const asked = await commands.run(['worlds', '--project', 'shop', '--json'])
  expect(JSON.parse(asked.stdout).items[0]).toMatchObject({ world_slug: 'TASK-1', current_turn: 1 })
  expect(await endBy('SIGTERM', alone)).toBe(143)

  const service = await commands.serve()
  const beside = startWatch(commands, [root])
  await isWatching(beside)
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 2)) await writeSlowly(each, 1)
  await until('the next turn is imported', BOUND_MS, async () => beside.turns().includes('TASK-1 2'))
  service.child.kill('SIGKILL')
  await service.end
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 3)) await writeSlowly(each, 1)
  await until('it serves the graph itself', BOUND_MS, async () => beside.turns().includes('TASK-1 3'))
  expect(await endBy('SIGINT', beside)).toBe(130)
})

test('an unreachable graph is reported once, and files written during the outage are imported afterwards', async () => {
  const [commands, root] = [commandsOn(temporaryFolder()), temporaryFolder()]
  const first = await commands.serve()
  const environment = { TURNGRAPH_URL: first.url }
  const watch = startWatch(commands, [root], environment)
  await isWatching(watch)
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 1)) await writeSlowly(each, 1)
  await until('the turn is imported', BOUND_MS, async () => watch.turns().length === 1)
  first.child.kill('SIGKILL')
  await first.end
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 2)) await writeSlowly(each, 1)
  await until('it is said', BOUND_MS, async () => watch.lines().some(({ type }) => type === 'away'))
  for (const each of filesOfTurn(path.join(root, 'TASK-1'), 3)) await writeSlowly(each, 1)
  await commands.serve(['--port', new URL(first.url).port])
  await until('the third is imported', BOUND_MS, async () => watch.turns().includes('TASK-1 3'))
  expect(watch.lines().filter(({ type }) => type === 'back')).toHaveLength(1)
  expect(watch.turns()).toEqual(['TASK-1 1', 'TASK-1 2', 'TASK-1 3'])
  expect(watch.lines().filter(({ type }) => type === 'away')).toHaveLength(1)
  expect(await endBy('SIGTERM', watch)).toBe(143)
})

test('a missing path is reported, and transcripts are read in addition to the artifacts', async () => {
  const [commands, root, sessions] = [commandsOn(temporaryFolder()), temporaryFolder(), temporaryFolder()]
  const later = path.join(root, 'later')
  writeFileSync(path.join(sessions, `${sessionOf(1)}.jsonl`), bytesOf(turn('t1', ['Read', 'Edit'])))
  const watch = startWatch(commands, [root, later, '--transcripts', sessions])
  await until('they are read', BOUND_MS, async () => watch.lines().some(({ type }) => type === 'transcripts'))
  expect(watch.lines()[0]).toMatchObject({
    type: 'watching',
    paths: [root, later, sessions],
    missing: [later],
  })
  expect(await endBy('SIGTERM', watch)).toBe(143)
  const { stdout } = await commands.run(['turns', '--project', 'shop', '--min-length', '0', '--json'])
  expect(JSON.parse(stdout)).toHaveLength(1)
})

test('a pattern that leaves the folder of the task is rejected before anything is read', async () => {
  const { code, stdout, stderr } = await commandsOn(temporaryFolder()).run([
    ...['watch', temporaryFolder(), '--write-context', '../{role}.md'],
  ])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('error: --write-context "../{role}.md" leaves the folder of the task.')
})
