import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { acknowledgedFile } from '../../src/graph/acknowledged.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { newFolder } from './harness/in-test.ts'

const put = parseStatement(
  'test/put',
  '// params: $value\nMERGE (n:Thing {key: 1}) SET n.value = $value RETURN n.key AS key',
)

const touchNone = parseStatement(
  'test/touch-none',
  'MATCH (n:Thing {key: 2}) SET n.value = 1 RETURN n.key AS key',
)

/** A mark contains the second of its creation, so the clock advances in seconds. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'], now: atSecond(0) }))
afterEach(() => void vi.useRealTimers())

test.each([
  [
    70,
    69,
    'up to 1 acknowledged writes, made since 2026-01-01T00:01:09.000Z until 2026-01-01T00:01:10.000Z.',
  ],
  [
    70,
    68,
    'up to 2 acknowledged writes, made since 2026-01-01T00:01:08.000Z until 2026-01-01T00:01:10.000Z.',
  ],
  [
    70,
    7,
    'up to 63 acknowledged writes, made since 2026-01-01T00:00:07.000Z until 2026-01-01T00:01:10.000Z.',
  ],
  // The file has marks of 64 seconds.
  [70, 3, 'up to 67 acknowledged writes, made until 2026-01-01T00:01:10.000Z.'],
])(
  'if %i writes in as many seconds were acknowledged and %i are found, the error names the lost ones',
  async (written, found, said) => {
    const { graph, copyAsKilled } = newGraph()
    let earlier = ''
    for (let second = 1; second <= written; second++) {
      await writeAt(graph, second)
      if (second === found) earlier = copyAsKilled()
    }
    putMarks(copyAsKilled(), earlier)
    expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow(`has lost ${said}`)
  },
)

test('a hundred writes in one second keep the marks of the seconds before', async () => {
  const { graph, copyAsKilled } = newGraph()
  await writeAt(graph, 1)
  await writeAt(graph, 2)
  const earlier = copyAsKilled()
  for (let i = 0; i < 100; i++) await writeAt(graph, 3)
  putMarks(copyAsKilled(), earlier)
  expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow(
    'up to 100 acknowledged writes, made since 2026-01-01T00:00:02.000Z until 2026-01-01T00:00:03.000Z.',
  )
})

test('marks continue after the last one of the closed graph', async () => {
  const folder = newFolder()
  for (let second = 1; second <= 3; second++) {
    const graph = EmbeddedGraph.open({ folder })
    await writeAt(graph, second)
    await graph.close()
  }
  const { graph, copyAsKilled } = openGraph(folder)
  const earlier = copyAsKilled()
  await writeAt(graph, 4)
  putMarks(copyAsKilled(), earlier)
  expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow(
    'up to 1 acknowledged writes, made since 2026-01-01T00:00:03.000Z until 2026-01-01T00:00:04.000Z.',
  )
})

test('a mark with a changed digit does not report writes that never happened', async () => {
  const { graph, folder, copyAsKilled } = newGraph()
  await writeAt(graph, 1)
  await writeAt(graph, 2)
  const killed = copyAsKilled()
  await graph.close()
  const file = acknowledgedFile(killed)
  const text = readFileSync(file, 'latin1')
  const changed = text.replace(/^0(\d{15}) (?=\S+02\.000Z)/m, '9$1 ')
  expect(changed).not.toBe(text)
  expect(folder).not.toBe(killed)
  writeFileSync(file, changed)
  await EmbeddedGraph.open({ folder: killed }).close()
})

test('an accepted loss is not reported again, but a further one is', async () => {
  const first = newGraph()
  await writeAt(first.graph, 1)
  const earlier = first.copyAsKilled()
  for (const second of [2, 3, 4]) await writeAt(first.graph, second)
  putMarks(first.copyAsKilled(), earlier)
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const { graph, copyAsKilled } = openGraph(earlier, { acceptLoss: true })
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('has lost up to 3'), 'TurngraphLoss')
  const accepted = copyAsKilled()
  await writeAt(graph, 5)
  const later = copyAsKilled()
  for (const folder of [accepted, later]) await EmbeddedGraph.open({ folder: copyOf(folder) }).close()
  putMarks(later, accepted)
  expect(() => EmbeddedGraph.open({ folder: accepted })).toThrow('has lost up to 1 acknowledged writes')
})

test('a change by a migration is acknowledged like any other write', async () => {
  const { graph, copyAsKilled } = newGraph()
  await writeAt(graph, 1)
  const earlier = copyAsKilled()
  await graph.schema(["MATCH (n:Thing) SET n.value = 'changed'"])
  putMarks(copyAsKilled(), earlier)
  expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow('has lost up to 1 acknowledged writes')
})

test('the next write recreates marks that were removed while the graph was open', async () => {
  const { folder, graph, copyAsKilled } = newGraph()
  await writeAt(graph, 1)
  const earlier = copyAsKilled()
  rmSync(acknowledgedFile(folder))
  await writeAt(graph, 2)
  await writeAt(graph, 3)
  putMarks(copyAsKilled(), earlier)
  expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow('has lost up to 2 acknowledged writes')
})

test('a graph that is missing after a normal end is reported as lost, and no new one is created', async () => {
  const { graph, folder } = newGraph()
  await writeAt(graph, 1)
  await graph.close()
  for (const name of ['graph.db', 'graph.db.wal'])
    rmSync(path.join(folder, name), { recursive: true, force: true })
  expect(() => EmbeddedGraph.open({ folder })).toThrow('has lost up to 1 acknowledged writes')
  expect(readdirSync(folder)).toEqual(['graph.acknowledged'])
})

test('a file that was cut off is rejected from then on, even if it grew again', async () => {
  const { graph, folder } = newGraph()
  await writeAt(graph, 1)
  for (const bytes of [100, 64 * 1024]) {
    truncateSync(path.join(folder, 'graph.db'), bytes)
    await expect(writeAt(graph, 2)).rejects.toThrow(
      'was deleted, cut off or replaced while the graph was open',
    )
    await expect(graph.health()).rejects.toThrow('was deleted, cut off or replaced')
  }
})

test('output that NODE_OPTIONS make a process print is not mistaken for the last commit', async () => {
  const { graph, copyAsKilled } = newGraph()
  await writeAt(graph, 1)
  vi.stubEnv('NODE_OPTIONS', '--import "data:text/javascript,console.log(0)"')
  onTestFinished(() => void vi.unstubAllEnvs())
  await EmbeddedGraph.open({ folder: copyAsKilled() }).close()
})

test('a loss that is found only after opening closes the graph, so that it can be accepted', async () => {
  const { graph, folder } = newGraph()
  await writeAt(graph, 1)
  await graph.close()
  const earlier = copyOf(folder)
  const again = openGraph(folder)
  await writeAt(again.graph, 2)
  await again.graph.close()
  putMarks(folder, earlier)
  expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow('has lost up to 1 acknowledged writes')
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  await EmbeddedGraph.open({ folder: earlier, acceptLoss: true }).close()
})

test('a write without changes makes no mark: the marks of earlier writes stay', async () => {
  const { graph, copyAsKilled } = newGraph()
  await writeAt(graph, 1)
  const earlier = copyAsKilled()
  await writeAt(graph, 2)
  for (let second = 3; second <= 80; second++) {
    vi.setSystemTime(atSecond(second))
    await graph.write([{ statement: touchNone, params: {} }])
  }
  putMarks(copyAsKilled(), earlier)
  expect(() => EmbeddedGraph.open({ folder: earlier })).toThrow(
    'up to 1 acknowledged writes, made since 2026-01-01T00:00:01.000Z until 2026-01-01T00:00:02.000Z.',
  )
})

test('a graph that does not wait for the disk makes no marks: they could be wrong after a power cut', async () => {
  const folder = newFolder()
  const graph = EmbeddedGraph.open({ folder, sync: false })
  onTestFinished(() => graph.close())
  await writeAt(graph, 1)
  expect(readdirSync(folder)).not.toContain('graph.acknowledged')
})

test('a file of marks with other content is reported as damaged', async () => {
  const { graph, folder } = newGraph()
  await writeAt(graph, 1)
  await graph.close()
  writeFileSync(acknowledgedFile(folder), 'no mark at all')
  expect(() => EmbeddedGraph.open({ folder })).toThrow(`${acknowledgedFile(folder)} is damaged`)
})

const newGraph = () => openGraph(newFolder())

function openGraph(folder: string, options: { acceptLoss?: boolean } = {}) {
  const graph = EmbeddedGraph.open({ folder, ...options })
  onTestFinished(() => graph.close())
  return { folder, graph, copyAsKilled: () => copyOf(folder) }
}

/** Copies the state that a kill would leave. No checkpoint runs, because the clock of its timer is faked. */
function copyOf(folder: string): string {
  const copy = path.join(newFolder(), 'graph')
  cpSync(folder, copy, { recursive: true })
  return copy
}

const putMarks = (from: string, to: string): void => cpSync(acknowledgedFile(from), acknowledgedFile(to))

async function writeAt(graph: EmbeddedGraph, second: number): Promise<void> {
  vi.setSystemTime(atSecond(second))
  await graph.write([{ statement: put, params: { value: crypto.randomUUID() } }])
}

const atSecond = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
