/** Tells of each write that was stored, so that what waits for changes need not wait for its next look. */
import { type Graph, graphWith, type Row, type Run, type Step } from './port.ts'

/** A statement that was stored, and what it answered. */
export type StoredStep = { step: Step; rows: readonly Row[] }

export const noteWrites = (graph: Graph, stored: (steps: readonly StoredStep[]) => void): Graph =>
  graphWith(graph, {
    write: async (steps, deadline, caller) => {
      const answers = await graph.write(steps, deadline, caller)
      if (answers !== null) stored(steps.map((step, i) => ({ step, rows: answers[i] ?? [] })))
      return answers
    },
    transact: async (work, deadline, caller) => {
      let done: StoredStep[] = []
      const noted = (run: Run) => {
        done = [] // a connection that broke runs it again
        return work(async (step) => {
          const rows = await run(step)
          done.push({ step, rows })
          return rows
        })
      }
      const answer = await graph.transact(noted, deadline, caller)
      if (answer !== null) stored(done)
      return answer
    },
  })
