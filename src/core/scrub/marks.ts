/**
 * Makes the marks that replace secrets, and compares texts that contain them (docs/decisions/masks.md). A
 * mark is a keyed hash of its secret. Texts with different secrets therefore still differ after masking.
 *
 * - `[redacted:9f86d081884c7d65]` is the stored form: 16 digits, made with the key of the project.
 * - `[redacted:9f]` is the displayed form: the first two digits.
 * - `[redacted:…32 digits…]` is the portable form. It is used outside of the graph, in a spool, until the key
 *   of the project is known.
 * - `[redacted]` is used in error texts of transcripts and in texts that are not stored. A caller may quote it.
 */
import { createHash, createHmac } from 'node:crypto'

export const BARE_MARK = '[redacted]'

export type Marker = (digest: string) => string

export const digestSecret = (secret: string): string =>
  createHash('sha256').update(`turngraph secret\n${secret}`, 'utf8').digest('hex').slice(0, 32)

export const bareMarker: Marker = () => BARE_MARK

/** Makes marks for a writer that does not know the key of the project. Every process makes the same mark. */
export const portableMarker: Marker = (digest) => `[redacted:${digest}]`

export const keyedMarker =
  (key: string): Marker =>
  (digest) =>
    `[redacted:${createHmac('sha256', key).update(digest).digest('hex').slice(0, 16)}]`

/** Makes a key in the form of a mark, so that answers show at most two of its digits. */
export const createMaskKey = (random: Uint8Array): string =>
  `[redacted:${Buffer.from(random).toString('hex')}]`

/** A portable mark, whole or cut off at a limit. */
const PORTABLE = /\[redacted:([0-9a-f]{17,64})\]?/dg
const ANY_MARK = /\[redacted(?::[0-9a-f]{0,64})?\]?/g

export type PortableMark = { digest: string; start: number; end: number }

export const findPortableMarks = (text: string): PortableMark[] =>
  [...text.matchAll(PORTABLE)].map(({ 0: mark, 1: digest = '', index }) => ({
    digest,
    start: index,
    end: index + mark.length,
  }))

/** Checks whether a text consists of one mark and at most a few signs around it. */
export const isMark = (text: string): boolean =>
  /^[^A-Za-z0-9[\]]{0,8}\[redacted(?::[0-9a-f]{2,64})?\][^A-Za-z0-9[\]]{0,8}$/.test(text)

export const hasMark = (text: string): boolean => text.includes('[redacted')

/** Shortens each mark to two digits, as in every answer. */
export const showMarks = (text: string): string =>
  hasMark(text) ? text.replace(/\[redacted:([0-9a-f]{2})[0-9a-f]{1,62}\]?/g, '[redacted:$1]') : text

/** Checks for a mark as answers show it. */
export const hasShownMark = (text: string): boolean => /\[redacted:[0-9a-f]{2}\]/.test(text)
const isBare = (text: string): boolean => text.includes(BARE_MARK)
/** Removes the digits from all marks of a text. */
export const bareMarks = (text: string): string => (hasMark(text) ? text.replace(ANY_MARK, BARE_MARK) : text)

/** Compares texts with marks. A mark of two digits equals every mark that begins with them. A mark without digits equals all. */
export function isEqualButMarks(a: string, b: string): boolean {
  if (a === b) return true
  if (!hasMark(a) || !hasMark(b)) return false
  if ((hasShownMark(a) || hasShownMark(b)) && showMarks(a) === showMarks(b)) return true
  return (isBare(a) || isBare(b)) && bareMarks(a) === bareMarks(b)
}
