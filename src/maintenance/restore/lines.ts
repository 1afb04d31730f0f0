/** Reads the lines of an export as checked records, and checks at the end that the file is complete. */
import { createHash } from 'node:crypto'
import { TurngraphError } from '../../core/errors.ts'
import { LineSplitter } from '../../core/lines.ts'
import { type ExportRecord, header, type Kind, READABLE, trailer } from '../export/records.ts'
import { parseRecord } from './restore.ts'

export type Line = { number: number; bytes: number; record: ExportRecord; task: string | null }

/** Maximum length of a line, far above the lines of an export. */
const MAX_LINE_BYTES = 48 * 1024 * 1024

/**
 * Yields the records of an export while it streams, each checked against its schema. Checks at the end that the file is
 * complete, by the counts of the trailer and the SHA-256 of all preceding lines.
 *
 * @throws `invalid_request` with the line and the remedy
 */
export async function* recordsIn(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Line> {
  const hash = createHash('sha256')
  const counts: Partial<Record<Kind, number>> = {}
  let number = 0
  let ended = false
  let task: string | null = null
  for await (const bytes of linesIn(chunks, name)) {
    number++
    const at = `${name}, line ${number}`
    if (ended)
      throw broken(at, 'comes after the trailer', 'One file holds one export: restore each by itself.')
    const text = decodeText(bytes, at)
    const given = parseJson(text, at)
    if (number === 1) checkHeader(given, at)
    else if (isTrailer(given)) {
      checkTrailer(given, at, counts, hash.digest('hex'))
      ended = true
      continue
    } else {
      const record = checkRecord(given, at)
      counts[record.kind] = (counts[record.kind] ?? 0) + 1
      task = findTask(record, task)
      yield { number, bytes: bytes.length, record, task }
    }
    hash.update(bytes).update('\n')
  }
  if (ended) return
  if (number === 0) throw broken(name, 'is empty', 'Name a file that `turngraph export` has written.')
  throw broken(
    `${name}, line ${number}`,
    'is the last one, and no trailer: the file is cut off',
    'Export again. What came before was checked, and may be restored a second time.',
  )
}

/** Returns the task of a record. The lines of a task are contiguous, and records in a world name only the world. */
function findTask(record: ExportRecord, before: string | null): string | null {
  if (record.kind === 'task') return record.key
  if (record.kind === 'world') return record.taskKey
  if ('task' in record) return record.task
  return 'world' in record || record.kind === 'superseded_turn' ? before : null
}

async function* linesIn(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let lines: Buffer[] = []
  const splitter = new LineSplitter(
    0,
    (bytes, start, end) => lines.push(bytes.subarray(start, end)),
    MAX_LINE_BYTES,
  )
  for await (const chunk of chunks) {
    splitter.push(chunk)
    yield* lines
    lines = []
    if (splitter.hasOverlong) throw broken(name, 'has a line longer than 48 MiB', NO_EXPORT)
  }
  splitter.end((rest) => rest.length)
  yield* lines
}

const NO_EXPORT = 'Name a file that `turngraph export` has written, as it was written.'

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeText(bytes: Buffer, at: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw broken(at, 'is not UTF-8', NO_EXPORT)
  }
}

function parseJson(text: string, at: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw broken(at, 'is no JSON', `A file that is cut off ends in such a line. ${NO_EXPORT}`)
  }
}

function checkHeader(given: unknown, at: string): void {
  const result = header.safeParse(given)
  if (!result.success) throw broken(at, 'is no header of an export', NO_EXPORT)
  if (READABLE.includes(result.data.version)) return
  throw broken(
    at,
    `says version ${result.data.version}; this program reads versions ${READABLE.slice(0, -1).join(', ')} and ${READABLE.at(-1)}`,
    'Restore it with the version of Turngraph that wrote it, or a later one.',
  )
}

const isTrailer = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'kind' in given && given.kind === 'end'

function checkTrailer(
  given: unknown,
  at: string,
  counts: Partial<Record<Kind, number>>,
  sha256: string,
): void {
  const result = trailer.safeParse(given)
  if (!result.success) throw broken(at, 'is no trailer of an export', NO_EXPORT)
  const said = result.data.records
  for (const kind of new Set([...Object.keys(said), ...Object.keys(counts)]) as Set<Kind>) {
    const [declared = 0, there = 0] = [said[kind], counts[kind]]
    if (declared !== there)
      throw broken(at, `says ${declared} lines of kind ${kind}, the file has ${there}`, CHANGED)
  }
  if (result.data.sha256 !== sha256) throw broken(at, 'has another SHA-256 than the lines before it', CHANGED)
}

const CHANGED = 'The file was changed after it was written: export again.'

function checkRecord(given: unknown, at: string): ExportRecord {
  try {
    return parseRecord(given, 0)
  } catch (error) {
    if (!(error instanceof TurngraphError)) throw error
    throw broken(`${at}:`, error.message.replace(/^records\[0\]: /, ''), error.hint ?? '')
  }
}

const broken = (at: string, what: string, remedy: string): TurngraphError =>
  new TurngraphError('invalid_request', `${at} ${what}.`, { hint: remedy })
