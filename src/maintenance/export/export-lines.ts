/** Joins the pages of an export into the lines of a file, with a trailer that proves that the file is complete. */
import { createHash } from 'node:crypto'
import { KINDS, type Kind, type Trailer } from './records.ts'

type Page = { lines: string[]; nextCursor: string | null }

/**
 * Yields the lines of an export, page by page, followed by its trailer: the number of records of each kind, and the SHA-256
 * of all preceding lines. A file without a trailer is incomplete.
 *
 * @param read reads the page after a cursor
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

/** Yields the lines of all pages. Requests the next page while the caller writes the current page. */
export async function* readPages(read: (cursor: string | null) => Promise<Page>): AsyncGenerator<string> {
  let page = await read(null)
  for (;;) {
    const next = page.nextCursor === null ? null : read(page.nextCursor)
    next?.catch(() => {}) // the caller gets the error when it awaits the page
    yield* page.lines
    if (next === null) return
    page = await next
  }
}

/** Reads the kind of a record, which is its first field. */
function readKind(line: string): Kind | null {
  const [, kind] = /^\{"kind":"(\w+)"/.exec(line) ?? []
  return KINDS.find((known) => known === kind) ?? null
}
