/** Reads pages from a stream of lines: each goes on where the one before ended, so nothing is kept in between. */
import type * as z from 'zod'
import { parseCursor, toCursor } from '../cursor.ts'

/** A line with the position after it; null where the stream only came further. */
export type ExportedLine<P> = { line: string | null; at: P }

/** A page ends with the line that makes it larger. */
const BYTES_A_PAGE = 2 * 1024 * 1024
/** A page may end without a line: no request walks a whole graph. */
const STEPS_A_PAGE = 300

/**
 * A page of the lines that come after a cursor.
 *
 * @param head what stands before the first line of all
 * @throws `invalid_request` where the cursor is another's
 */
export async function readPage<S extends z.ZodType<object>>(
  { cursor, limit }: { cursor?: string | null | undefined; limit: number },
  schema: S,
  stream: (from: z.output<S> | null) => AsyncIterable<ExportedLine<z.output<S>>>,
  head: readonly string[] = [],
): Promise<{ lines: string[]; nextCursor: string | null }> {
  const from = parseCursor(schema, cursor)
  const lines = from === null ? [...head] : []
  let bytes = 0
  let steps = 0
  for await (const { line, at } of stream(from)) {
    if (line === null) steps++
    else {
      lines.push(line)
      bytes += Buffer.byteLength(line)
    }
    if (lines.length >= limit || bytes >= BYTES_A_PAGE || steps >= STEPS_A_PAGE)
      return { lines, nextCursor: toCursor(at) }
  }
  return { lines, nextCursor: null }
}
