/**
 * Says what a write of this process changed, by the keys that its statements name or answer: readers hear of it without a look at what
 * changed. Pure.
 */
import * as z from 'zod'
import type { StoredStep } from '../graph/note-writes.ts'
import type { ChangeRef } from './read-changes.ts'

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

/** What names no key is found by the next look: a restore, and the repairs of the doctor. */
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
