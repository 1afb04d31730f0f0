/** Reads one artifact: parses it, lists the fields that do not fit, and masks its secrets. */
import { portableMarker } from '../core/scrub/marks.ts'
import { scrub } from '../core/scrub/scrub.ts'
import { fitArtifact, type ParsedArtifact, parseArtifact, type SHAPES } from './artifacts.ts'
import type { TurnWarning } from './turn-record.ts'

export type Shape = (typeof SHAPES)[keyof typeof SHAPES]
export type Parsed<S extends Shape> = S['schema']['_zod']['output']

export type ReadArtifact<T> =
  | {
      ok: true
      value: T
      warnings: TurnWarning[]
      unmapped: { shape: string; key: string }[]
      redactions: number
    }
  | { ok: false; reason: string }

const MAX_MISFITS_NAMED = 50
const MAX_UNMAPPED_COUNTED = 1_000

/** @param given the text or the parsed value of the artifact @param name the first part of the field of each warning */
export async function readArtifact<S extends Shape>(
  shape: S,
  given: unknown,
  name: string,
): Promise<ReadArtifact<Parsed<S>>> {
  const parsed = parseGuarded(shape, given)
  if (!parsed.ok) return parsed
  const { misfits, unmapped } = parsed
  const warnings = misfits
    .slice(0, MAX_MISFITS_NAMED)
    .map(({ path, message }) => ({ field: path === '' ? name : `${name}.${path}`, message }))
  if (misfits.length > MAX_MISFITS_NAMED) {
    const message = `${misfits.length - MAX_MISFITS_NAMED} more fields of the file do not fit`
    warnings.push({ field: name, message })
  }
  for (const { shape, key } of unmapped.filter(({ key }) => key in Object.prototype))
    warnings.push({ field: `${shape}.${key}`, message: 'is not a field of such a file; it is not used' })
  if (unmapped.length > MAX_UNMAPPED_COUNTED) {
    const message = `has ${unmapped.length} keys that have no place in a turn; the first ${MAX_UNMAPPED_COUNTED} are counted`
    warnings.push({ field: name, message })
  }
  // Secrets are masked before the values are compared, truncated or quoted in a warning.
  const { scrubbed, redactions } = await scrub(parsed.value, () => portableMarker)
  return {
    ok: true,
    value: scrubbed,
    warnings,
    unmapped: unmapped.slice(0, MAX_UNMAPPED_COUNTED),
    redactions,
  }
}

/** Parses an artifact. If the parser itself fails, only this artifact is skipped, and the turn keeps its other ones. */
function parseGuarded<S extends Shape>(shape: S, given: unknown): ParsedArtifact<Parsed<S>> {
  try {
    return typeof given === 'string' ? parseArtifact(shape, given) : fitArtifact(shape, given)
  } catch (error) {
    return { ok: false, reason: `cannot be read: ${String(error).slice(0, 200)}` }
  }
}
