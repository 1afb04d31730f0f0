// Masks the secrets in records and texts. Scans all texts together: forty scans cost four times as much as one.
import { setImmediate } from 'node:timers/promises'
import { orderedObject } from '../ordered-json.ts'
import {
  BARE_MARK,
  bareMarker,
  digestSecret,
  findPortableMarks,
  hasMark,
  isMark,
  type Marker,
  showMarks,
} from './marks.ts'
import type { Secret } from './secret.ts'
import { findOwnSecrets, findSecrets } from './secrets.ts'

/** Fields that identify a record. They are never masked, because a changed field would identify another record. */
const IDENTITY: ReadonlySet<string> = new Set(['project', 'featureId', 'taskId', 'worldSlug'])

/**
 * Masks every secret in the strings of `record`: values and keys at any depth, except the identity at the top
 * level. Returns the same reference if nothing is masked. Never changes the input.
 *
 * @param makeMarker is called only if there is something to mask
 * @returns `redactions` counts the masked places
 * @example
 * await scrub({ coachFeedback: 'try postgres://app:hunter2@db/app' })
 * // { scrubbed: { coachFeedback: 'try postgres://[redacted]@db/app' }, redactions: 1 }
 */
export async function scrub<T>(
  record: T,
  makeMarker: () => Marker | Promise<Marker> = () => bareMarker,
): Promise<{ scrubbed: T; redactions: number }> {
  const { content, pieces } = layOut(record)
  const secrets = [...(await findInParts(content, pieces)), ...findPortableMarks(content)]
  if (secrets.length === 0) return { scrubbed: record, redactions: 0 }
  const masked = maskTexts(pieces, secrets, await makeMarker())
  if (masked.size === 0) return { scrubbed: record, redactions: 0 }
  let redactions = 0
  const replace = (text: string): string => {
    const found = masked.get(text)
    redactions += found?.places ?? 0
    return found?.text ?? text
  }
  return { scrubbed: rewrite(record, replace, IDENTITY) as T, redactions }
}

export async function scrubEach(texts: readonly string[]): Promise<Masked[]> {
  const { content, pieces } = layOut(texts)
  const masked = maskTexts(pieces, await findSecrets(content), bareMarker)
  return texts.map((text) => masked.get(text) ?? { text, places: 0 })
}

export const countMasks = (names: readonly (string | null)[]): number =>
  names.reduce((sum, name) => sum + (name?.split(BARE_MARK).length ?? 1) - 1, 0)

/** Masks a short text synchronously: a line of a log, a name, a message. Shows two digits of each mark. */
export function scrubText(text: string): string {
  const secrets = findOwnSecrets(text)
  if (secrets.length === 0) return showMarks(text)
  const ranges = secrets.map(({ start, end }): Range => [start, end])
  return showMarks(mask(text, ranges, bareMarker).text)
}

/** Checks with one scan that none of some texts contains a secret. */
export const haveNoSecrets = (texts: readonly string[]): boolean => {
  const content = texts.join(BETWEEN)
  return scrubText(content) === content
}

/** Masks every string of a value separately. For values that are shown and never stored. */
export const scrubTexts = (value: unknown): unknown => rewrite(value, scrubText, NOTHING)

/** Shows two digits of each mark in the strings of an answer. */
export const showMarksIn = <T>(answer: T): T =>
  holdsMark(answer) ? (rewrite(answer, showMarks, NOTHING) as T) : answer

function holdsMark(value: unknown): boolean {
  if (typeof value === 'string') return hasMark(value)
  if (Array.isArray(value)) return value.some(holdsMark)
  if (value === null || typeof value !== 'object') return false
  for (const key in value) if (hasMark(key) || holdsMark((value as Record<string, unknown>)[key])) return true
  return false
}

type Piece = Readonly<{ text: string; start: number }>

/** Separates texts. No match extends across it: `.` and `\S` stop at the line break, and other patterns at the NUL. */
const BETWEEN = '\n\0\n'

/** Key of a program and its arguments. They are scanned as one line, because the argument before a secret reveals it. */
const COMMAND = 'command'

/** Separates a key from its text, as in JSON. Some secrets are recognized only by their name. */
const NAMES = '":"'

/** Length of a part. A scan of one part takes at most 0.1 s of CPU time. */
const PART = 64 * 1024
/** Overlap of two parts. The name of a secret may be the text before its value. */
const OVERLAP = 2 * 1024

/** Scans long content part by part, and yields to the event loop between parts. */
async function findInParts(content: string, pieces: readonly Piece[]): Promise<Secret[]> {
  const found: Secret[] = []
  let from = 0
  for (const i of pieces.keys()) {
    const isLast = i === pieces.length - 1
    const end = isLast ? content.length : (pieces[i + 1]?.start ?? content.length)
    if (!isLast && end - from < PART) continue
    for (const secret of await findSecrets(content.slice(from, end)))
      found.push({ ...secret, start: secret.start + from, end: secret.end + from })
    if (isLast) break
    let first = i + 1
    while (first > 0 && end - (pieces[first - 1]?.start ?? 0) <= OVERLAP) first--
    from = pieces[first]?.start ?? end
    await setImmediate()
  }
  return found
}

/** Joins all texts and records the start of each. The positions are counted, so texts may contain the separator. */
function layOut(record: unknown): { content: string; pieces: Piece[] } {
  const pieces: Piece[] = []
  let content = ''
  const add = (text: string, after: string): void => {
    pieces.push({ text, start: content.length })
    content += text + after
  }
  const visit = (value: unknown, after = BETWEEN): void => {
    if (typeof value === 'string') add(value, after)
    else if (Array.isArray(value)) {
      for (const item of value) visit(item, after)
      if (after !== BETWEEN) content += BETWEEN
    } else if (value !== null && typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        add(key, typeof item === 'string' ? NAMES : BETWEEN)
        visit(item, key === COMMAND && Array.isArray(item) ? ' ' : BETWEEN)
      }
    }
  }
  visit(record)
  return { content, pieces }
}

const NOTHING: ReadonlySet<string> = new Set()

type Range = readonly [start: number, end: number]
type Masked = Readonly<{ text: string; places: number }>

/** Maps each text with a secret to its masked form. Cuts a range that covers several texts at their ends. */
function maskTexts(
  pieces: readonly Piece[],
  secrets: readonly Omit<Secret, 'kind'>[],
  marker: Marker,
): Map<string, Masked> {
  const ranges = new Map<string, Range[]>()
  let first = 0
  for (const { start, end } of secrets.toSorted((a, b) => a.start - b.start)) {
    while (first < pieces.length && pieceEnd(pieces[first]) <= start) first++
    for (let i = first; i < pieces.length; i++) {
      const piece = pieces[i]
      if (piece === undefined || piece.start >= end) break
      const from = Math.max(start - piece.start, 0)
      const to = end - piece.start // may be after the end of the text; slice cuts it
      if (from >= to) continue
      const existing = ranges.get(piece.text)
      if (existing === undefined) ranges.set(piece.text, [[from, to]])
      else existing.push([from, to])
    }
  }
  return new Map(
    [...ranges].flatMap(([text, found]) => {
      const masked = mask(text, found, marker)
      return masked.places === 0 ? [] : [[text, masked]]
    }),
  )
}

const pieceEnd = (piece: Piece | undefined): number =>
  piece === undefined ? 0 : piece.start + piece.text.length

/** Joins ranges that overlap or touch, because two rules often find the same secret. A mark is masked by its own digest. */
function mask(text: string, ranges: readonly Range[], marker: Marker): Masked {
  const joined: [start: number, end: number][] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else joined.push([start, end])
  }
  let shown = ''
  let done = 0
  let places = 0
  for (const [start, end] of joined) {
    const secret = text.slice(start, end)
    const [portable] = findPortableMarks(secret)
    if (portable === undefined && isMark(secret)) continue
    const others = portable && secret.slice(0, portable.start) + secret.slice(portable.end)
    if (portable !== undefined && !/[A-Za-z0-9]/.test(others ?? '')) {
      shown += text.slice(done, start + portable.start) + marker(portable.digest)
      done = start + portable.end
    } else {
      shown += text.slice(done, start) + marker(digestSecret(secret))
      done = end
    }
    places++
  }
  return { text: shown + text.slice(done), places }
}

/** Replaces the texts of a record. Parts without replaced texts are shared with the input, not copied. */
function rewrite(value: unknown, replace: (text: string) => string, except: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => rewrite(item, replace, NOTHING))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (value === null || typeof value !== 'object') return value
  const before = Object.entries(value)
  const nameFor = freeNames(before.map(([key]) => key))
  const after = before.map(([key, item]): [string, unknown] =>
    except.has(key) ? [key, item] : [nameFor(key, replace(key)), rewrite(item, replace, NOTHING)],
  )
  const changed = after.some(([key, item], i) => key !== before[i]?.[0] || item !== before[i]?.[1])
  return changed ? orderedObject(after) : value
}

/** Keeps both entries of two keys that become equal when masked: the second is `[redacted] (2)`. */
function freeNames(keys: readonly string[]): (key: string, masked: string) => string {
  const taken = new Set(keys)
  const counts = new Map<string, number>()
  return (key, masked) => {
    if (key === masked) return key
    let name = masked
    while (taken.has(name)) {
      const count = (counts.get(masked) ?? 1) + 1
      counts.set(masked, count)
      name = `${masked} (${count})`
    }
    taken.add(name)
    return name
  }
}
