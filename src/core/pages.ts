/** Pages of lists: the fields of a request, the form of the answer, the limits in items and bytes, and the cursors. */
import * as z from 'zod'
import { parseCursor, toCursor } from './cursor.ts'
import { wholeNumber } from './fields.ts'

const MAX_PAGE_BYTES = 4 * 1024 * 1024
export const pageFields = {
  limit: wholeNumber(1, 500).default(50).describe('1 to 500'),
  cursor: z.string().max(4096).nullish().describe("the last page's next_cursor"),
  maxBytes: wholeNumber(1, MAX_PAGE_BYTES)
    .default(MAX_PAGE_BYTES)
    .describe('maximum size of a page; a larger record is a page of its own'),
}

export const page = <S extends z.ZodType>(item: S) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable().describe('null on the last page') })

type Window = { limit: number; cursor?: string | null | undefined; maxBytes: number }

/** Number of records in the first read of a page if a record may have 1 MiB. No statement returns their sizes. */
export const LARGE_RECORDS = 4
const MAX_AT_ONCE = 64

/**
 * Reads a page that ends at `limit` items, or before the item that would make it larger than `maxBytes`. The first item is always
 * included, whatever its size. A read requests one item more than it returns, to detect a next page.
 *
 * @param position schema of a position in the list
 * @param read returns the items after a position, at most the given number
 * @param firstRead number of items in the first read. Further reads request as many as are expected to fit,
 * judging by the size of the items so far. Default: all at once, for small records
 */
export async function readPage<S extends z.ZodType, T>(
  { limit, cursor, maxBytes }: Window,
  position: S,
  read: (after: z.output<S> | null, limit: number) => Promise<readonly T[]>,
  toPosition: (last: T) => z.output<S>,
  firstRead = limit,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const items: T[] = []
  let bytes = 0
  let at = parseCursor(position, cursor)
  for (let wanted = Math.min(firstRead, limit); ; ) {
    const found = await read(at, wanted + 1)
    for (const item of found.slice(0, wanted)) {
      bytes += estimateBytes(item)
      if (items.length > 0 && bytes > maxBytes) return { items, nextCursor: toCursor(at) }
      items.push(item)
      at = toPosition(item)
    }
    if (found.length <= wanted) return { items, nextCursor: null }
    const room = Math.floor((maxBytes - bytes) / (bytes / items.length))
    wanted = Math.min(limit - items.length, 4 * wanted, MAX_AT_ONCE, room)
    if (wanted < 1) return { items, nextCursor: toCursor(at) }
  }
}

export const entryPosition = z.strictObject({ turn: z.int(), position: z.int() })
export type EntryPosition = z.output<typeof entryPosition>

/** Reads a page of a computed list. The cursor is the index of the next item. A limit of 0 reads all items. */
export async function readPlaces<T>(
  { limit, cursor }: Pick<Window, 'limit' | 'cursor'>,
  read: (limit: number) => Promise<readonly T[]>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const from =
    parseCursor(
      z
        .int()
        .min(0)
        .max(2 ** 31),
      cursor,
    ) ?? 0
  if (limit === 0) return { items: (await read(0)).slice(from), nextCursor: null }
  const to = from + limit
  const found = await read(to + 1)
  return { items: found.slice(from, to), nextCursor: found.length > to ? toCursor(to) : null }
}

/** Reads all items of a list, page by page. */
export async function* everyItem<T>(
  read: (cursor: string | null) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): AsyncGenerator<T> {
  let cursor: string | null = null
  do {
    const { items, nextCursor } = await read(cursor)
    yield* items
    cursor = nextCursor
  } while (cursor !== null)
}

/** Estimates the bytes of a value as JSON without serializing it: its texts and a few bytes for each value. */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + BYTES_A_VALUE
  if (value === null || typeof value !== 'object') return BYTES_A_VALUE
  let bytes = BYTES_A_VALUE
  for (const [key, item] of Object.entries(value)) bytes += key.length + estimateBytes(item)
  return bytes
}

const BYTES_A_VALUE = 6
