/** Cuts a record to the limits of a capture (turns.md, "Limits"). Real reports contain texts and lists of any size. */

import { isExact, LIMITS } from '../core/fields.ts'
import { orderedObject } from '../core/ordered-json.ts'
import { sliceBytes } from '../rules/cut-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'

/** Fields that contain a name, not prose. */
const LABELS = new Set([
  'feature_id',
  'criterion_id',
  'criterion_ids',
  'coach_decision',
  'coach_decision_raw',
  'category',
  'severity',
  'evidence_type',
])

export type Warn = (field: string, message: string) => void

/** Cuts values, so that a long text does not lose the turn. Calls `warn` with the path of every cut (`issues[3].description`). */
export const truncateToLimits = <T>(record: T, warn: Warn): T => truncateValue(record, '', 'field', warn) as T

type Kind = 'field' | 'label' | 'free'

function truncateValue(value: unknown, path: string, kind: Kind, warn: Warn): unknown {
  if (typeof value === 'string') return truncateText(value, path, kind, warn)
  if (Array.isArray(value)) {
    const entries = kind === 'free' ? value : firstEntries(value, path, warn)
    return entries.map((entry, i) => truncateValue(entry, `${path}[${i}]`, kind, warn))
  }
  if (typeof value === 'number') return truncateNumber(value, path, kind, warn)
  if (typeof value !== 'object' || value === null) return value
  return orderedObject(
    Object.entries(value).map(([key, field]) => {
      const name = truncateText(key, path, kind === 'free' ? 'free' : 'label', warn)
      return [name, truncateValue(field, path === '' ? name : `${path}.${name}`, chooseKind(key, kind), warn)]
    }),
  )
}

/** Values below `details` are free JSON of the Coach: their texts are cleaned, but their lists are not cut. */
function chooseKind(key: string, above: Kind): Kind {
  if (above === 'free' || key === 'details') return 'free'
  return LABELS.has(key) ? 'label' : 'field'
}

function firstEntries(list: unknown[], path: string, warn: Warn): unknown[] {
  if (list.length <= LIMITS.entries) return list
  warn(path, `had ${list.length} entries; the first ${LIMITS.entries} are kept`)
  return list.slice(0, LIMITS.entries)
}

/** Free JSON rejects rounded whole numbers. Keeps such a number as a text, with a warning that it is rounded. */
function truncateNumber(value: number, path: string, kind: Kind, warn: Warn): number | string {
  if (isExact(value) || !(kind === 'free' || path.startsWith('extra.'))) return value
  warn(path, 'was a whole number beyond 2^53, which JSON rounds; it is kept as text')
  return String(value)
}

function truncateText(text: string, path: string, kind: Kind, warn: Warn): string {
  let cleaned = text
  if (cleaned.includes('\0')) {
    cleaned = cleaned.replaceAll('\0', '')
    warn(path, 'held NUL characters; they are dropped')
  }
  const wellFormed = cleaned.replace(/\p{Surrogate}/gu, '\uFFFD')
  if (wellFormed !== cleaned) {
    cleaned = wellFormed
    warn(path, 'held lone surrogates; they are replaced by U+FFFD')
  }
  if (kind === 'label') {
    const line = toOneLine(cleaned)
    // No warning if only spaces changed.
    if (line !== cleaned.replace(/\s+/gu, ' ').trim() || /[\n\r]/.test(cleaned)) {
      warn(path, 'held line breaks or hidden characters; they are removed')
      cleaned = line
    }
  }
  if (kind === 'label' && cleaned.length > LIMITS.nameCharacters) {
    warn(path, `had ${cleaned.length} characters; the first ${LIMITS.nameCharacters} are kept`)
    return cleaned.slice(0, LIMITS.nameCharacters).replace(/\p{Surrogate}/gu, '')
  }
  // A UTF-16 unit takes at most three bytes, so the bytes of short texts need not be counted.
  if (cleaned.length * 3 <= LIMITS.textBytes) return cleaned
  const bytes = Buffer.byteLength(cleaned)
  if (bytes <= LIMITS.textBytes) return cleaned
  warn(path, `had ${bytes} bytes; the first 64 KiB are kept`)
  return sliceBytes(cleaned, LIMITS.textBytes)
}
