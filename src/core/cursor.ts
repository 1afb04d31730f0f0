/** Writes and reads cursors: opaque texts with a position in a list, or of an operation that walks the graph. */
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type * as z from 'zod'
import { invalidField } from './errors.ts'

const SUM_BYTES = 4
const MAX_POSITION_BYTES = 64 * 1024

/** Writes a position as compressed text: its keys have common parts, and the length of a URL is limited. */
export const toCursor = (position: unknown): string => seal(deflateRawSync(JSON.stringify(position)))

/** Adds a checksum. Without it, a cursor that was cut or changed may still match the schema. */
const seal = (compressed: Buffer): string =>
  Buffer.concat([
    createHash('sha256').update(compressed).digest().subarray(0, SUM_BYTES),
    compressed,
  ]).toString('base64url')

/**
 * Reads the position of a cursor. Returns null without a cursor, and for an empty one: `cursor=` in a query string requests the
 * first page.
 *
 * @throws `invalid_request` if the cursor was cut or changed, or belongs to another operation
 */
export function parseCursor<S extends z.ZodType>(
  schema: S,
  cursor: string | null | undefined,
): z.output<S> | null {
  if (!cursor) return null
  const position = readPosition(schema, cursor)
  if (position !== null) return position
  throw invalidField('cursor', 'was not returned by this operation', {
    hint: "Send the last page's next_cursor, or leave it out for the first page.",
  })
}

/** Reads a position; null if the text does not match the schema. */
export function readPosition<S extends z.ZodType>(schema: S, cursor: string): z.output<S> | null {
  const compressed = Buffer.from(cursor, 'base64url').subarray(SUM_BYTES)
  if (seal(compressed) !== cursor) return null
  try {
    const json = inflateRawSync(compressed, { maxOutputLength: MAX_POSITION_BYTES })
    const result = schema.safeParse(JSON.parse(json.toString('utf8')))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
