/** Labels such as `AC-003` are aliases, never identity: they shift between Player and Coach (contract: criteria.md). */
import { toLatinLook } from './look-alikes.ts'

/** Normalizes a label for comparison: `AC-1`, `AC1` and `ac-01` are `AC-001`, also with look-alikes of another alphabet. */
export function normalizeLabel(given: string): string {
  const trimmed = toLatinLook(toLatinLook(given).normalize('NFKC')).trim()
  const label = /^ac(?![a-z])/i.test(trimmed) ? trimmed.toUpperCase() : trimmed
  const found = /^(?:(\p{L}+)-|(AC)[ _#]?)0*(\d+)$/u.exec(label)
  return found === null ? label : `${found[1] ?? found[2]}-${(found[3] ?? '').padStart(3, '0')}`
}

export const LIST_MARK = /^\s*(?:[-+*•]|#{1,6}|\d+[.)])\s+/u
const CHECK_BOX = /^\s*(?:\[[ xX]?\](?:\s+|$)|[✅✓✔☑☐❌✗]\uFE0F?\s*(?=\S))/u

/** Removes a leading mark of a list or a heading, and a leading check box or check mark. */
export const withoutListMark = (text: string): string => text.replace(LIST_MARK, '').replace(CHECK_BOX, '')

/** Prefixes that make a label without any mark around it. Some are also the codes of countries, in regions such as `us-east-1`. */
const PREFIXES = 'AC|ACC|CRIT|CRITERION|REQ|NFR|DOD'
const PREFIXES_LIKE_COUNTRIES = 'FR|SC|US'
const inAnyCase = (words: string): string =>
  words.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`)
const NUMBER = '\\d{1,4}(?:\\.\\d{1,3})*[A-Za-z]?'
const OF_ONE_PART = `(?:${inAnyCase(`${PREFIXES}|${PREFIXES_LIKE_COUNTRIES}`)})[-_ #]?${NUMBER}`
const OF_MORE_PARTS = `(?:${inAnyCase(PREFIXES)}|${PREFIXES_LIKE_COUNTRIES})(?:[-_][A-Za-z][A-Za-z0-9]*)+[-_]${NUMBER}`
const KNOWN_LABEL = `(?:${OF_ONE_PART}|${OF_MORE_PARTS})`
const ANY_LABEL = `[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*[-_]${NUMBER}`
const ENDS = '(?![\\p{L}\\p{N}]|[_-][\\p{L}\\p{N}])'

const PLAIN = new RegExp(`^(${KNOWN_LABEL})${ENDS}\\s*(?:[:：|→—]|[-–.)](?=\\s|$)|$)\\s*`, 'u')
/** The opening mark is missing: a validator that removes marks at the start of a text leaves the closing one. */
const HALF_MARKED = new RegExp(
  `^(${KNOWN_LABEL})${ENDS}(?:\\s*:?(?:\\*\\*|__)\\s*:?|:?[*_\`]:|[*_\`](?=\\s+[-–—]))\\s*(?:[-–—]+\\s+)?`,
  'u',
)
const BRACKETED = new RegExp(`^[[(](${KNOWN_LABEL})[\\])](?!\\()\\s*:?\\s*(?:[-–—]+\\s+)?`, 'u')
/** A label that a mark encloses, with or without its colon, may have any prefix if a separator follows. */
const marked = (label: string, separator: string) =>
  new RegExp(`^([*_\`]+)[[(]?(${label})${ENDS}[\\])]?(?:\\s*:|\\.)?\\s*[*_\`]+(?![*_\`])${separator}`, 'u')
const MARKED = marked(KNOWN_LABEL, '\\s*:?\\s*(?:[-–—]+\\s+)?')
const MARKED_ANY = marked(ANY_LABEL, '(?:(?<=:[*_`]+)|\\s*:|\\s+[-–—]+(?=\\s))\\s*(?:[-–—]+\\s+)?')
/** The mark encloses more words than the label: they keep it. */
const MARKED_WITH_MORE = new RegExp(
  `^(\\*\\*|__|[*_\`])(${KNOWN_LABEL})${ENDS}\\s*(?::|[-–—](?=\\s)|(?=[[(]))\\s*`,
  'u',
)
const BEGINS_WITH_LABEL = new RegExp(`^[*_\`]*${KNOWN_LABEL}${ENDS}`, 'u')

/**
 * Splits a label from the start of a criterion's text, in every form that task files, Players and Coaches write.
 *
 * @returns the label as it is written, and the text behind it; null and the whole text if it begins with no label
 * @example
 * splitLabel('**AC-3:** An unknown host is retried') // { label: 'AC-3', text: 'An unknown host is retried' }
 */
export function splitLabel(given: string): { label: string | null; text: string } {
  const text = withoutListMark(given).trim()
  const look = toLatinLook(text.slice(0, MAX_SPLIT_LENGTH)) + text.slice(MAX_SPLIT_LENGTH)
  for (const form of [PLAIN, HALF_MARKED, BRACKETED, MARKED, MARKED_ANY]) {
    const found = form.exec(look)
    if (found === null) continue
    const rest = text.slice(found[0].length)
    // `AC-1 - AC-3: …` is a range.
    if (/[-–—]\s*$/.test(found[0]) && BEGINS_WITH_LABEL.test(rest)) break
    return { label: asWritten(text, look, found.at(-1) ?? ''), text: rest }
  }
  const [start, mark, lookLabel] = MARKED_WITH_MORE.exec(look) ?? []
  const label = lookLabel === undefined ? undefined : asWritten(text, look, lookLabel)
  if (start !== undefined && mark !== undefined && label !== undefined) {
    const rest = text.slice(start.length)
    if (rest.includes(mark)) return { label, text: mark + rest }
  }
  return { label: null, text }
}

/** A lowercase letter after the label continues a sentence about it: `US-1 is shown`. */
const OWN_LABEL = new RegExp(`^(${KNOWN_LABEL})\\s+(?=[\\p{Lu}\\p{Lo}\`"'([])`, 'u')

/** Removes the label of an entry from the start of its text if only white space separates them. */
export function withoutOwnLabel(text: string, label: string | null): string {
  const unlisted = withoutListMark(text).trimStart()
  const [start = '', own] = OWN_LABEL.exec(unlisted) ?? []
  const isOwn = own !== undefined && label !== null && normalizeLabel(own) === normalizeLabel(label)
  return isOwn ? unlisted.slice(start.length) : text
}

/**
 * Splits off a label, also if only a space follows (`AC-3 Totals are rounded`), but not in `US 50 States` or `US-1 AC-2 Totals`.
 */
export function splitOwnLabel(given: string): { label: string | null; text: string } {
  const split = splitLabel(given)
  const [start = '', own] = (split.label === null && OWN_LABEL.exec(split.text)) || []
  const rest = split.text.slice(start.length)
  return own === undefined || own.includes(' ') || BEGINS_WITH_LABEL.test(rest)
    ? split
    : { label: own, text: rest }
}

/** Longest start of a text in which letters of other alphabets are read as what they look like. */
const MAX_SPLIT_LENGTH = 512

/** Returns a label as written. It is at the start of its text, so its first occurrence is the label itself. */
function asWritten(text: string, look: string, label: string): string {
  const at = look.indexOf(label)
  return text.slice(at, at + label.length)
}

/** Orders `AC-2` before `AC-10`: compares digits as numbers and the rest by code unit. A total order. */
export function compareNaturally(a: string, b: string): number {
  const left = a.match(/\d+|\D+/g) ?? []
  const right = b.match(/\d+|\D+/g) ?? []
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? '', right[i] ?? '']
    if (x === y) continue
    const [m, n] = [Number(x), Number(y)]
    if (Number.isFinite(m) && Number.isFinite(n) && m !== n) return m - n
    return compareCodeUnits(x, y)
  }
  return left.length - right.length || compareCodeUnits(a, b)
}

/** Compares by code units: the order is the same on every machine, whatever its locale. */
export const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
