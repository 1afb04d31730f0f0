/** Joins the pages of an export into the lines of a file, with a trailer that proves that the file is complete. */
import { createHash } from 'node:crypto'
import { keepSessions } from './keep-sessions.ts'
import { type ExportRecord, KINDS, type Kind, type Trailer } from './records.ts'

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
  const keepComplete = filterTranscripts()
  for await (const given of readPages(read)) {
    const kind = readKind(given)
    const line = keepComplete(kind, given)
    if (line === null) continue
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

/**
 * Returns a filter that removes what an import added after the export had passed its place: references to sessions without a
 * line, turns and files of only such sessions, desires without a turn, and repeated turns. A restore would reject them. The
 * service exports the files of these sessions so that the next import reads them again.
 */
function filterTranscripts(): (kind: Kind | null, line: string) => string | null {
  const sessions = new Set<string>()
  const turns = new Set<string>()
  const patterns = new Set<string>()
  return (kind, line) => {
    if (kind === null || !FILTERED.includes(kind)) return line
    const record = JSON.parse(line) as ExportRecord
    if (record.kind === 'transcript_session') sessions.add(record.session.key)
    if (record.kind === 'desire') return patterns.has(toPattern(record.desire)) ? line : null
    if (record.kind === 'transcript_file') {
      const holds = record.holds.filter((session) => sessions.has(session))
      // A file may have no session from the start.
      return holds.length === 0 && record.holds.length > 0 ? null : asLine({ ...record, holds })
    }
    if (record.kind !== 'transcript_turn') return line
    const { turn } = record
    const kept = keepSessions(record, sessions)
    if (kept.heldBy.length === 0 || turns.has(turn.key)) return null
    turns.add(turn.key)
    patterns.add(toPattern(turn))
    return asLine(kept)
  }
}

const FILTERED: readonly Kind[] = ['transcript_session', 'transcript_turn', 'transcript_file', 'desire']

const toPattern = ({ project, pattern }: { project: string; pattern?: string | undefined }): string =>
  JSON.stringify([project, pattern])

const asLine = (record: ExportRecord): string => JSON.stringify(record)
