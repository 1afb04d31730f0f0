import { FIELDS, NEEDED, PASSED_OVER, SUBTYPES } from './record-types.ts'
import { Tally } from './tally.ts'
import { topLevelType } from './top-level-type.ts'

/** A record as it stands in a transcript: other people's data, of 65 versions and counting, so nothing is sure. */
export type TranscriptRecord = Readonly<Record<string, unknown>>

/** What reading met that was no plain record (contract: transcripts.md, "Reading"). */
export type ReadingCounts = {
  badLines: number
  recoveredLines: number
  /** Record types that nobody has told us of. */
  unknown: Tally
  /** Subtypes of `system`. */
  unknownSubtypes: Tally
  /** `type.field`, at the top of a record. */
  unknownFields: Tally
}

export const noCounts = (): ReadingCounts => ({
  badLines: 0,
  recoveredLines: 0,
  unknown: new Tally(),
  unknownSubtypes: new Tally(),
  unknownFields: new Tally(),
})

const NUL = 0x00
const TAB = 0x09
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

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
  if (type !== null && !NEEDED.has(type) && isPlain(bytes.subarray(start, end))) {
    if (!PASSED_OVER.has(type)) counts.unknown.add(type)
    return true
  }
  const text = bytes.toString('utf8', start, end)
  const record = parse(text)
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
  return parse(bytes.toString('utf8', start, end))
}

/** A crash leaves NULs at the end of a file, and whoever writes on may begin with a byte order mark. */
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

function parse(text: string): TranscriptRecord | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as TranscriptRecord)
      : null
  } catch {
    return null
  }
}

function hand(
  record: TranscriptRecord,
  counts: ReadingCounts,
  onRecord: (record: TranscriptRecord) => void,
): void {
  const { type, subtype } = record
  const fields = typeof type === 'string' ? FIELDS[type] : undefined
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
  const pieces = splitObjects(text).map(parse)
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
      if (code === 0x5c) i++
      else if (code === 0x22) inString = false
    } else if (code === CLOSE_BRACE) closed = i + 1
    else if (code === OPEN_BRACE) {
      if (closed >= 0) {
        pieces.push(text.slice(start, closed))
        start = i
      }
      closed = -1
    } else if (!isBlank(code)) {
      closed = -1
      inString = code === 0x22
    }
  }
  return [...pieces, text.slice(start)]
}
