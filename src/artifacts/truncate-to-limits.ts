import { isExact } from '../core/fields.ts'

/** turns.md, "Limits": what a turn record may hold. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_ENTRIES = 1000
const MAX_LABEL = 256

/** Fields whose text is a name, not prose. */
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

/**
 * The same record within the limits of a capture: real reports hold texts and lists of any size, and one of
 * them must not cost the whole turn. Every cut is told to `warn` under the field's path (`issues[3].description`).
 */
export function fitToLimits<T>(record: T, warn: Warn): T {
  return fitted(record, '', 'field', warn) as T
}

type Kind = 'field' | 'label' | 'free'

function fitted(value: unknown, path: string, kind: Kind, warn: Warn): unknown {
  if (typeof value === 'string') return fitText(value, path, kind, warn)
  if (Array.isArray(value)) {
    const kept = kind === 'free' ? value : firstEntries(value, path, warn)
    return kept.map((entry, i) => fitted(entry, `${path}[${i}]`, kind, warn))
  }
  if (typeof value === 'number') return fitNumber(value, path, kind, warn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const name = fitText(key, path, kind === 'free' ? 'free' : 'label', warn)
      return [name, fitted(field, path === '' ? name : `${path}.${name}`, kindOf(key, kind), warn)]
    }),
  )
}

/** What lies below `details` is the Coach's own: its text is cleaned, its lists are not ours to cut. */
function kindOf(key: string, above: Kind): Kind {
  if (above === 'free' || key === 'details') return 'free'
  return LABELS.has(key) ? 'label' : 'field'
}

function firstEntries(list: unknown[], path: string, warn: Warn): unknown[] {
  if (list.length <= MAX_ENTRIES) return list
  warn(path, `had ${list.length} entries; the first ${MAX_ENTRIES} are kept`)
  return list.slice(0, MAX_ENTRIES)
}

/** In free JSON a whole number that was rounded is refused: as text it stays, and says that it is about right. */
function fitNumber(value: number, path: string, kind: Kind, warn: Warn): number | string {
  if (isExact(value) || !(kind === 'free' || path.startsWith('extra.'))) return value
  warn(path, 'was a whole number beyond 2^53, which JSON rounds; it is kept as text')
  return String(value)
}

function fitText(text: string, path: string, kind: Kind, warn: Warn): string {
  let fitted = text
  if (fitted.includes('\0')) {
    fitted = fitted.replaceAll('\0', '')
    warn(path, 'held NUL characters; they are dropped')
  }
  const wellFormed = fitted.replace(/\p{Surrogate}/gu, '\uFFFD')
  if (wellFormed !== fitted) {
    fitted = wellFormed
    warn(path, 'held lone surrogates; they are replaced by U+FFFD')
  }
  if (kind === 'label' && fitted.length > MAX_LABEL) {
    warn(path, `had ${fitted.length} characters; the first ${MAX_LABEL} are kept`)
    return fitted.slice(0, MAX_LABEL).replace(/\p{Surrogate}/gu, '')
  }
  // Three bytes is the most that one UTF-16 unit takes: short texts need no count of bytes.
  if (fitted.length * 3 <= MAX_TEXT_BYTES) return fitted
  const bytes = Buffer.from(fitted, 'utf8')
  if (bytes.length <= MAX_TEXT_BYTES) return fitted
  warn(path, `had ${bytes.length} bytes; the first 64 KiB are kept`)
  return bytes.toString('utf8', 0, characterBoundary(bytes, MAX_TEXT_BYTES))
}

function characterBoundary(bytes: Buffer, from: number): number {
  let end = from
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return end
}
