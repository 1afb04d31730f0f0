import { randomUUID } from 'node:crypto'
import { type Graph, inOrder, type Run } from './port.ts'
import { statement } from './statements.ts'

const hold = statement('worlds/hold')

/**
 * Runs reads of one world while nobody else writes there, so that what they see is of one moment. It costs a
 * transaction: for what takes several statements, or folds the past again, where counts of parts cannot tell half of
 * a commit. It leaves nothing behind.
 *
 * @example
 * const context = await ofOneMoment(graph, standing.worldKey, (held) => readContext(held, request))
 */
export async function ofOneMoment<T>(
  graph: Graph,
  worldKey: string,
  read: (held: Graph) => Promise<T>,
): Promise<T> {
  return undone(graph, async (held) => {
    await held.read(hold, { worldKey, token: randomUUID() })
    return read(held)
  })
}

/** What `work` answers in a transaction of which nothing stays. */
export async function undone<T>(graph: Graph, work: (held: Graph) => Promise<T>): Promise<T> {
  const found: T[] = []
  await graph.transact(async (run) => {
    found[0] = await work(within(graph, run))
    return null
  })
  return found[0] as T
}

/** The graph as a transaction sees it. */
export const within = (graph: Graph, run: Run): Graph => ({
  engine: graph.engine,
  source: graph.source,
  read: (statement, params) => run({ statement, params }),
  write: (steps) => inOrder(steps, run),
  transact: (work) => work(run),
  schema: (command) => graph.schema(command),
  health: () => graph.health(),
  close: () => graph.close(),
})
