/** Reads properties of nodes by their keys, with a statement and a schema that are generated from the model. */
import * as z from 'zod'
import { readRows } from './decode.ts'
import { rowShape } from './model/derived.ts'
import { type Label, nodes, type Stored } from './model/nodes.ts'
import type { Graph } from './port.ts'
import { generated } from './statements.ts'

/** The given properties of a node. An absent property is null. */
type NodeRow<L extends Label, P extends keyof Stored<L>> = { key: string } & {
  [K in P]: undefined extends Stored<L>[K] ? Exclude<Stored<L>[K], undefined> | null : Stored<L>[K]
}

/**
 * Creates a function that reads some properties of nodes. It leaves out nodes that do not exist.
 *
 * @example
 * const readRevisions = nodeReader('World', ['rev'])
 * const [world] = await readRevisions(graph, [worldKey])
 */
export function nodeReader<L extends Label, P extends keyof Stored<L> & string>(
  label: L,
  properties: readonly P[],
): (graph: Graph, keys: readonly string[]) => Promise<NodeRow<L, P>[]> {
  const shape: z.ZodRawShape = nodes[label].properties.shape
  const row = z.object({
    key: z.string(),
    ...rowShape(Object.fromEntries(properties.map((name) => [name, shape[name] as z.ZodType]))),
  }) as unknown as z.ZodType<NodeRow<L, P>>
  const statement = generated(
    `model/read-${label}-${properties.join('-')}`,
    `// params: $keys
UNWIND $keys AS key
MATCH (x:${label} {key: key})
RETURN ${['key', ...properties].map((name) => `x.${name} AS ${name}`).join(', ')}`,
  )
  return (graph, keys) => readRows(graph, statement, { keys: [...keys] }, row)
}
