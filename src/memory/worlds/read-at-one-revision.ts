/** Reads a world in several statements as of one revision, without a lock. */
import * as z from 'zod'
import { readRows, retryTornRead } from '../../graph/decode.ts'
import { type Graph, graphWith, inOrder, type Run } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { optionalText } from '../../rules/values.ts'

const revision = statement('worlds/revision')

const revisionRow = z.object({ rev: optionalText })

/** Reads the token of the world's newest write; null if the world does not exist. */
export async function readRevision(graph: Graph, worldKey: string): Promise<string | null> {
  const [row] = await readRows(graph, revision, { worldKey }, revisionRow)
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
