/** Follows issues through a session (specification.md, "Issues have a life"): when they are opened, raised and gone. Pure. */
import { groupBy } from '../core/group-by.ts'
import { assignCauses, type CauseMark, markCause, traceOf } from './causes.ts'
import { COUNTED_DECISIONS } from './outcome.ts'
import { bySeverity } from './severity.ts'
import { type Complaint, issueSignature } from './signature.ts'
import type { CoachDecision } from './values.ts'

export type Judgement<I> = { turn: number; coachDecision: CoachDecision; issues: readonly I[] }

export type IssueLife<I> = {
  /** Category of its newest wording. */
  signature: string
  /** As worded by the newest turn that raised it, most severe first: several if that turn raised it repeatedly. */
  wordings: readonly [I, ...I[]]
  /** How many wordings it had in all turns; two are one if their signatures are equal. */
  wordingCount: number
  /** Its other wordings, each with the newest turn that used it, the newest first. */
  otherWordings: readonly { turn: number; issue: I }[]
  turns: readonly [number, ...number[]]
  /** Its place among the issues of the first of them: with that turn, a total order of a session's issues. */
  position: number
  /** The judged turn that no longer raised its cause; null while it is open. */
  goneInTurn: number | null
}

/** Turns with other decisions do not judge: earlier open issues stay open, and issues of these turns open too. */
const judges = (decision: CoachDecision): boolean => COUNTED_DECISIONS.some((counted) => counted === decision)

/** A life without its words, which the record of its newest turn has. */
export type CauseLife = {
  /** All wordings, the newest first: an issue that has the cause of any of them continues the life. */
  marks: readonly CauseMark[]
  turns: readonly number[]
  position: number
  /** Places of its issues in the newest of its turns. */
  newest: readonly number[]
  goneInTurn: number | null
}

/** Follows the causes of issues through the next turn. */
export function advanceLives(
  lives: readonly CauseLife[],
  { turn, coachDecision, marks }: { turn: number; coachDecision: CoachDecision; marks: readonly CauseMark[] },
): CauseLife[] {
  const before = lives.map((life) => life.marks.map(traceOf))
  const { causes, raised: similar } = assignCauses(marks.map(traceOf), before)
  const raised = groupBy(
    causes.map((cause, position) => ({ cause, position })),
    ({ cause }) => cause,
  )
  const next = [...lives]
  for (const [cause, same] of raised) {
    const places = same.map(({ position }) => position)
    next[cause] = extendLife(next[cause], turn, places, marks)
  }
  if (!judges(coachDecision)) return next
  // An issue with two causes continues one of them only; the other is not gone either.
  const isOver = (life: CauseLife, cause: number) =>
    life.goneInTurn === null && !raised.has(cause) && !similar.has(cause)
  return next.map((life, cause) => (isOver(life, cause) ? { ...life, goneInTurn: turn } : life))
}

function extendLife(
  before: CauseLife | undefined,
  turn: number,
  newest: number[],
  marks: readonly CauseMark[],
): CauseLife {
  const raised = newest.flatMap((place) => marks[place] ?? [])
  const bySignature = groupBy([...raised, ...(before?.marks ?? [])], ({ signature }) => signature)
  return {
    marks: [...bySignature.values()].flatMap((same) => same.slice(0, 1)),
    turns: [...(before?.turns ?? []), turn],
    position: before?.position ?? newest[0] ?? 0,
    newest,
    goneInTurn: null,
  }
}

/** All issues that the turns raised, one for each cause, in the order in which they were opened. */
export function followIssues<I extends Complaint>(judgements: readonly Judgement<I>[]): IssueLife<I>[] {
  const ascending = judgements.toSorted((a, b) => a.turn - b.turn)
  const issuesByTurn = new Map(ascending.map(({ turn, issues }) => [turn, issues]))
  const lastWorded = new Map(
    ascending.flatMap(({ turn, issues }) =>
      issues.map((issue) => [issueSignature(issue), { turn, issue }] as const),
    ),
  )
  const lives = ascending.reduce<CauseLife[]>(
    (known, { issues, ...judgement }) => advanceLives(known, { ...judgement, marks: issues.map(markCause) }),
    [],
  )
  return lives.map(({ marks, turns: [first = 0, ...later], position, newest, goneInTurn }) => {
    const issues = issuesByTurn.get(later.at(-1) ?? first) ?? []
    const [wording, ...others] = bySeverity(newest.flatMap((place) => issues[place] ?? []))
    if (wording === undefined) throw new Error('a cause without an issue')
    const shown = new Set([wording, ...others].map(issueSignature))
    const otherWordings = marks.flatMap(({ signature }) => {
      const last = shown.has(signature) ? undefined : lastWorded.get(signature)
      return last === undefined ? [] : [last]
    })
    return {
      signature: issueSignature(wording),
      wordings: [wording, ...others],
      wordingCount: marks.length,
      otherWordings,
      turns: [first, ...later],
      position,
      goneInTurn,
    }
  })
}
