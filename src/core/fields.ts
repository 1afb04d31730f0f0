// Declares the kinds of fields that records share, with their limits.
import * as z from 'zod'
import { groupDigits } from './group-digits.ts'
import { findHidden } from './hidden-characters.ts'
import { canonicalInstant } from './instants.ts'

/** Bounds of the contract (turns.md, "Limits"). */
export const LIMITS = {
  textBytes: 64 * 1024,
  nameCharacters: 256,
  nameBytes: 1024,
  entries: 1000,
  turnNumber: 1_000_000,
} as const

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8')
const characters = (text: string): number => [...text].length

/** Returns the reason why an engine could not store and return the text unchanged; null if both engines can. */
function storable(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL character; remove it'
  if (!text.isWellFormed()) return 'holds half of a surrogate pair; replace it, for example by U+FFFD'
  return null
}

const checkText =
  (limit: (text: string) => string | null) =>
  (ctx: z.core.ParsePayload<string>): void => {
    const message = storable(ctx.value) ?? limit(ctx.value)
    if (message !== null) ctx.issues.push({ code: 'custom', message, input: ctx.value })
  }

/** Any free text: up to 64 KiB of UTF-8. */
export const text = z
  .string()
  .check(
    checkText((value) =>
      bytes(value) > LIMITS.textBytes ? `is longer than 64 KiB (${bytes(value)} bytes); cut it` : null,
    ),
  )

function findHiddenCharacter(value: string): string | null {
  const found = findHidden(value)
  if (found === undefined) return null
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `holds a character that is not shown (U+${code}); remove it`
}

const upTo256 = (value: string): string | null =>
  findHiddenCharacter(value) ??
  (characters(value) > LIMITS.nameCharacters
    ? `is longer than 256 characters (${characters(value)}); shorten it`
    : null)

function upToNameLimits(value: string): string | null {
  return upTo256(value) ?? (bytes(value) > LIMITS.nameBytes ? 'is longer than 1 KiB; shorten it' : null)
}

/** The name of a project, feature, task, world or worker. Names are parts of keys, so their bytes are limited too. */
export const name = z
  .string()
  .check(
    checkText((value) => (value === '' ? 'is empty; give it 1 to 256 characters' : upToNameLimits(value))),
  )
  .meta({ minLength: 1, maxLength: LIMITS.nameCharacters })

/** A name that may be empty because another field can supply it. */
export const nameOrEmpty = z
  .string()
  .check(checkText(upToNameLimits))
  .meta({ maxLength: LIMITS.nameCharacters })

/** A criterion's id as the caller wrote it, or the name of a gate or a category. */
export const label = z.string().check(checkText(upTo256))

/** The path of a file, as the caller wrote it. */
export const filePath = text.check(checkText(findHiddenCharacter))

export const list = <S extends z.ZodType>(entry: S) =>
  z.array(entry).max(LIMITS.entries, `has more than ${LIMITS.entries} entries; send fewer`)

export const map = <S extends z.ZodType>(key: typeof label, value: S) =>
  z
    .record(key, value)
    .refine(
      (entries) => Object.keys(entries).length <= LIMITS.entries,
      `has more than ${LIMITS.entries} entries; send fewer`,
    )

/** A number in a JSON body or an option. The error message names both bounds. */
export function integerBetween(min: number, max: number) {
  const error = `must be a whole number from ${groupDigits(min)} to ${groupDigits(max)}`
  return z.number(error).int(error).min(min, error).max(max, error)
}

/** A whole number that may come as the digits of a query string. */
export const wholeNumber = (min: number, max: number) =>
  z
    .preprocess(
      (given) => (typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : given),
      integerBetween(min, max),
    )
    .meta({ type: 'integer', minimum: min, maximum: max })

/** Checks whether all whole numbers are below 2^53. A larger number has already lost digits when it was parsed. */
export const isExact = (value: unknown): boolean => {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  return value === null || typeof value !== 'object' || Object.values(value).every(isExact)
}

/** Free JSON in a record, stored unchanged. */
export const exactJson = z.json().refine(isExact, {
  error: 'has a whole number beyond 2^53, which JSON rounds; give it as text',
})

/** The header `Idempotency-Key`: 1 to 256 visible characters, as a header can carry them unchanged. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,256}$/

export const project = name.nullish().describe("default: the connection's project")

/** Returns true if an input has the field `project`. The list of projects, for example, does not. */
export const takesProject = (input: z.ZodType): boolean =>
  input instanceof z.ZodObject && 'project' in input.shape

/** ISO 8601 instant, converted to the canonical form. */
export const instant = z
  .string()
  .transform((given, ctx) => {
    const canonical = canonicalInstant(given)
    if (canonical !== null) return canonical
    ctx.addIssue({
      code: 'custom',
      message: 'is no ISO 8601 instant; write it like 2026-01-31T12:00:00Z (without a zone it is UTC)',
    })
    return z.NEVER
  })
  .meta({ format: 'date-time' })

export const aFunction = <F>() => z.custom<F>((given) => typeof given === 'function', 'must be a function')
