/**
 * Observes the stored writes of this process, and derives their changes from the keys in the parameters and results of the
 * statements, so that readers of events get them without a read of all changes.
 */
import * as z from 'zod'
import { type Graph, graphWith, type Row, type Run, type Step } from '../graph/port.ts'
import type { ChangeRef } from './read-changes.ts'

/** Stored statement with its result. */
export type StoredStep = { step: Step; rows: readonly Row[] }

export const noteWrites = (
  graph: Graph,
  stored: (steps: readonly StoredStep[]) => Promise<void> | undefined,
): Graph =>
  graphWith(graph, {
    write: async (steps, deadline) => {
      const answers = await graph.write(steps, deadline)
      if (answers !== null) await stored(steps.map((step, i) => ({ step, rows: answers[i] ?? [] })))
      return answers
    },
    transact: async (work, deadline) => {
      let done: StoredStep[] = []
      const noted = (run: Run) => {
        done = [] // the engine runs a transaction again after a broken connection
        return work(async (step) => {
          const rows = await run(step)
          done.push({ step, rows })
          return rows
        })
      }
      const answer = await graph.transact(noted, deadline)
      if (answer !== null) await stored(done)
      return answer
    },
  })

const keyed = z.array(z.object({ key: z.string() })).default([])
const named = z.object({
  worldKey: z.string().optional(),
  /** Parameter of `runs/change`. */
  change: z.object({ runs: keyed }).default({ runs: [] }),
  /** Parameter of `transcripts/write-files`. */
  batch: z.object({ files: keyed }).default({ files: [] }),
})
const answered = z.object({ changedWorlds: z.array(z.string()).default([]) })

/** Matches statements that set the version of a record, like `worlds/_changed`. */
export const SETS_VERSION = /\.changedAt = /

/** Lists the changes of a statement. A statement of a restore names no keys: the next read finds its changes. */
export function listWrittenChanges({ step: { statement, params }, rows }: StoredStep): ChangeRef[] {
  if (!SETS_VERSION.test(statement.text)) return []
  const { worldKey, change, batch } = named.parse(params)
  const worlds = rows.flatMap((row) => answered.parse(row).changedWorlds)
  return [
    ...[...(worldKey === undefined ? [] : [worldKey]), ...worlds].map((key) => ({
      type: 'session' as const,
      key,
    })),
    ...change.runs.map(({ key }) => ({ type: 'run' as const, key })),
    ...batch.files.map(({ key }) => ({ type: 'import' as const, key })),
  ]
}
