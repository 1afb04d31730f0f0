/** Reads and writes the cursors of operations that walk a graph: a position as opaque text. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type * as z from 'zod'
import { foreignCursor, openCursor, sealCursor } from '../core/pages.ts'

const MAX_CURSOR_BYTES = 64 * 1024

/** Writes a position as compressed text: its keys have common parts, and a URL has little room. */
export const toCursor = (position: object): string => sealCursor(deflateRawSync(JSON.stringify(position)))

/**
 * Reads the position of a cursor; null without a cursor.
 *
 * @throws `invalid_request` if the cursor belongs to another operation
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

/** Reads a position; null if the text does not match the schema. */
export function readPosition<S extends z.ZodType>(schema: S, cursor: string): z.output<S> | null {
  const compressed = openCursor(cursor)
  if (compressed === null) return null
  try {
    const json = inflateRawSync(compressed, { maxOutputLength: MAX_CURSOR_BYTES })
    const result = schema.safeParse(JSON.parse(json.toString('utf8')))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
