import { sha256 } from '../keys.ts'
import type { CoachDecision, Issue } from '../turns/record.ts'
import { normalizeLabel } from './labels.ts'

/**
 * What a feedback turn complained of, so that turns can be compared (contract: criteria.md, "Stall analysis"):
 * the same complaint in other line numbers, durations or folders is the same complaint. Pure.
 */

type Complaint = Pick<Issue, 'severity' | 'category' | 'description'>

/** Of the blocking issues, of all where none blocks, of the feedback where there is no issue at all. */
export function signatureOf(issues: readonly Complaint[], coachFeedback: string | null): string {
  const blocking = issues.filter(({ severity }) => severity === 'blocking')
  const chosen = blocking.length > 0 ? blocking : issues
  const complaints =
    chosen.length > 0
      ? chosen.map(({ category, description }) => `${category ?? ''}\n${masked(description)}`)
      : [`\n${masked(coachFeedback ?? '')}`]
  return sha256([...new Set(complaints)].sort().join('\n\n')).slice(0, 16)
}

/** A criterion's label keeps its digits: `AC-003` and `AC-004` are two complaints. */
const LABEL = /\b[A-Z]{1,8}(?:-[A-Z]+)*-\d{1,4}\b/g

/** Each form with what stands for it, the more specific ones first. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/(?:\/private)?\/(?:tmp|var\/folders|var\/tmp|dev\/shm)(?:\/[^\s'"`,;:)\]}]*)?/g, '<folder>'],
  [/[a-z]:\\(?:users\\[^\\\s]+\\appdata\\local\\)?te?mp\\[^\s'"`,;)\]}]*/g, '<folder>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b0x[0-9a-f]+\b/g, '<id>'],
  [/\b(?=[a-f]*\d)[0-9a-f]{7,64}\b/g, '<id>'],
  [/\d+(?:[.,]\d+)*\s?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/g, '<time>'],
  [/\d+(?:[.,]\d+)*\s?%/g, '#%'],
  [/(?<![a-z_])\d+(?:[.,:]\d+)*/g, '#'],
]

export function masked(text: string): string {
  const labels: string[] = []
  const set = text.normalize('NFKC').replace(LABEL, (label) => {
    labels.push(normalizeLabel(label))
    return '\0'
  })
  const plain = MASKS.reduce((so, [form, mask]) => so.replace(form, mask), set.toLowerCase())
  return plain
    .replaceAll('\0', () => labels.shift() ?? '')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** The decisions that say how a session goes: `error`, `deferred` and `unknown` turns do not count. */
export const COUNTED_DECISIONS = ['approved', 'feedback', 'rejected'] as const

export type Outcome = {
  turn: number
  decision: (typeof COUNTED_DECISIONS)[number]
  signature: string
  /** How many blocking issues it raised. */
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
export function outcomeOf({
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
  const about = blocking.map(({ category }) => category ?? 'a blocking issue')
  return {
    turn: turnNumber,
    decision,
    signature: signatureOf(issues, coachFeedback),
    blocking: blocking.length,
    gates: [...new Set(failed.length > 0 ? failed : about)],
  }
}
