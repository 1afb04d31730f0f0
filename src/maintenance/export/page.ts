/** Reads pages from a stream of lines. Each page starts at the end of the previous one, so the service keeps no state. */
import type * as z from 'zod'
import { parseCursor, toCursor } from '../../core/cursor.ts'

/** A line with the position after it; the line is null if the stream only advanced. */
export type ExportedLine<P> = { line: string | null; at: P }

/** Size at which a page ends. */
const BYTES_A_PAGE = 2 * 1024 * 1024
/** Maximum number of steps of a page, which may therefore have no line: no request walks a whole graph. */
const STEPS_A_PAGE = 300

/** Reads a page. `head`: lines before those of the stream. @throws `invalid_request` if the cursor is of another operation */
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
