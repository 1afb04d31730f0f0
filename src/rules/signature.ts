/**
 * Condenses what a feedback turn complained of into a signature, so that turns can be compared (contract: criteria.md,
 * "Stall analysis"): the same complaint in other line numbers, durations or folders is the same complaint. Pure.
 */
import { sha256 } from '../core/keys.ts'
import type { Issue } from '../memory/record/record.ts'
import { normalizeLabel } from './labels.ts'
import type { CoachDecision } from './values.ts'

/** What two issues are compared by. */
export type Complaint = Pick<Issue, 'severity' | 'category' | 'description'>

/** Of the blocking issues, of all where none blocks, of the feedback where there is no issue at all. */
export function signIssues(issues: readonly Complaint[], coachFeedback: string | null): string {
  const blocking = issues.filter(({ severity }) => severity === 'blocking')
  const chosen = blocking.length > 0 ? blocking : issues
  const complaints =
    chosen.length > 0
      ? chosen.map(({ category, description }) => `${category ?? ''}\n${masked(description)}`)
      : [`\n${masked(coachFeedback ?? '')}`]
  return sha256([...new Set(complaints)].sort().join('\n\n')).slice(0, 16)
}

/** Category and normalized description of one issue: two of equal signatures are the same issue. */
export const issueSignature = (issue: Complaint): string => signIssues([issue], null)

/** Where something lies on this machine at this moment says nothing. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/(?:\/private)?\/(?:tmp|var\/folders|var\/tmp|dev\/shm)(?:\/[^\s'"`,;:)\]}]*)?/g, '<folder>'],
  [/[a-z]:\\(?:users\\[^\\\s]+\\appdata\\local\\)?te?mp\\[^\s'"`,;)\]}]*/g, '<folder>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b0x[0-9a-f]+\b/g, '<id>'],
]

/**
 * A criterion's label keeps its digits, and so does any name: `AC-003`, `criterion_10` and `F401` are three complaints.
 * Line numbers, ids, durations, shares and counts do not.
 */
const NUMBERS =
  /\b(?<label>[a-z]{1,20}(?:[-_][a-z]+)*[-_]\d{1,4}(?:\.\d+)*)\b|\b(?<id>(?=[a-f]*\d)[0-9a-f]{7,64})\b|\b(?<line>l\d+)\b|(?<![a-z_\d])(?<time>\d+(?:[.,]\d+)*\s?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?))\b|(?<![a-z_\d])(?<share>\d+(?:[.,]\d+)*\s?%)|(?<![a-z_\d])(?<count>\d+(?:[.,:]\d+)*)/g

export function masked(text: string): string {
  const plain = PLACES.reduce(
    (so, [form, mask]) => so.replace(form, mask),
    text.normalize('NFKC').toLowerCase(),
  )
  return plain
    .replace(NUMBERS, (...match) => {
      const { label, id, time } = match.at(-1) as Record<string, string | undefined>
      if (label !== undefined) return normalizeLabel(label).toLowerCase()
      if (id !== undefined) return '<id>'
      return time === undefined ? '#' : '<time>'
    })
    .replace(/\s+/gu, ' ')
    .trim()
}

/** The decisions that say how a session goes: `error`, `deferred` and `unknown` turns do not count. */
export const COUNTED_DECISIONS = ['approved', 'feedback', 'rejected'] as const

export type Outcome = {
  turn: number
  decision: (typeof COUNTED_DECISIONS)[number]
  signature: string
  /** How many blocking issues it raised, equal ones once, as the context shows them. */
  blocking: number
  /** What stood in the way: the gates that failed, else what its blocking issues are about. */
  gates: readonly string[]
}

type Judged = {
  turnNumber: number
  coachDecision: CoachDecision
  coachFeedback: string | null
  issues: readonly Complaint[]
  gates: readonly { name: string; status: string }[]
}

/** Null where the turn does not count. */
export function toOutcome({
  turnNumber,
  coachDecision,
  coachFeedback,
  issues,
  gates,
}: Judged): Outcome | null {
  const decision = COUNTED_DECISIONS.find((counted) => counted === coachDecision)
  if (decision === undefined) return null
  const failed = gates.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const blocking = issues.filter(({ severity }) => severity === 'blocking')
  const about = blocking.map(({ category }) => category ?? 'an issue without a category')
  return {
    turn: turnNumber,
    decision,
    signature: signIssues(issues, coachFeedback),
    blocking: new Set(blocking.map(({ description }) => description)).size,
    gates: [...new Set(failed.length > 0 ? failed : about)],
  }
}
