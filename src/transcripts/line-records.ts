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
const CLOSE_BRACKET = 0x5d
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
  recover(bytes.subarray(start, end), counts, onRecord)
  return false
}

/** Whether a line may be passed over unparsed: it ends like an object, and no second record hides in it. */
const isPlain = (line: Buffer): boolean =>
  line[line.length - 1] === CLOSE_BRACE &&
  line.indexOf('}{') < 0 &&
  line.indexOf('{"parentUuid"', 1) < 0 &&
  line.indexOf(SESSION) === line.lastIndexOf(SESSION) &&
  line.indexOf(NUL) < 0 &&
  !hidesStart(line)

const SESSION = '"sessionId":'

/**
 * Whether a record may begin inside of a line. An object behind a colon, a comma or a bracket is a value of the line's
 * own record, unless that record names no session: then nothing else shows that it is torn.
 */
function hidesStart(line: Buffer): boolean {
  const namesSession = line.indexOf(SESSION) >= 0 && line.indexOf(SESSION) < line.indexOf('{', 1)
  for (const start of ['{"type"', '{"uuid"']) {
    for (let at = line.indexOf(start, 1); at >= 0; at = line.indexOf(start, at + 1))
      if (!namesSession || !isBeforeValue(line[at - 1])) return true
  }
  return false
}

const isBeforeValue = (byte: number | undefined): boolean =>
  byte === COLON || byte === COMMA || byte === OPEN_BRACKET || isBlank(byte)

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

/** Recovers the records of a line of two writers, or of one that was cut off before the other wrote. */
function recover(line: Buffer, counts: ReadingCounts, onRecord: (record: TranscriptRecord) => void): void {
  const scan = { bytesLeft: line.length * MAX_SCANS }
  const records: TranscriptRecord[] = []
  let isTorn = false
  let isInOrder = true
  for (let at = 0; at < line.length; ) {
    const found = objectAt(line, at, scan)
    const next = found === null ? at : pastPadding(line, found.end)
    if (found !== null && (isInOrder || (isRecord(found.object) && isStartOrEnd(line, next)))) {
      records.push(found.object)
      isInOrder = true
      at = next
    } else {
      isTorn = true
      isInOrder = false
      at = nextStart(line, at + 1)
    }
  }
  if (records.length > 0) counts.recoveredLines++
  if (isTorn) counts.badLines++
  for (const record of records) hand(record, counts, onRecord)
}

/** How often the bytes of a line are looked at, so that time grows with its length only. */
const MAX_SCANS = 16

/** Whether an object behind a torn one is a record, and not a value of the torn one. */
const isRecord = ({ type, uuid, sessionId }: TranscriptRecord): boolean =>
  typeof type === 'string' && (typeof uuid === 'string' || typeof sessionId === 'string')

const isStartOrEnd = (line: Buffer, at: number): boolean => at === line.length || line[at] === OPEN_BRACE

const STARTS = ['{"parentUuid"', '{"type"', '{"uuid"'].map((start) => Buffer.from(start))

/** The next place where a record may begin; the end of the line if there is none. */
function nextStart(line: Buffer, from: number): number {
  for (let at = line.indexOf(OPEN_BRACE, from); at >= 0; at = line.indexOf(OPEN_BRACE, at + 1)) {
    if (STARTS.some((start) => line.subarray(at, at + start.length).equals(start))) return at
    let before = at - 1
    while (before >= from && isBlank(line[before])) before--
    if (line[before] === CLOSE_BRACE) return at
  }
  return line.length
}

/** The length of the whole JSON objects that some bytes begin with. */
export function wholeObjectsLength(bytes: Buffer): number {
  const scan = { bytesLeft: bytes.length }
  const { start, end } = trimmed(bytes, 0, bytes.length)
  if (parseObject(bytes.toString('utf8', start, end)) !== null) return bytes.length
  let length = 0
  for (let at = start; at < end; at = pastPadding(bytes, length)) {
    const found = objectAt(bytes, at, scan)
    if (found === null) break
    length = found.end
  }
  return length
}

const pastPadding = (bytes: Buffer, from: number): number => trimmed(bytes, from, bytes.length).start

/** The JSON object that begins at a byte, and where it ends; null if none does, or if the scan has no bytes left. */
function objectAt(
  bytes: Buffer,
  from: number,
  scan: { bytesLeft: number },
): { object: TranscriptRecord; end: number } | null {
  const { at, isClosed } = scanObject(bytes, from, Math.min(bytes.length, from + scan.bytesLeft))
  scan.bytesLeft -= at - from
  const object = isClosed ? parseObject(bytes.toString('utf8', from, at)) : null
  return object === null ? null : { object, end: at }
}

/** Looks for the brace that closes the object at a byte, and stops early if a string is torn. */
function scanObject(bytes: Buffer, from: number, to: number): { at: number; isClosed: boolean } {
  let depth = 0
  let at = from
  if (bytes[at] !== OPEN_BRACE) return { at: at + 1, isClosed: false }
  for (; at < to; at++) {
    const byte = bytes[at]
    if (byte === OPEN_BRACE) depth++
    else if (byte === CLOSE_BRACE && --depth === 0) return { at: at + 1, isClosed: true }
    else if (byte === QUOTE) {
      at = closingQuote(bytes, at + 1, to)
      if (!isAfterString(bytes[pastBlanks(bytes, at + 1, to)])) break
    }
  }
  return { at: Math.min(at, to), isClosed: false }
}

const isAfterString = (byte: number | undefined): boolean =>
  byte === COLON || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET

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
