/**
 * Declares an observation: the result of a command or a test report, by which a verification is known (contract: evidence.md,
 * "Observations"), and its stored form.
 */
import * as z from 'zod'
import { instant, label, text } from '../../core/fields.ts'
import { parseJson } from '../../core/parse-json.ts'
import { REPORT_FORMATS, TEST_STATUSES } from '../../rules/map-tests.ts'

const MAX_ARGUMENTS = 100
const MAX_ARGUMENT_BYTES = 4 * 1024
const MAX_TESTS = 2_000
/** Maximum size of a stored tail, in bytes of UTF-8. */
export const MAX_OUTPUT_TAIL_BYTES = 2 * 1024
const shortText = text.refine((value) => Buffer.byteLength(value, 'utf8') <= MAX_ARGUMENT_BYTES, {
  error: 'is longer than 4 KiB; cut it',
})
const milliseconds = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
export const gitId = z.string().regex(/^[0-9a-f]{7,64}$/, 'is no id of git: 7 to 64 hexadecimal digits')
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'is no digest; write it like sha256: and 64 digits')

/** SHA-256 of changes that are not committed. */
export const changesDigest = z
  .string()
  .regex(/^(sha256:)?[0-9a-f]{64}$/, 'is no SHA-256: 64 hexadecimal digits')

export const observationInput = z.strictObject({
  command: z
    .array(shortText)
    .min(1, 'is empty; name the program')
    .max(MAX_ARGUMENTS, `has more than ${MAX_ARGUMENTS} parts; send fewer`)
    .nullish()
    .describe('the program and its arguments'),
  cwd: shortText.nullish().describe('folder of the command, relative to the root of the repository'),
  exitCode: z
    .number()
    .int()
    .min(-(2 ** 31))
    .max(2 ** 32)
    .nullish(),
  signal: label.nullish().describe('signal that ended the command, such as SIGTERM'),
  startedAt: instant.describe('start of the command, or of the tests of a report'),
  durationMs: milliseconds.nullish(),
  outputDigest: digest.nullish().describe('digest of the whole output'),
  outputTail: text.nullish().describe('end of the output: the last 2 KiB are stored'),
  tree: gitId.nullish().describe('git tree of HEAD'),
  dirty: changesDigest.nullish().describe('SHA-256 of the changes that are not committed; null: none'),
  commit: gitId.nullish(),
  tests: z
    .array(
      z.strictObject({ name: shortText, status: z.enum(TEST_STATUSES), durationMs: milliseconds.nullish() }),
    )
    .max(MAX_TESTS, `has more than ${MAX_TESTS} entries; send fewer`)
    .nullish(),
  runner: label.nullish().describe('program that observed it, with its version'),
  host: label.nullish().describe('machine that it ran on'),
  report: z
    .strictObject({ format: z.enum(REPORT_FORMATS), digest })
    .nullish()
    .describe('test report, instead of command and exit_code'),
})

export type ObservationInput = z.output<typeof observationInput>

const optional = z.string().nullable()

/** An observation as stored and returned: every field, with defaults. */
export const observation = z.object({
  command: z.array(z.string()).nullable(),
  cwd: optional,
  exitCode: z.number().nullable(),
  signal: optional,
  startedAt: z.string(),
  durationMs: z.number().nullable(),
  outputDigest: optional,
  outputTail: optional,
  tree: optional,
  dirty: optional,
  commit: optional,
  tests: z.array(
    z.object({ name: z.string(), status: z.enum(TEST_STATUSES), durationMs: z.number().nullable() }),
  ),
  runner: optional,
  host: optional,
  report: z.object({ format: z.enum(REPORT_FORMATS), digest: z.string() }).nullable(),
})

export type Observation = z.output<typeof observation>

export const observationText = z
  .string()
  .transform((stored) => parseJson(stored))
  .pipe(observation)

const FIELDS = observation.keyof().options

/** Fills the defaults of an observation, and keeps the end of a long output. Secrets must be masked before. */
export const normalizeObservation = (given: ObservationInput): Observation =>
  observation.parse({
    ...Object.fromEntries(FIELDS.map((field) => [field, given[field] ?? null])),
    outputTail: given.outputTail == null ? null : keepEnd(given.outputTail, MAX_OUTPUT_TAIL_BYTES),
    tests: (given.tests ?? []).map(({ durationMs = null, ...test }) => ({ ...test, durationMs })),
  })

/** Returns the end of a text, without a part of a character at its start. */
export function keepEnd(given: string, maxBytes: number): string {
  const bytes = Buffer.from(given, 'utf8')
  if (bytes.length <= maxBytes) return given
  let start = bytes.length - maxBytes
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start).toString('utf8')
}
