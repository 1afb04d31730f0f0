/** Condenses how a judged turn ended: what stall analysis knows of it (contract: truth.md, section 3). Pure. */
import { type CauseMark, markCause } from './causes.ts'
import { type Complaint, chooseComplaints, signIssues } from './signature.ts'
import type { CoachDecision } from './values.ts'

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
  failedGates: readonly string[]
  /** How many tests failed; null if the turn does not say. */
  testsFailed: number | null
  /** The beginning of what it complained of, for the reason of a verdict. */
  quote: string
  /** What its complaints are compared by: those of its signature, equal ones once. */
  causes: readonly CauseMark[]
}

/** Maximum number of complaints of a turn that are compared by their causes. */
const MAX_CAUSES = 24
const MAX_QUOTE = 120

type Judged = {
  turnNumber: number
  coachDecision: CoachDecision
  coachFeedback: string | null
  issues: readonly Complaint[]
  gates: readonly { name: string; status: string }[]
  testsFailed: number | null
}

/** Null where the turn does not count. */
export function toOutcome({
  turnNumber,
  coachDecision,
  coachFeedback,
  issues,
  gates,
  testsFailed,
}: Judged): Outcome | null {
  const decision = COUNTED_DECISIONS.find((counted) => counted === coachDecision)
  if (decision === undefined) return null
  const failed = gates.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const blocking = issues.filter(({ severity }) => severity === 'blocking')
  const about = blocking.map(({ category }) => category ?? 'an issue without a category')
  const signature = signIssues(issues, coachFeedback)
  const chosen = chooseComplaints(issues)
  const marks = new Map(chosen.map((issue) => markCause(issue)).map((mark) => [mark.signature, mark]))
  return {
    turn: turnNumber,
    decision,
    signature,
    blocking: new Set(blocking.map(({ description }) => description)).size,
    gates: [...new Set(failed.length > 0 ? failed : about)],
    failedGates: [...new Set(failed)],
    testsFailed,
    quote: quoteOf(chosen[0]?.description ?? coachFeedback ?? ''),
    causes: chosen.length === 0 ? [{ signature, identifiers: [] }] : [...marks.values()].slice(0, MAX_CAUSES),
  }
}

/** One line of at most {@link MAX_QUOTE} characters. */
function quoteOf(text: string): string {
  const line = [
    ...text
      .slice(0, 4 * MAX_QUOTE)
      .replace(/\s+/gu, ' ')
      .trim(),
  ]
  return line.length <= MAX_QUOTE
    ? line.join('')
    : `${line
        .slice(0, MAX_QUOTE - 1)
        .join('')
        .trimEnd()}…`
}
