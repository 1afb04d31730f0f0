/** Computes the digest of a record as it was sent. Captures with equal digests are the same capture. */
import { sha256 } from '../../core/keys.ts'

/** Fields that are not content: the scope of the record, the options of the capture, and derived fields. */
const NOT_CONTENT = new Set([
  'project',
  'featureId',
  'taskId',
  'worldSlug',
  'turnNumber',
  'onConflict',
  'createWorld',
  'entityType',
  'id',
  'key',
  'createdAt',
  'recordedBy',
])

/**
 * Hashes a record as it was sent, with marks in the places of its secrets: SHA-256 of canonical JSON (keys sorted), before
 * defaults. A mark is a keyed hash of its secret, so records that differ in a secret have different digests. Two captures with
 * equal digests are the same capture, whenever they arrive.
 */
export function digestRecord(scrubbed: Readonly<Record<string, unknown>>): string {
  const content = Object.fromEntries(Object.entries(scrubbed).filter(([key]) => !NOT_CONTENT.has(key)))
  return sha256(canonicalJson(content))
}

/** Writes JSON with sorted keys, because their order in a request has no meaning. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields: string[] = []
  for (const key of Object.keys(value).sort()) {
    const field: unknown = value[key as keyof typeof value]
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`)
  }
  return `{${fields.join(',')}}`
}
