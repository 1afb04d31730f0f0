/** Reads a line of a transcript into its records, without parsing those that no turn is built from. */
import { parseJson } from '../core/parse-json.ts'
import type { ReadingCounts } from './reading-counts.ts'
import { FIELDS, PASSED_OVER, SUBTYPES } from './record-types.ts'

/** A record as it stands in a transcript: other people's data, of 65 versions and counting, so nothing is sure. */
export type TranscriptRecord = Readonly<Record<string, unknown>>

export const asObject = (value: unknown): TranscriptRecord | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as TranscriptRecord) : null

const NUL = 0x00
const TAB = 0x09
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
/** The four bytes of `type`. */
const TYPE = 0x74797065

const isBlank = (byte: number | undefined): boolean =>
  byte === NUL || byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN

/**
 * Reads one line: hands its records on that turns are built from, and counts the others.
 *
 * @returns whether it is one whole JSON object, or empty
 */
export function readLine(
  bytes: Buffer,
  from: number,
  to: number,
  counts: ReadingCounts,
  onRecord: (record: TranscriptRecord) => void,
): boolean {
  const { start, end } = trimmed(bytes, from, to)
  if (start === end) return true
  const type = topLevelType(bytes, start, end)
  if (type !== null && !FIELDS.has(type) && isPlain(bytes.subarray(start, end))) {
    if (!PASSED_OVER.has(type)) counts.unknown.add(type)
    return true
  }
  const text = bytes.toString('utf8', start, end)
  const record = parseObject(text)
  if (record !== null) {
    hand(record, counts, onRecord)
    return true
  }
  recover(text, counts, onRecord)
  return false
}

/** Whether a line may be passed over unparsed: it ends like an object, and no second record hides in it. */
const isPlain = (line: Buffer): boolean =>
  line[line.length - 1] === CLOSE_BRACE &&
  line.indexOf('}{') < 0 &&
  line.indexOf('{"parentUuid"', 1) < 0 &&
  line.indexOf(SESSION) === line.lastIndexOf(SESSION) &&
  line.indexOf(NUL) < 0

const SESSION = '"sessionId":'

/** One whole JSON object, blanks and NULs around it aside. */
export function wholeObject(bytes: Buffer): TranscriptRecord | null {
  const { start, end } = trimmed(bytes, 0, bytes.length)
  return parseObject(bytes.toString('utf8', start, end))
}

/** A crash leaves NULs at the end of a file, and the process that writes on may begin with a byte order mark. */
function trimmed(bytes: Buffer, from: number, to: number): { start: number; end: number } {
  let start = from
  let end = to
  while (start < end && (isBlank(bytes[start]) || isByteOrderMark(bytes, start))) {
    start += isBlank(bytes[start]) ? 1 : 3
  }
  while (end > start && isBlank(bytes[end - 1])) end--
  return { start, end: Math.max(start, end) }
}

const isByteOrderMark = (bytes: Buffer, at: number): boolean =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf

/** The JSON object of a text; null where the text holds something else. */
export const parseObject = (text: string): TranscriptRecord | null => asObject(parseJson(text))

function hand(
  record: TranscriptRecord,
  counts: ReadingCounts,
  onRecord: (record: TranscriptRecord) => void,
): void {
  const { type, subtype } = record
  const fields = typeof type === 'string' ? FIELDS.get(type) : undefined
  if (fields === undefined) {
    if (typeof type !== 'string') counts.unknown.add('(no type)')
    else if (!PASSED_OVER.has(type)) counts.unknown.add(type)
    return
  }
  for (const field in record) if (!fields.has(field)) counts.unknownFields.add(`${type}.${field}`)
  if (type === 'system' && typeof subtype === 'string' && !SUBTYPES.has(subtype))
    counts.unknownSubtypes.add(subtype)
  onRecord(record)
}

/** Two writers of one file leave objects without a newline between them. */
function recover(text: string, counts: ReadingCounts, onRecord: (record: TranscriptRecord) => void): void {
  const pieces = splitObjects(text).map(parseObject)
  if (pieces.length > 1 && pieces.some((piece) => piece !== null)) counts.recoveredLines++
  if (pieces.includes(null)) counts.badLines++
  for (const piece of pieces) if (piece !== null) hand(piece, counts, onRecord)
}

/** Splits at `}{` outside strings, also where NULs or blanks stand between: no whole object holds that. */
function splitObjects(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  let inString = false
  let closed = -1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) inString = false
    } else if (code === CLOSE_BRACE) closed = i + 1
    else if (code === OPEN_BRACE) {
      if (closed >= 0) {
        pieces.push(text.slice(start, closed))
        start = i
      }
      closed = -1
    } else if (!isBlank(code)) {
      closed = -1
      inString = code === QUOTE
    }
  }
  return [...pieces, text.slice(start)]
}

/**
 * The `type` of the object in `bytes[start, end)`, where it stands before the first nested value: without parsing, so
 * that what is not needed costs next to nothing. Only the top level decides: tool inputs hold the same words.
 *
 * @returns null where it must be parsed to know
 */
function topLevelType(bytes: Buffer, start: number, end: number): string | null {
  if (bytes[start] !== OPEN_BRACE) return null
  for (let i = start + 1; i < end; i++) {
    i = pastBlanks(bytes, i, end)
    if (bytes[i] !== QUOTE) return null
    const keyStart = i + 1
    const keyEnd = closingQuote(bytes, keyStart, end)
    i = pastBlanks(bytes, keyEnd + 1, end)
    if (bytes[i] !== COLON) return null
    i = pastBlanks(bytes, i + 1, end)
    if (bytes[i] === QUOTE) {
      const valueEnd = closingQuote(bytes, i + 1, end)
      if (valueEnd >= end) return null
      if (keyEnd - keyStart === 4 && bytes.readUInt32BE(keyStart) === TYPE) {
        const type = bytes.toString('utf8', i + 1, valueEnd)
        return type.includes('\\') ? null : type
      }
      i = pastBlanks(bytes, valueEnd + 1, end)
    } else if (bytes[i] === OPEN_BRACE || bytes[i] === OPEN_BRACKET) return null
    else while (i < end && bytes[i] !== COMMA && bytes[i] !== CLOSE_BRACE) i++
    if (bytes[i] !== COMMA) return null
  }
  return null
}

/** Where the string ends that began before `i`; at or beyond `end` where it does not. */
function closingQuote(bytes: Buffer, i: number, end: number): number {
  let at = i
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

function pastBlanks(bytes: Buffer, i: number, end: number): number {
  let at = i
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
  return at
}
