/**
 * Hears of each write of this process that was stored, and says what it changed, by the keys that its statements name or answer:
 * readers of events hear of it without a look at what changed.
 */
import * as z from 'zod'
import { type Graph, graphWith, type Row, type Run, type Step } from '../graph/port.ts'
import type { ChangeRef } from './read-changes.ts'

/** A statement that was stored, and what it answered. */
export type StoredStep = { step: Step; rows: readonly Row[] }

export const noteWrites = (graph: Graph, stored: (steps: readonly StoredStep[]) => void): Graph =>
  graphWith(graph, {
    write: async (steps, deadline) => {
      const answers = await graph.write(steps, deadline)
      if (answers !== null) stored(steps.map((step, i) => ({ step, rows: answers[i] ?? [] })))
      return answers
    },
    transact: async (work, deadline) => {
      let done: StoredStep[] = []
      const noted = (run: Run) => {
        done = [] // a connection that broke runs it again
        return work(async (step) => {
          const rows = await run(step)
          done.push({ step, rows })
          return rows
        })
      }
      const answer = await graph.transact(noted, deadline)
      if (answer !== null) stored(done)
      return answer
    },
  })

const keyed = z.array(z.object({ key: z.string() })).default([])
const named = z.object({
  worldKey: z.string().optional(),
  /** Of `runs/change`. */
  change: z.object({ runs: keyed }).default({ runs: [] }),
  /** Of `transcripts/write-files`. */
  batch: z.object({ files: keyed }).default({ files: [] }),
})
const answered = z.object({ changedWorlds: z.array(z.string()).default([]) })

/** Sets the version of what it changes, as `worlds/_changed` does. */
export const SETS_VERSION = /\.changedAt = /

/** Statements that name no key (a restore, repairs of the doctor) change nothing here: the next look finds what they changed. */
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
