/**
 * Follows issues through the turns of a session (contract: specification.md, "Issues have a life"): when each was opened,
 * in which turns it was raised, and whether it is gone. Pure.
 */
import { groupBy } from '../core/group-by.ts'
import { assignCauses, type Traced, traceIssue } from './causes.ts'
import { COUNTED_DECISIONS } from './outcome.ts'
import { bySeverity } from './severity.ts'
import { type Complaint, issueSignature } from './signature.ts'
import type { CoachDecision } from './values.ts'

/** A turn with the issues that it raised, in the order the Coach gave them. */
export type Judgement<I> = { turn: number; coachDecision: CoachDecision; issues: readonly I[] }

export type IssueLife<I> = {
  /** Category of its newest wording. */
  signature: string
  /** As worded by the newest turn that raised it, most severe first: several if that turn raised it repeatedly. */
  wordings: readonly [I, ...I[]]
  /** How many wordings it had in all turns; two are one if their signatures are equal. */
  wordingCount: number
  /** The turns that raised it, ascending. */
  turns: readonly [number, ...number[]]
  /** Its place among the issues of the first of them: with that turn, a total order of a session's issues. */
  position: number
  /** The judged turn that no longer raised its cause; null while it is open. */
  goneInTurn: number | null
}

/** Turns with other decisions do not judge: earlier open issues stay open, and issues of these turns open too. */
const judges = ({ coachDecision }: { coachDecision: CoachDecision }): boolean =>
  COUNTED_DECISIONS.some((counted) => counted === coachDecision)

/** A life with all its wordings, the newest first: an issue that has the cause of any of them continues it. */
type Followed<I> = { life: IssueLife<I>; traces: readonly Traced<I>[] }

/** All issues that the turns raised, one for each cause, in the order in which they were opened. */
export function followIssues<I extends Complaint>(judgements: readonly Judgement<I>[]): IssueLife<I>[] {
  const followed: Followed<I>[] = []
  for (const judgement of judgements.toSorted((a, b) => a.turn - b.turn)) {
    const { turn, issues } = judgement
    const traces = issues.map(traceIssue)
    const before = followed.map(({ traces }) => traces)
    const { causes, raised: similar } = assignCauses(traces, before)
    const raised = groupBy(
      traces.map((trace, position) => ({ trace, position, cause: causes[position] ?? -1 })),
      ({ cause }) => cause,
    )
    for (const [cause, same] of raised) followed[cause] = extendLife(followed[cause], turn, same)
    if (!judges(judgement)) continue
    before.forEach((_, cause) => {
      const each = followed[cause]
      if (each === undefined || each.life.goneInTurn !== null) return
      // An issue with two causes continues one of them only; the other is not gone either.
      if (raised.has(cause) || similar.has(cause)) return
      followed[cause] = { ...each, life: { ...each.life, goneInTurn: turn } }
    })
  }
  return followed.map(({ life }) => life)
}

function extendLife<I extends Complaint>(
  before: Followed<I> | undefined,
  turn: number,
  raised: readonly { trace: Traced<I>; position: number }[],
): Followed<I> {
  const newest = raised.map(({ trace }) => trace)
  const [wording, ...others] = bySeverity(newest.map(({ issue }) => issue))
  if (wording === undefined) throw new Error('a cause without an issue')
  const bySignature = groupBy([...newest, ...(before?.traces ?? [])], ({ signature }) => signature)
  return {
    traces: [...bySignature.values()].flatMap((same) => same.slice(0, 1)),
    life: {
      signature: issueSignature(wording),
      wordings: [wording, ...others],
      wordingCount: bySignature.size,
      turns: before === undefined ? [turn] : [...before.life.turns, turn],
      position: before?.life.position ?? raised[0]?.position ?? 0,
      goneInTurn: null,
    },
  }
}
