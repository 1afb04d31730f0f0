/** Tells of each write that was stored, so that what waits for changes need not wait for its next look. */
import { type Graph, graphWith } from './port.ts'

export const noteWrites = (graph: Graph, stored: () => void): Graph => {
  const noted = <T>(answer: T): T => {
    if (answer !== null) stored()
    return answer
  }
  return graphWith(graph, {
    write: async (steps, deadline) => noted(await graph.write(steps, deadline)),
    transact: async (work, deadline) => noted(await graph.transact(work, deadline)),
  })
}
