/** Reads a world in several statements as of one revision, without a lock. */
import { retryTornRead } from '../../graph/decode.ts'
import { nodeReader } from '../../graph/node-reader.ts'
import { type Graph, graphWith, inOrder, type Run } from '../../graph/port.ts'

const readRevisions = nodeReader('World', ['rev'])

/** Reads the token of the world's newest write; null if the world does not exist. */
async function readRevision(graph: Graph, worldKey: string): Promise<string | null> {
  const [row] = await readRevisions(graph, [worldKey])
  return row?.rev ?? null
}

/**
 * Runs reads of one world, and repeats them if the revision of the world changed during the reads. Writers never wait for it.
 *
 * @throws `store_unavailable` if the world changes during every try
 * @example
 * const seen = await readAtOneRevision(graph, key, () => readRuns(graph, key))
 */
export async function readAtOneRevision<T>(
  graph: Graph,
  worldKey: string,
  read: () => Promise<T>,
): Promise<T> {
  const { found } = await retryTornRead(
    async () => {
      const before = await readRevision(graph, worldKey)
      const found = await read()
      return { found, hasMoved: (await readRevision(graph, worldKey)) !== before }
    },
    ({ hasMoved }) => !hasMoved,
  )
  return found
}

/** Returns the graph as seen by a transaction. */
export const within = (graph: Graph, run: Run): Graph =>
  graphWith(graph, {
    read: (statement, params) => run({ statement, params }),
    write: (steps) => inOrder(steps, run),
    transact: (work) => work(run),
  })
