/** Tells of each write that was stored, so that what waits for changes need not wait for its next look. */
import type { Graph } from './port.ts'

export const noteWrites = (graph: Graph, stored: () => void): Graph => {
  const noted = <T>(answer: T): T => {
    if (answer !== null) stored()
    return answer
  }
  return {
    engine: graph.engine,
    source: graph.source,
    read: (statement, params, deadline) => graph.read(statement, params, deadline),
    write: async (steps, deadline) => noted(await graph.write(steps, deadline)),
    transact: async (work, deadline) => noted(await graph.transact(work, deadline)),
    schema: (command) => graph.schema(command),
    health: () => graph.health(),
    close: () => graph.close(),
  }
}
