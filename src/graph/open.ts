// Opens the graph that the configuration names.
import type { Store } from '../platform/config.ts'
import type { Graph } from './port.ts'

/** Opens the store; the caller closes it. Loads only one driver: the other one would cost every command a third of a second. */
export async function openGraph(store: Store): Promise<Graph> {
  if (store.kind === 'neo4j') return new (await import('./neo4j.ts')).Neo4jGraph(store)
  const { EmbeddedGraph } = await import('./embedded.ts')
  return EmbeddedGraph.open({ folder: store.folder, sync: store.sync, acceptLoss: store.acceptLoss ?? false })
}
