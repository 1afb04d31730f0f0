import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'

const turn = plannedTurn(
  { project: 'private', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null },
  { turn: 1, revision: 1 },
)

test.each([
  [0o755, 'in a folder that others can look into, of which the service warns'],
  [0o700, 'in a private folder, of which it does not warn'],
])(
  'only their user can read the files of a service and of a client with a spool: %o, %s',
  {
    timeout: PROCESS_TEST_MS,
  },
  async (mode) => {
    const folder = newFolder()
    const data = path.join(folder, 'data')
    mkdirSync(data)
    chmodSync(data, mode)
    const service = await startReadyService({ dataFolder: data, environment: { TURNGRAPH_AUTH: 'token' } })
    // No service listens at this address, so the turn waits in the spool.
    const client = createTurngraphClient({
      url: 'http://127.0.0.1:1',
      spool: path.join(data, 'spool'),
      retries: 0,
    })
    onTestFinished(() => client.close())
    await expect(client.captureTurnState(turn)).rejects.toMatchObject({ details: { spooled: true } })
    expect(readableByOthers(data)).toEqual([])
    await service.stop()
    const warned = service.output().includes(`chmod 700 ${data}`)
    expect(warned).toBe(mode !== 0o700)
  },
)

test.each(['embedded', 'embedded:memory'])(
  'a data folder that a service on %s makes is private',
  { timeout: PROCESS_TEST_MS },
  async (store) => {
    const data = path.join(newFolder(), 'data')
    const environment = {
      TURNGRAPH_AUTH: 'token',
      ...(store === 'embedded' ? {} : { TURNGRAPH_STORE: store }),
    }
    const service = await startReadyService({ dataFolder: data, environment })
    expect(statSync(data).mode & 0o777).toBe(0o700)
    await service.stop()
    expect(service.output()).not.toContain('chmod 700')
  },
)

test('a graph makes its folder and the log of an acknowledged write private', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] }) // a checkpoint would start another log
  onTestFinished(() => void vi.useRealTimers())
  const folder = path.join(newFolder(), 'graph')
  const graph = EmbeddedGraph.open({ folder })
  onTestFinished(() => graph.close())
  await migrate(graph)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const wal = path.join(folder, 'graph.db.wal')
  const logs = readdirSync(wal).filter((name) => name.endsWith('.log'))
  expect(logs.length).toBeGreaterThan(0)
  for (const log of logs) expect(statSync(path.join(wal, log)).mode & 0o777, log).toBe(0o600)
})

test.skipIf(process.getuid?.() !== 0)('a file of another user keeps its mode', async () => {
  const folder = newFolder()
  await EmbeddedGraph.open({ folder }).close()
  const file = path.join(folder, 'graph.db')
  chownSync(file, 65_534, 65_534)
  chmodSync(file, 0o644)
  await EmbeddedGraph.open({ folder }).close()
  expect(statSync(file).mode & 0o777).toBe(0o644)
})

test('a graph in a separate folder that others can read causes a warning', async () => {
  const [data, graph] = [path.join(newFolder(), 'data'), newFolder()]
  chmodSync(graph, 0o750)
  const service = await startReadyService({
    dataFolder: data,
    environment: { TURNGRAPH_STORE: `embedded:${graph}` },
  })
  await service.stop()
  expect(service.output()).toContain(`chmod 700 ${graph}`)
  expect(service.output()).not.toContain(`chmod 700 ${data}`)
})

/**
 * Lists files that others could read if they could open `folder`. Files in a private folder are out of their
 * reach.
 */
function readableByOthers(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name)
    if ((statSync(place).mode & 0o077) === 0) return []
    return entry.isDirectory() ? [place, ...readableByOthers(place)] : [place]
  })
}
