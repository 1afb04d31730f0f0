/** Condenses a judged turn to the facts that stall analysis needs (contract: truth.md, section 3). Pure. */
import * as z from 'zod'
import { parseJson } from '../core/parse-json.ts'
import { markCause, markColumns } from './causes.ts'
import { type Complaint, chooseComplaints, signIssues } from './signature.ts'
import { type CoachDecision, columns } from './values.ts'

/** Decisions that count for stall analysis. `error`, `deferred` and `unknown` turns do not count. */
export const COUNTED_DECISIONS = ['approved', 'feedback', 'rejected'] as const

const texts = z.array(z.string()).readonly()

/** The order is that of the stored list. */
export const outcomeColumns = columns({
  turn: z.number(),
  decision: z.enum(COUNTED_DECISIONS),
  signature: z.string(),
  /** Number of its blocking issues, equal ones once, as the context shows them. */
  blocking: z.number(),
  /** Obstacles: the failed gates, otherwise the categories of its blocking issues. */
  gates: texts,
  failedGates: texts.default([]),
  /** Number of failed tests; null if the turn does not report it. */
  testsFailed: z.number().nullable().default(null),
  /** Beginning of its first complaint, for the reason of a verdict. */
  quote: z.string().default(''),
  /** Marks of the complaints in its signature, equal ones once. Marks identify causes. */
  causes: z.array(markColumns).readonly().default([]),
})

export type Outcome = z.output<typeof outcomeColumns>

/** End of a counted turn as a text, stored on the turn. */
export const outcomeText = z
  .string()
  .transform((stored) => parseJson(stored))
  .pipe(outcomeColumns)

export const outcomeRow = (outcome: Outcome | null): string | null =>
  outcome === null ? null : JSON.stringify(z.encode(outcomeColumns, outcome))

/** Maximum number of complaints of a turn that are compared by their causes. */
export const MAX_CAUSES = 24
/** Maximum number of identifiers of a complaint that are compared. */
const MAX_MARKED = 24
const MAX_QUOTE = 120

type Judged = {
  turnNumber: number
  coachDecision: CoachDecision
  coachFeedback: string | null
  issues: readonly Complaint[]
  gates: readonly { name: string; status: string }[]
  testsFailed: number | null
}

/** Returns null if the turn does not count. */
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
  const marks = new Map(
    chosen
      .map(markCause)
      .map(({ signature, identifiers }) => [
        signature,
        { signature, identifiers: identifiers.slice(0, MAX_MARKED) },
      ]),
  )
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

/** Shortens a text to one line of at most {@link MAX_QUOTE} characters. */
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
