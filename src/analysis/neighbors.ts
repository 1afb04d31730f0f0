/** Reads a node of the graph with its neighbors, for people who explore the graph. */
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { statement } from '../graph/statements.ts'
import type { Queries, Query } from './query/queries.ts'

const properties = z.record(z.string(), z.unknown())

const graphNode = z.object({
  id: z.string().describe("the engine's own, as queries answer it"),
  labels: z.array(z.string()),
  properties,
})

const graphRelationship = z.object({
  id: z.string(),
  type: z.string(),
  start: z.string().describe('the id of the node that it begins at'),
  end: z.string(),
  properties,
})

export const neighborhood = z.object({
  node: graphNode,
  neighbors: z
    .array(z.object({ relationship: graphRelationship, node: graphNode }))
    .describe('by the types of their relationships'),
  truncated: z
    .boolean()
    .describe('true: there are more neighbors than the limit, or more than 4 MiB of them'),
})

const row = z.tuple([graphNode, graphRelationship.nullable(), graphNode.nullable()], z.unknown())

const neighbors = statement('graph/neighbors')
const TIMEOUT_MS = 10_000

/** @throws `not_found` if no node has the id; `timeout`, `rate_limited`, `store_unavailable` like a query */
export async function readNeighbors(
  queries: Queries,
  { nodeId, ...bounds }: { nodeId: string } & Pick<Query, 'limit' | 'signal'>,
): Promise<z.output<typeof neighborhood>> {
  const { rows, truncated } = await queries.ask({
    query: neighbors.text,
    ...bounds,
    params: { nodeId },
    timeoutMs: TIMEOUT_MS,
  })
  const found = rows.map((values) => row.parse(values))
  const [first] = found
  if (first === undefined) {
    throw new TurngraphError('not_found', 'No node of this graph has that id.', {
      hint: 'Use the id that a query returns for a node; it may change after a restart or a restore.',
    })
  }
  return {
    node: first[0],
    neighbors: found.flatMap(([, relationship, node]) =>
      relationship === null || node === null ? [] : [{ relationship, node }],
    ),
    truncated,
  }
}
