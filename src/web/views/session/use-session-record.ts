// Asks for all that a session's view shows, and again whenever the session changes.
import type { Failure } from '../../service/failure.ts'
import type { Answered, Criteria, ItemOf, Turn } from '../../service/operations.ts'
import { useEvents, useOperation, useWholeList } from '../../service/use-service.ts'
import type { Policy } from './as-of.tsx'

export type SessionRecord = {
  world: Answered<'getWorld'>
  /** All of its turns, ascending; null until they are there, as they are megabytes of a long session. */
  turns: readonly Turn[] | null
  /** What was tried in the turn that is looked at, and how it ended; null before the first. */
  why: Answered<'explainTurn'> | null
  /** What the matrix is read from; null until it is there, as it is every verdict of a session. */
  byTurn: Answered<'listCriteriaByTurn'> | null
  /** As of the turn and by the policy that are looked at; `sticky` by that policy, where it is another one. */
  criteria: Criteria
  sticky: Criteria | null
  stall: Answered<'loadStall'> | null
  issues: readonly ItemOf<'listIssues'>[] | null
}

type Asked = { project: string; world: string; turn: number | null; policy: Policy }

/** The record is null until its main parts are there; a failure beside it says that it may be out of date. */
export function useSessionRecord({ project, world: slug, turn, policy }: Asked): {
  record: SessionRecord | null
  failure: Failure | null
} {
  const of = { project, world_slug: slug }
  const asOf = turn === null ? of : { ...of, turn }
  const world = useOperation('getWorld', of)
  const hasTurns = (world.answer?.current_turn ?? 0) > 0
  const why = useOperation('explainTurn', hasTurns ? asOf : null)
  const byTurn = useOperation('listCriteriaByTurn', of)
  const criteria = useOperation('listCriteria', { ...asOf, policy })
  const sticky = useOperation('listCriteria', policy === 'sticky' ? null : { ...asOf, policy: 'sticky' })
  const stall = useOperation('loadStall', { ...asOf, policy })
  const isMatrixThere = byTurn.answer !== null && criteria.answer !== null
  // What stands below the matrix is asked for once it is there: megabytes of records would hold it up in the service.
  const turns = useWholeList('listTurns', isMatrixThere ? of : null)
  const issues = useWholeList('listIssues', isMatrixThere ? asOf : null)
  const answers = [world, turns, why, byTurn, criteria, sticky, stall, issues]
  useEvents(of, () => {
    for (const { again } of answers) again()
  })
  const failure = answers.find((answer) => answer.failure !== null)?.failure ?? null
  if (world.answer === null || criteria.answer === null) return { record: null, failure }
  const record = {
    world: world.answer,
    turns: turns.answer,
    why: why.answer,
    byTurn: byTurn.answer,
    criteria: criteria.answer,
    sticky: sticky.answer,
    stall: stall.answer,
    issues: issues.answer,
  }
  return { record, failure }
}
