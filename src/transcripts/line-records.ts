/** Reads the records of a transcript's line. Does not parse records that no turn needs. */
import { isAscii } from 'node:buffer'
import { parseJson } from '../core/parse-json.ts'
import type { ReadingCounts } from './reading-counts.ts'
import { FIELDS, PASSED_OVER, SUBTYPES } from './record-types.ts'

/** A record of a transcript. Other programs write it, in 65 versions so far, so any field may be missing or different. */
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
const TYPE = 0x74797065

const isBlank = (byte: number | undefined): boolean =>
  byte === NUL || byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN

/**
 * Reads one line: passes on the records that turns need, and counts the others.
 * @returns whether the line is one whole JSON object, or empty
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
  const record = (type === 'user' ? parseResult(bytes, start, end) : null) ?? parseRecord(bytes, start, end)
  if (record === null)
    return readObjects(bytes, start, end, counts, (object) => hand(object, counts, onRecord))
  hand(record, counts, onRecord)
  return true
}

/**
 * Parses a record; null if the line is not one whole JSON object. Decodes it as Latin-1, which takes a tenth of the time if there
 * are characters outside ASCII. If they are in a part that turns need, the line is decoded as UTF-8.
 */
function parseRecord(bytes: Buffer, start: number, end: number): TranscriptRecord | null {
  const record = parseObject(bytes.toString('latin1', start, end))
  if (record === null || isAscii(bytes.subarray(start, end)) || needsOnlyAscii(record)) return record
  return parseObject(bytes.toString('utf8', start, end))
}

/**
 * Parses the result of a call without the content of its `toolUseResult`, which repeats the result in the form of the tool. This
 * content is 40 % of the bytes that turns need. A record that is cut off after a brace within it may count as complete.
 */
function parseResult(bytes: Buffer, start: number, end: number): TranscriptRecord | null {
  const at = bytes.subarray(start, end).indexOf(TOOL_USE_RESULT)
  if (at < 0) return null
  const from = start + at + TOOL_USE_RESULT.length
  const to = bytes.lastIndexOf(CLOSE_BRACE, end - 2)
  // Only short fields may follow the object. A `sessionId` within it may belong to the next record, if this one is cut off.
  if (to < from || end - to > MAX_LAST_FIELDS || bytes.subarray(from, to).includes(NAME_OF_ID)) return null
  const after = bytes.toString('latin1', to + 1, end)
  if (!LAST_FIELDS.test(after)) return null
  const record = parseObject(`${bytes.toString('latin1', start, from)}}${after}`)
  if (record === null || !isGoodResult(record)) return null
  return isAscii(bytes.subarray(start, from)) || needsOnlyAscii(record) ? record : null
}

/** End of `,"toolUseResult":{`. A search is faster if it starts with a rare letter. In a text, the quote has a backslash. */
const TOOL_USE_RESULT = Buffer.from('UseResult":{')
const NAME_OF_ID = Buffer.from('Id":')
const MAX_LAST_FIELDS = 1024
const LAST_FIELDS = /^(?:,"\w+":"[^"\\]*")*\}$/

const ALWAYS = ['uuid', 'timestamp', 'message', 'toolUseResult']

/** Checks whether a record contains only results without errors, and whether `toolUseResult` is its own field. */
function isGoodResult(record: TranscriptRecord): boolean {
  if (!ALWAYS.every((field) => field in record)) return false
  const content = asObject(record.message)?.content
  if (!Array.isArray(content)) return false
  return content.map(asObject).every((block) => block?.type === 'tool_result' && block.is_error !== true)
}

/** Checks whether all parts of a record that turns need are ASCII. The text of an error may be anything. */
function needsOnlyAscii(record: TranscriptRecord): boolean {
  for (const field in record)
    if (!isAsciiText(field) || (field !== 'toolUseResult' && !isAsciiText(record[field]))) return false
  const [message, result, origin] = [record.message, record.toolUseResult, record.origin].map(asObject)
  if (![message?.id, message?.model, result?.agentId, origin?.kind].every(isAsciiText)) return false
  const content = message?.content
  if (!Array.isArray(content)) return isAsciiText(content)
  return content.map(asObject).every((block) => {
    const { is_error, id, name, tool_use_id, text } = block ?? {}
    const prompt = record.type === 'user' ? text : ''
    return is_error !== true && [id, name, tool_use_id, prompt].every(isAsciiText)
  })
}

const isAsciiText = (value: unknown): boolean => typeof value !== 'string' || !/[^\0-\x7f]/.test(value)

/**
 * Passes on the objects of one line: the only one, or those that can be recovered.
 * @returns whether the line is one whole JSON object, or empty
 */
export function readObjects(
  bytes: Buffer,
  from: number,
  to: number,
  counts: ReadingCounts,
  onObject: (object: TranscriptRecord) => void,
): boolean {
  const { start, end } = trimmed(bytes, from, to)
  if (start === end) return true
  const object = parseObject(bytes.toString('utf8', start, end))
  if (object === null) recover(bytes.subarray(start, end), counts, onObject)
  else onObject(object)
  return object !== null
}

/** Checks whether a line may be skipped unparsed: it ends like an object and contains no second record. */
function isPlain(line: Buffer): boolean {
  if (line[line.length - 1] !== CLOSE_BRACE || line.indexOf(NUL) >= 0) return false
  if (line.indexOf(NEXT_OBJECT) >= 0 || line.indexOf(PARENT, 1) >= 0) return false
  const session = line.indexOf(SESSION)
  return (session < 0 || line.indexOf(SESSION, session + 1) < 0) && !hidesStart(line, session)
}

const [NEXT_OBJECT, PARENT, SESSION] = [
  Buffer.from('}{'),
  Buffer.from('{"parentUuid"'),
  Buffer.from('"sessionId":'),
]

/**
 * Checks whether a second record may begin within a line. An object after a colon, a comma or a bracket is a value of the line's
 * own record. If that record names no session, it may be torn, and so the object may be a second record.
 * @param session position of the first `sessionId`, or -1
 */
function hidesStart(line: Buffer, session: number): boolean {
  const namesSession = session >= 0 && session < line.indexOf(OPEN_BRACE, 1)
  for (const start of NESTED_STARTS) {
    for (let at = line.indexOf(start, 1); at >= 0; at = line.indexOf(start, at + 1))
      if (!namesSession || !isBeforeValue(line[at - 1])) return true
  }
  return false
}

const NESTED_STARTS = [Buffer.from('{"type"'), Buffer.from('{"uuid"')]

const isBeforeValue = (byte: number | undefined): boolean =>
  byte === COLON || byte === COMMA || byte === OPEN_BRACKET || isBlank(byte)

/** Parses one whole JSON object, with blanks and NULs around it. */
export function wholeObject(bytes: Buffer): TranscriptRecord | null {
  const { start, end } = trimmed(bytes, 0, bytes.length)
  // Parsing fails slowly, and a hostile file may have many empty lines.
  return bytes[start] === OPEN_BRACE ? parseObject(bytes.toString('utf8', start, end)) : null
}

/** Trims NULs, which a crash leaves at the end of a file, and a byte order mark, which the next process may write. */
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

/** Recovers the records of a line that two writers wrote, or that was cut off before another writer continued. */
function recover(line: Buffer, counts: ReadingCounts, onObject: (object: TranscriptRecord) => void): void {
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
  for (const record of records) onObject(record)
}

/** Maximum number of scans of a line's bytes, so that the time is linear in its length. */
const MAX_SCANS = 16

/** Checks whether an object after a torn record is a record, and not a value of the torn one. */
const isRecord = ({ type, uuid, sessionId, payload }: TranscriptRecord): boolean =>
  typeof type === 'string' &&
  (typeof uuid === 'string' || typeof sessionId === 'string' || asObject(payload) !== null)

const isStartOrEnd = (line: Buffer, at: number): boolean => at === line.length || line[at] === OPEN_BRACE

const STARTS = ['{"parentUuid"', '{"type"', '{"uuid"', '{"timestamp"'].map((start) => Buffer.from(start))

function nextStart(line: Buffer, from: number): number {
  for (let at = line.indexOf(OPEN_BRACE, from); at >= 0; at = line.indexOf(OPEN_BRACE, at + 1)) {
    if (STARTS.some((start) => line.subarray(at, at + start.length).equals(start))) return at
    let before = at - 1
    while (before >= from && isBlank(line[before])) before--
    if (line[before] === CLOSE_BRACE) return at
  }
  return line.length
}

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

/** Parses the JSON object at a position; null if there is no whole object, or if the scan has no bytes left. */
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

/** Finds the brace that closes the object at a position. Stops early at a torn string. */
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
 * Returns the `type` of the object in `bytes[start, end)` if it comes before the first nested value, so that skipping a record
 * costs almost nothing. Only the top level counts, because tool inputs contain the same words.
 * @returns null if the object must be parsed
 */
export function topLevelType(bytes: Buffer, start: number, end: number): string | null {
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

/** Returns the end of the string that began before `i`; `end` or more if the string does not end. */
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
