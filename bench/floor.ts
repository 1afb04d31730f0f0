/**
 * The floor is the cost of one round trip: `RETURN 1` and a one-node write, run by the driver's own
 * executeQuery (as DESIGN.md measured it) or by the embedded engine.
 */
import neo4j from 'neo4j-driver'
import type { Graph } from '../src/graph/port.ts'

export type Floor = {
  read: () => Promise<unknown>
  write: () => Promise<unknown>
  close: () => Promise<void>
}

export function floorOf(
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
