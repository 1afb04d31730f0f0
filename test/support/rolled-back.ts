import type { Graph } from '../../src/graph/port.ts'
import { within } from '../../src/memory/worlds/read-at-one-revision.ts'

/** Time limit of the transaction: the doctor reads the whole graph, which takes longer than a request may. */
const MAX_MS = 50_000

/** Runs `work` in a transaction that is rolled back, and returns its result: its writes are not stored. */
export async function rolledBack<T>(graph: Graph, work: (held: Graph) => Promise<T>): Promise<T> {
  const found: T[] = []
  await graph.transact(async (run) => {
    found[0] = await work(within(graph, run))
    return null
  }, performance.now() + MAX_MS)
  return found[0] as T
}
