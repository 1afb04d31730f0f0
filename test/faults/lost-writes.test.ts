import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'
import { Random } from './harness/random.ts'
import { until } from './harness/scenario.ts'
import { exchange, sendTurn } from './harness/send.ts'
import { isReady, runCli, type ServiceProcess } from './harness/service-process.ts'

const place = { project: 'lost', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null }
const LOST = /has lost up to [1-9]\d* acknowledged writes, made.* until \d{4}-\d\d-\d\dT/
/** Matches the reports of a loss. The engine itself also detects some bytes of its log that were synced. */
const SAID = new RegExp(`${LOST.source}|graph.db.wal.* is damaged at byte`)

test.each([
  ['a flipped byte in the log', (folder: string) => damageLog(folder, flipInTheMiddle)],
  [
    'a log that is cut off',
    (folder: string) => damageLog(folder, (log) => truncateSync(log, Math.floor(statSync(log).size / 2))),
  ],
  ['a log that is gone', (folder: string) => rmSync(path.join(folder, 'graph.db.wal'), { recursive: true })],
  ['a graph that is gone', removeGraph],
])(
  '%s is reported as lost writes, and served only if the loss is accepted',
  { timeout: PROCESS_TEST_MS },
  async (_of, damage) => {
    const folder = newFolder()
    // A checkpoint may run before the kill and empty the log.
    for (let turn = 1; turn === 1 || logBytes(folder) < 1_000; turn++) {
      const first = await startReadyService({ dataFolder: folder })
      await store(first, turn)
      await first.kill()
    }
    damage(folder)
    const damaged = graphFiles(folder)
    for (const command of [['serve', '--port', '0'], ['doctor']]) {
      const { exitCode, output } = await runCli(command, { dataFolder: folder })
      expect(output).toMatch(SAID)
      expect(output).toContain('--accept-loss')
      expect(exitCode).toBe(7)
      expect(graphFiles(folder), 'files after a rejected opening').toEqual(damaged)
    }
    const accepted = await startReadyService({
      dataFolder: folder,
      environment: { TURNGRAPH_ACCEPT_LOSS: 'on' },
    })
    await store(accepted, 1_000)
    await accepted.stop()
    expect(accepted.output()).toMatch(LOST)
    const next = await startReadyService({ dataFolder: folder })
    await next.stop()
    expect(next.output()).not.toMatch(LOST)
  },
)

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['cut off', (file: string) => truncateSync(file, 100)],
  ['replaced', replaceByCopy],
])(
  'a graph that is %s under a running service takes no captures, and can still be exported',
  {
    timeout: PROCESS_TEST_MS,
  },
  async (_how, damage) => {
    const folder = newFolder()
    const service = await startReadyService({ dataFolder: folder })
    await store(service, 1)
    await until(
      'the graph’s own file has all writes, and no more will follow',
      PROCESS_TEST_MS,
      async () => logBytes(folder) < 200,
    )
    damage(path.join(folder, 'graph.db'))
    await until('it is not ready', 2_000, async () => !(await isReady(service)))
    const refused = await sendTurn(service.url, plannedTurn(place, { turn: 2, revision: 1 }))
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'store_unavailable' } } })
    expect(refused.body.error.message).toContain('graph.db was deleted, cut off or replaced')
    expect((await exchange(`${service.url}/v1/export/graph`)).status).toBe(200)
  },
)

const put = parseStatement(
  'test/put',
  '// params: $key $value\nMERGE (n:Thing {key: $key}) SET n.value = $value RETURN n.key AS key',
)
const keep = parseStatement('test/keep', '// params: $key\nMERGE (n:Thing {key: $key}) RETURN n.key AS key')
const touchNone = parseStatement(
  'test/touch-none',
  "MATCH (n:Thing {key: 'none'}) SET n.value = 1 RETURN n.key AS key",
)
const look = parseStatement('test/look', 'MATCH (n:Thing) RETURN count(n) AS things')

test('after any writes, rejections and rollbacks, a kill at any moment is not reported as a loss', async () => {
  const folder = newFolder()
  // A timer starts checkpoints. A copy of files during a checkpoint would differ from the result of a kill.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const open = () => EmbeddedGraph.open({ folder: path.join(folder, 'graph') })
  let graph = open()
  onTestFinished(() => graph.close())
  await migrate(graph)
  const random = new Random(1)
  const key = () => `k${random.between(1, 5)}`
  const steps: (() => Promise<unknown>)[] = [
    () => graph.write([{ statement: put, params: { key: key(), value: random.between(1, 3) } }]),
    () => graph.write([{ statement: keep, params: { key: key() } }]),
    () => graph.write([{ statement: touchNone, params: {} }]),
    () => graph.transact(async (run) => run({ statement: look, params: {} })),
    () => graph.transact((run) => run({ statement: put, params: { key: key(), value: 9 } }).then(() => null)),
    () =>
      graph.transact(async (run) =>
        run({ statement: put, params: { key: key(), value: random.between(1, 3) } }),
      ),
    () => graph.read(look, {}),
    () => graph.health(),
    () => graph.schema(['CREATE INDEX thing_value IF NOT EXISTS FOR (n:Thing) ON (n.value)']),
  ]
  for (let round = 1; round <= 60; round++) {
    const chosen = Array.from({ length: random.between(1, 4) }, () => random.between(0, steps.length - 1))
    await Promise.all(chosen.map((step) => steps[step]?.()))
    if (round % 20 === 0) {
      await graph.close() // which writes a checkpoint
      graph = open()
    }
    // Copies the state that a kill would leave.
    const copy = path.join(folder, 'copy')
    cpSync(path.join(folder, 'graph'), copy, { recursive: true })
    const reopened = EmbeddedGraph.open({ folder: copy })
    expect(await reopened.read(look, {})).toEqual(await graph.read(look, {}))
    await reopened.close()
    rmSync(copy, { recursive: true })
  }
})

async function store(service: ServiceProcess, turn: number): Promise<void> {
  expect((await sendTurn(service.url, plannedTurn(place, { turn, revision: 1 }))).status).toBe(201)
}

function damageLog(folder: string, damage: (log: string) => void): void {
  const wal = path.join(folder, 'graph.db.wal')
  const newest = readdirSync(wal).sort().at(-1) ?? ''
  damage(path.join(wal, newest))
}

/** Returns the files of the graph with their content. */
function graphFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.startsWith('graph.') && statSync(path.join(folder, name)).isFile(),
  )
  return Object.fromEntries(names.sort().map((name) => [name, hashOf(path.join(folder, name))]))
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Returns the size of the log. A checkpoint may remove a file between the listing and the read. */
function logBytes(folder: string): number {
  const wal = path.join(folder, 'graph.db.wal')
  const sizes = readdirSync(wal).map(
    (name) => statSync(path.join(wal, name), { throwIfNoEntry: false })?.size,
  )
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
}

function replaceByCopy(file: string): void {
  cpSync(file, `${file}.new`)
  rmSync(file)
  cpSync(`${file}.new`, file)
}

function flipInTheMiddle(log: string): void {
  const bytes = readFileSync(log)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  writeFileSync(log, bytes)
}

function removeGraph(folder: string): void {
  for (const name of ['graph.db', 'graph.db.wal'])
    rmSync(path.join(folder, name), { recursive: true, force: true })
  expect(existsSync(path.join(folder, 'graph.acknowledged'))).toBe(true)
}
