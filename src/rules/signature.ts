/** Makes signatures: a complaint with another line number, run time or folder has the same one (contract: truth.md). Pure. */
import { sha256 } from '../core/keys.ts'
import type { Issue } from '../memory/record/record.ts'
import { normalizeLabel } from './labels.ts'

/** Fields of an issue that are compared. */
export type Complaint = Pick<Issue, 'severity' | 'description'> & {
  category?: string | null | undefined
}

export function chooseComplaints<I extends Complaint>(issues: readonly I[]): readonly I[] {
  const blocking = issues.filter(({ severity }) => severity === 'blocking')
  return blocking.length > 0 ? blocking : issues
}

/** Condenses the chosen issues of a turn, or its feedback if it has no issue. */
export function signIssues(issues: readonly Complaint[], coachFeedback: string | null): string {
  const chosen = chooseComplaints(issues)
  const complaints =
    chosen.length > 0
      ? chosen.map(({ category, description }) => `${category ?? ''}\n${masked(description)}`)
      : [`\n${masked(coachFeedback ?? '')}`]
  return sha256([...new Set(complaints)].sort().join('\n\n')).slice(0, 16)
}

/** Category and normalized description of one issue: two of equal signatures are the same issue. */
export const issueSignature = (issue: Complaint): string => signIssues([issue], null)

const DURATION =
  '\\d{1,12}(?:[.,]\\d{1,9})?\\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)(?![a-z_%])'
const DURATIONS = `${DURATION}(?:[ ,]{0,2}${DURATION}){0,3}(?!\\w)`
const SOURCE_FILE =
  '\\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs?|cc|cpp|h|swift|sql|ya?ml|json|toml|md|sh|html|css|vue|feature)'

/**
 * Volatile parts of a text and their masks. All other numbers stay: counts, shares, status codes, ports, versions and measured
 * values. Each quantifier is bounded or cannot overlap with what follows it, so that the time is linear in the text.
 */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/(?:\/private)?\/(?:tmp|var\/folders|var\/tmp|dev\/shm)(?![\w-])(?:\/[^\s'"`,;:)\]}]*)?/gi, '<folder>'],
  [
    /\b[a-z]:[\\/](?:users[\\/][^\\/\s]{1,64}[\\/]appdata[\\/]local[\\/])?te?mp[\\/][^\s'"`,;)\]}]*/gi,
    '<folder>',
  ],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]{6,16}\b/gi, '<id>'],
  [
    /(?:\b\d{4}-\d\d-\d\d|(?<![\w/])\d{4}\/\d\d\/\d\d(?!\/))(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:\s?(?:z|[+-]\d\d:?\d\d))?)?(?![\w-])/gi,
    '<time>',
  ],
  [/(?<![\d.:\w])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?![\d:])/g, '<time>'],
  [
    new RegExp(`\\b(in|took|after|duration|elapsed)((?:\\s?[:=]\\s?|\\s)(?:of )?)${DURATIONS}`, 'gi'),
    '$1$2<time>',
  ],
  [new RegExp(`\\(${DURATIONS}\\)`, 'gi'), '(<time>)'],
  [/\b(line|lines|ln|column|columns|col)([ :#]{1,2})\d{1,9}(?:\s?[-–]\s?\d{1,9})?\b/gi, '$1$2#'],
  [/(?<!\d):\d{1,9}:\d{1,9}(?!\d|:\d)/g, ':#:#'],
  [new RegExp(`(?<=${SOURCE_FILE}):\\d{1,9}(?!\\d)`, 'gi'), ':#'],
  [
    new RegExp(
      `(?<=${SOURCE_FILE})(?:\\(\\d{1,9}, ?\\d{1,9}\\)|\\(\\d{1,9}\\)(?= ?:)|:\\[\\d{1,9},\\d{1,9}\\])`,
      'gi',
    ),
    '(#)',
  ],
  [/(?<![\w-])l\d{1,9}(?:-l?\d{1,9})?(?![\w-])/gi, 'L#'],
  [/\b(pid[ =:#]{0,3})\d{1,12}\b/gi, '$1#'],
  // Keeps marks, because they distinguish secrets and are no ids.
  [/(?<![\w-]|\[redacted:)(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[0-9a-f]{7,64}(?![\w-])/gi, '<id>'],
]

/** Masks the volatile parts of a text. Keeps upper and lower case. */
export const maskVolatile = (text: string): string =>
  VOLATILE.reduce((masked, [form, mask]) => masked.replace(form, mask), text.normalize('NFKC'))

const LABEL = /\b[a-z]{1,20}(?:[-_][a-z]{1,20}){0,6}[-_]\d{1,4}\b/g

/** `AC-3` and `AC-003` are one label. */
export const masked = (text: string): string =>
  maskVolatile(text).toLowerCase().replace(LABEL, normalizeLabel).replace(/\s+/gu, ' ').trim()
