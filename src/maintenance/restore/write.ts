import { stepOf } from '../../graph/port.ts'
import type { Statement } from '../../graph/statements.ts'
import type { ExportRecord, Kind } from '../export/records.ts'
import { type Conflict, differing, keyOf } from './conflicts.ts'
import type { Given, Work } from './work.ts'

/** Rows as one map: Neo4j plans a statement anew where a parameter is an empty list and no longer a full one. */
export async function writeRows(
  { run, token }: Work,
  to: Statement,
  rows: readonly object[],
): Promise<number> {
  if (rows.length === 0) return 0
  const params = { batch: { rows }, ...(to.params.includes('token') && { token }) }
  const [answer] = await run(stepOf(to, params))
  return Number(answer?.written ?? 0)
}

export type Compared<K extends Kind> = { fresh: Given<K>[]; conflicts: Conflict[] }

/** Parts the records that are new from those that stand there already. */
export function compared<K extends Kind>(
  given: readonly Given<K>[],
  standing: readonly ExportRecord[],
  fieldsOf: (given: Given<K>['record'], standing: ExportRecord) => string[] = differing,
): Compared<K> {
  const byKey = new Map(standing.map((record) => [keyOf(record), record]))
  const fresh: Given<K>[] = []
  const conflicts: Conflict[] = []
  for (const { index, record } of given) {
    const key = keyOf(record)
    const known = byKey.get(key)
    if (known === undefined) {
      fresh.push({ index, record })
      byKey.set(key, record) // the same line twice is one record
      continue
    }
    const fields = fieldsOf(record, known)
    if (fields.length > 0) conflicts.push({ index, kind: record.kind, key, fields })
  }
  return { fresh, conflicts }
}

export const keysOf = <K extends Kind>(given: readonly Given<K>[]): string[] => [
  ...new Set(given.map(({ record }) => keyOf(record))),
]
