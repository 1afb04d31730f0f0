/** Joins the pages of an export into the lines of a file, with the trailer that says it is whole. */
import { createHash } from 'node:crypto'
import { KINDS, type Kind, type Trailer } from './records.ts'

type Page = { lines: string[]; nextCursor: string | null }

/**
 * The lines of an export, page by page, and last its trailer: how many records of each kind there are, and the SHA-256
 * of all that stands before it. A file without one was cut off.
 *
 * @param read asks for a page, from a cursor on
 * @example
 * for await (const line of exportLines((cursor) => client.exportPage({ cursor }))) file.write(`${line}\n`)
 */
export async function* exportLines(read: (cursor: string | null) => Promise<Page>): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const counts = new Map<Kind, number>()
  for await (const line of readPages(read)) {
    const kind = readKind(line)
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    hash.update(`${line}\n`)
    yield line
  }
  yield JSON.stringify({
    kind: 'end',
    records: Object.fromEntries(
      KINDS.flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind)]] : [])),
    ),
    sha256: hash.digest('hex'),
  } satisfies Trailer)
}

/** The lines of pages, one after the other; the next page is asked for while the last one is written. */
export async function* readPages(read: (cursor: string | null) => Promise<Page>): AsyncGenerator<string> {
  let page = await read(null)
  for (;;) {
    const next = page.nextCursor === null ? null : read(page.nextCursor)
    next?.catch(() => {}) // told to the caller that comes for it
    yield* page.lines
    if (next === null) return
    page = await next
  }
}

/** A record begins with its kind. */
function readKind(line: string): Kind | null {
  const [, kind] = /^\{"kind":"(\w+)"/.exec(line) ?? []
  return KINDS.find((known) => known === kind) ?? null
}
