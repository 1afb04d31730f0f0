/**
 * Follows issues through the turns of a session (contract: specification.md, "Issues have a life"): when each was opened,
 * in which turns it was raised, and whether it is gone. Pure.
 */
import { groupBy } from '../core/group-by.ts'
import { bySeverity } from './severity.ts'
import { COUNTED_DECISIONS, type Complaint, issueSignature } from './signature.ts'
import type { CoachDecision } from './values.ts'

/** A turn with the issues that it raised, in the order the Coach gave them. */
export type Judgement<I> = { turn: number; coachDecision: CoachDecision; issues: readonly I[] }

export type IssueLife<I> = {
  /** Two issues are the same where their signatures are equal. */
  signature: string
  /** As the newest turn that raised it worded it, most severe first: more than one where that turn raised it repeatedly. */
  wordings: readonly [I, ...I[]]
  /** The turns that raised it, ascending. */
  turns: readonly [number, ...number[]]
  /** Its place among the issues of the first of them: with that turn, a total order of a session's issues. */
  position: number
  /** The judged turn that no longer raised it; null while it is open. */
  goneInTurn: number | null
}

/** Turns with other decisions judge nothing: what was open before them stays open, and what they raise themselves opens. */
const judges = ({ coachDecision }: { coachDecision: CoachDecision }): boolean =>
  COUNTED_DECISIONS.some((counted) => counted === coachDecision)

/** All issues that the turns raised, in the order in which they were opened. One that returns is the same issue again. */
export function followIssues<I extends Complaint>(judgements: readonly Judgement<I>[]): IssueLife<I>[] {
  const lives = new Map<string, IssueLife<I>>()
  const open = new Set<string>()
  for (const judgement of judgements.toSorted((a, b) => a.turn - b.turn)) {
    const { turn, issues } = judgement
    const placed = issues.map((issue, position) => ({ issue, position, signature: issueSignature(issue) }))
    const raised = groupBy(placed, ({ signature }) => signature)
    for (const [signature, same] of raised) {
      const [first] = same
      const [wording, ...others] = bySeverity(same.map(({ issue }) => issue))
      if (first === undefined || wording === undefined) continue
      const existing = lives.get(signature)
      lives.set(signature, {
        signature,
        wordings: [wording, ...others],
        turns: existing === undefined ? [turn] : [...existing.turns, turn],
        position: existing?.position ?? first.position,
        goneInTurn: null,
      })
      open.add(signature)
    }
    if (!judges(judgement)) continue
    for (const signature of open) {
      const life = lives.get(signature)
      if (raised.has(signature) || life === undefined) continue
      lives.set(signature, { ...life, goneInTurn: turn })
      open.delete(signature)
    }
  }
  return [...lives.values()]
}
