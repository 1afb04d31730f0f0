/** Reports why records were not restored: a stored record differs, or the owner of a record is missing. */
import { TurngraphError } from '../../core/errors.ts'
import type { ExportRecord, Kind } from '../export/records.ts'
import { findKey } from '../export/stored-form.ts'

/** Conflict of a record. Without fields, the record is missing although its world is complete. */
export type Conflict = { index: number; kind: Kind; key: string; fields: string[] }

/** Lists the paths of the fields in which two records differ. */
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

/** Error for a record whose owner is neither in the graph nor earlier in the file. */
export function missing(index: number, record: ExportRecord, what: string): TurngraphError {
  const message = `${record.kind} ${findKey(record)} needs ${what}, which is not in the graph`
  return new TurngraphError('invalid_request', `${message}.`, {
    hint: 'Restore the file from its first line on, whole and in its order.',
    details: { problems: [{ path: `records[${index}]`, message }] },
  })
}

export function unfit(index: number, problems: readonly { path: string; message: string }[]): TurngraphError {
  const shown = problems
    .slice(0, 5)
    .map(({ path, message }) => `${path === '' ? 'the record' : path}: ${message}`)
  return new TurngraphError('invalid_request', `records[${index}]: ${shown.join('; ')}`, {
    hint: 'Restore the lines of an export as they were written.',
    details: {
      problems: problems
        .slice(0, 200)
        .map(({ path, message }) => ({ path: `records[${index}].${path}`, message })),
    },
  })
}
