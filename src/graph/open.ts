import type { Store } from '../config.ts'
import { EmbeddedGraph } from './embedded.ts'
import { Neo4jGraph } from './neo4j.ts'
import type { Graph } from './port.ts'

/** Opens the store that the configuration names. The caller closes it. */
export function openGraph(store: Store): Graph {
  if (store.kind === 'neo4j') return new Neo4jGraph(store)
  return EmbeddedGraph.open({ folder: store.folder, sync: store.sync })
}
