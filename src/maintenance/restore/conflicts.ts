/** Why records were not restored: one stands there already and differs, or what one hangs on is not there. */
import { TurngraphError } from '../../core/errors.ts'
import type { ExportRecord, Kind } from '../export/records.ts'
import { findKey } from '../export/stored-form.ts'

/** No fields: the record is not there, but the world that it is of is, whole. */
export type Conflict = { index: number; kind: Kind; key: string; fields: string[] }

/** What of two records differs, by the paths of their fields; empty where they are the same. */
export function differing(a: unknown, b: unknown, path = ''): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return []
  if (!isObject(a) || !isObject(b)) return [path]
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].flatMap((name) => differing(a[name], b[name], path === '' ? name : `${path}.${name}`))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const SHOWN = 20

const describeConflict = ({ fields }: Conflict): string =>
  fields.length === 0
    ? 'is not in its world, which stands there already'
    : `stands there already and differs in ${fields.join(', ')}`

export function refuseConflicts(conflicts: readonly Conflict[]): void {
  const [first] = conflicts
  if (first === undefined) return
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : ''
  throw new TurngraphError(
    'restore_conflict',
    `${first.kind} ${first.key} ${describeConflict(first)}${more}.`,
    {
      hint: 'Nothing was overwritten. Restore into another graph, or forget what stands there first.',
      details: { conflicts: conflicts.slice(0, SHOWN) },
    },
  )
}

/** A record that hangs on another which is neither in the graph nor before it in the file. */
export function missing(index: number, record: ExportRecord, what: string): TurngraphError {
  const message = `${record.kind} ${findKey(record)} needs ${what}, which is not in the graph`
  return new TurngraphError('invalid_request', `${message}.`, {
    hint: 'Restore the file from its first line on, whole and in its order.',
    details: { problems: [{ path: `records[${index}]`, message }] },
  })
}
