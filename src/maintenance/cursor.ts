/** Cursors of what walks a graph: a position as text, opaque to callers. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type * as z from 'zod'
import { foreignCursor, openCursor, sealCursor } from '../core/pages.ts'

const MOST_BYTES = 64 * 1024

/** A position as text. Its keys repeat one another, and an address has little room: it is compressed. */
export const toCursor = (position: object): string => sealCursor(deflateRawSync(JSON.stringify(position)))

/**
 * The position of a cursor; null where there is no cursor yet.
 *
 * @throws `invalid_request` where the cursor is another's
 */
export function parseCursor<S extends z.ZodType>(
  schema: S,
  cursor: string | null | undefined,
): z.output<S> | null {
  if (!cursor) return null
  const position = readPosition(schema, cursor)
  if (position === null) throw foreignCursor()
  return position
}

/** Null where the text is not a position of that schema. */
export function readPosition<S extends z.ZodType>(schema: S, cursor: string): z.output<S> | null {
  const compressed = openCursor(cursor)
  if (compressed === null) return null
  try {
    const json = inflateRawSync(compressed, { maxOutputLength: MOST_BYTES })
    const result = schema.safeParse(JSON.parse(json.toString('utf8')))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
