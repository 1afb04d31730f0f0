import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as z from 'zod'
import { invalidField } from '../../core/errors.ts'

/** Where an examination goes on. */

const worldState = z.object({
  key: z.string(),
  /** Of the world when it was begun: where it has moved by the end, what was found may be half of a write. */
  rev: z.string(),
  tries: z.number(),
  /** The next turn number, and the next number of an attempt. */
  turn: z.number(),
  attempt: z.number(),
  run: z.string(),
  turnsFound: z.number(),
  attemptsFound: z.number(),
  runsFound: z.number(),
  /** How many are active by the key that only active ones have. */
  activeRuns: z.number(),
  activeAttempts: z.number(),
  /** The turn before, and where its NEXT leads. */
  last: z
    .object({ key: z.string(), number: z.number(), next: z.array(z.string()), digest: z.string() })
    .nullable(),
  promisedTurn: z.number().nullable(),
  promisedDigest: z.string().nullable(),
  outcomes: z.array(z.string()),
  /** Where each criterion stands after the turns so far, as edges keep it. */
  progress: z.array(z.tuple([z.string(), z.string()])),
  findings: z.array(z.unknown()),
  /** What checks found something, also past what is told. */
  checks: z.array(z.string()),
})
export type WorldState = z.output<typeof worldState>

const position = z.object({
  stage: z.string(),
  project: z.string().nullable(),
  /** The last key that is done, on each level. */
  feature: z.string().default(''),
  task: z.string().default(''),
  world: z.string().default(''),
  after: z.string().default(''),
  turn: z.string().default(''),
  open: worldState.nullable().default(null),
})
export type Position = z.output<typeof position>

export const at = (stage: string, project: string | null): Position => position.parse({ stage, project })

export const toCursor = (place: Position): string =>
  deflateRawSync(JSON.stringify(place)).toString('base64url')

const MOST_BYTES = 64 * 1024 * 1024

export function fromCursor(cursor: string): Position {
  try {
    const text = inflateRawSync(Buffer.from(cursor, 'base64url'), { maxOutputLength: MOST_BYTES })
    return position.parse(JSON.parse(text.toString('utf8')))
  } catch (cause) {
    throw invalidField('cursor', 'is none of ours', {
      hint: "Send the last answer's next_cursor, or leave it out to begin.",
      cause,
    })
  }
}
