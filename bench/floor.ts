/**
 * The floor is the cost of one round trip to the store: `RETURN 1`, and a write of one node. A bench measures it
 * in the same run and divides its figures by it, because absolute times depend on the machine.
 */
import neo4j from 'neo4j-driver'
import type { Graph } from '../src/graph/port.ts'

/** Runs one round trip per call. Each write leaves a node `BenchFloor`. */
export type Floor = {
  read: () => Promise<unknown>
  write: () => Promise<unknown>
  close: () => Promise<void>
}

/**
 * Creates the floor of a graph. On Neo4j it uses its own driver, without the layers of `Graph`. The embedded
 * engine has no driver, so its floor uses the graph.
 *
 * @param store the Neo4j server; null for the embedded engine
 */
export function createFloor(
  graph: Graph,
  store: { url: string; user: string; password: string | null; database: string } | null,
): Floor {
  if (store === null) {
    const statement = (text: string) => ({ name: 'bench/floor', text, params: [] })
    return {
      read: () => graph.read(statement('RETURN 1 AS one'), {}),
      write: () =>
        graph.write([{ statement: statement('CREATE (n:BenchFloor {i: 1}) RETURN n.i AS i'), params: {} }]),
      close: async () => {},
    }
  }
  const driver = neo4j.driver(
    store.url,
    store.password === null ? undefined : neo4j.auth.basic(store.user, store.password),
  )
  const { database } = store
  return {
    read: () => driver.executeQuery('RETURN 1 AS one', {}, { database, routing: neo4j.routing.READ }),
    write: () => driver.executeQuery('CREATE (n:BenchFloor {i: 1}) RETURN n.i AS i', {}, { database }),
    close: () => driver.close(),
  }
}
