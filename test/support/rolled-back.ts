import type { Graph } from '../../src/graph/port.ts'
import { within } from '../../src/memory/worlds/read-at-one-revision.ts'

/** The doctor reads the whole graph: in one transaction that takes longer than a request may. */
const LONGEST_MS = 50_000

/** Answers what `work` answers in a transaction that is rolled back: nothing of it stays. */
export async function rolledBack<T>(graph: Graph, work: (held: Graph) => Promise<T>): Promise<T> {
  const found: T[] = []
  await graph.transact(async (run) => {
    found[0] = await work(within(graph, run))
    return null
  }, performance.now() + LONGEST_MS)
  return found[0] as T
}
