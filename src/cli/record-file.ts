/** Reads the file of a record, or of verifications: JSON, or JSON lines with one record each. */
import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'
import { systemCode } from '../core/system-code.ts'
import { MAX_REQUEST_BYTES, readAtMost } from './bounded-input.ts'

const MAX_FILE_BYTES = 256 * 1024 * 1024
const MAX_REPORT_BYTES = 4 * 1024 * 1024

export type RecordLine = { number: number; bytes: Buffer }

/** A single record, or lines with one record each. Blank lines count for line numbers, but are no records. */
type RecordFile = { record: unknown } | { lines: RecordLine[] }

type Expected = { example: string; form: string; mostBytes: number }
const TURN_RECORD: Expected = {
  example: 'turngraph capture turn.json',
  form: 'one turn record as a JSON object in UTF-8, or one a line',
  mostBytes: MAX_REQUEST_BYTES,
}
/** The file of verifications that `turngraph verify` could not record. They are sent in parts. */
export const KEPT_VERIFICATIONS: Expected = {
  example: 'turngraph verify --send FILE',
  form: 'a file that `turngraph verify` kept',
  mostBytes: MAX_FILE_BYTES,
}

export async function readRecordFile(file: string, expected = TURN_RECORD): Promise<RecordFile> {
  if (file === '-' && process.stdin.isTTY) {
    throw new TurngraphError('invalid_request', 'There is no record: name a file, or pipe one in.', {
      hint: expected.example,
    })
  }
  const bytes = await readAtMost(file, MAX_FILE_BYTES).catch((cause: unknown) => cannotRead(file, cause))
  const shown = file === '-' ? 'Standard input' : file
  const lines = splitLines(bytes)
  if (isJsonLines(file, bytes, lines)) return { lines }
  return { record: parseRecord(bytes, shown, expected) }
}

/** The text of a report, which the service reads: an agent may write prose around its JSON. */
export async function readReport(file: string, mostBytes = MAX_REPORT_BYTES): Promise<string> {
  const bytes = await readAtMost(file, mostBytes).catch((cause: unknown) => cannotRead(file, cause))
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new TurngraphError('invalid_request', `${file} is not UTF-8.`, { hint: 'Name a report in UTF-8.' })
}

/** The JSON of one record. @throws `too_large`, or `invalid_request` that names the place where it is no JSON */
export function parseRecord(bytes: Buffer, shown: string, { form, mostBytes } = TURN_RECORD): unknown {
  if (bytes.length > mostBytes) {
    const most = mostBytes / 1024 / 1024
    throw new TurngraphError(
      'too_large',
      `${shown} has ${bytes.length} bytes, over the limit of ${most} MiB.`,
    )
  }
  try {
    return parseJson(bytes)
  } catch (cause) {
    // Does not use the message of the parser, because it quotes the text, which may contain a secret.
    const place =
      cause instanceof Error
        ? (/at position \d+(?: \(line \d+ column \d+\))?/.exec(cause.message)?.[0] ?? '')
        : ''
    throw new TurngraphError('invalid_request', `${shown} is no JSON ${place}`.trimEnd().concat('.'), {
      hint: `Give ${form}.`,
    })
  }
}

const parseJson = (bytes: Buffer): unknown =>
  parseOrderedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))

function splitLines(bytes: Buffer): RecordLine[] {
  const lines: RecordLine[] = []
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const found = bytes.indexOf('\n', start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    if (line.some((byte) => !BLANK.includes(byte))) lines.push({ number, bytes: line })
    start = end + 1
  }
  return lines
}

const BLANK = Buffer.from(' \t\r')

/**
 * Decides if a file has JSON lines. It does if its name says so, or if it is not a single JSON value and one of its lines, or the
 * beginning of its first two, is an object. A record may span several lines, and one of many lines may be damaged.
 */
function isJsonLines(file: string, bytes: Buffer, lines: readonly RecordLine[]): boolean {
  if (['.jsonl', '.ndjson'].includes(path.extname(file))) return true
  if (lines.length < 2 || isOneValue(bytes)) return false
  const isObject = ({ bytes: line }: RecordLine): boolean => line.toString('utf8').trimStart().startsWith('{')
  return lines.some((line) => isObject(line) && isOneValue(line.bytes)) || lines.slice(0, 2).every(isObject)
}

function isOneValue(bytes: Buffer): boolean {
  try {
    parseJson(bytes)
    return true
  } catch {
    return false // the error is reported later, when the form of the file is known
  }
}

/** @throws `not_found` for a file that cannot be read, or the given error if it already has a clear message */
export function cannotRead(file: string, cause: unknown): never {
  if (cause instanceof TurngraphError) throw cause
  throw new TurngraphError('not_found', `${file} ${whyUnreadable(cause)}.`, { cause })
}

export function whyUnreadable(cause: unknown): string {
  const code = systemCode(cause) ?? 'unknown'
  return UNREADABLE[code] ?? `cannot be read: ${code}`
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'is not there',
  EISDIR: 'is a folder; name a file',
  EACCES: 'may not be read by this user',
}
