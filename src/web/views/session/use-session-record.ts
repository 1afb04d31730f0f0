// Loads all data of a session view, and loads it again whenever the session changes.
import { useMemo, useReducer } from 'preact/hooks'
import type { Answered, Criteria, ItemOf, Turn } from '../../service/operations.ts'
import { type Answer, useEvents, useOperation, useWholeList } from '../../service/use-service.ts'
import type { Policy } from './as-of.tsx'

export type SessionRecord = {
  world: Answered<'getWorld'>
  /** All turns, ascending; null until they are loaded: a long session has megabytes of turns. */
  turns: readonly Turn[] | null
  /** Explanation of the selected turn; null before the first turn. */
  why: Answered<'explainTurn'> | null
  /** Verdicts of all turns, for the matrix; null until they are loaded. */
  byTurn: Answered<'listCriteriaByTurn'> | null
  /** Criteria as of the selected turn, by the selected policy. `sticky` has them by that policy, if another one is selected. */
  criteria: Criteria
  sticky: Criteria | null
  stall: Answered<'loadStall'> | null
  issues: readonly ItemOf<'listIssues'>[] | null
  /** How the session ended and why; null until it is loaded. */
  summary: Answered<'getSessionSummary'> | null
  /** Tokens of each turn whose tokens are known. */
  tokens: ReadonlyMap<number, number>
  /** Number of reported changes. A part that loads data of its own loads it again when this number changes. */
  changes: number
}

type Asked = { project: string; world: string; turn: number | null; policy: Policy }

/** Adds up the tokens of all kinds for each turn. */
const addKinds = (turns: NonNullable<Answered<'getWorld'>['turn_tokens']>): ReadonlyMap<number, number> =>
  new Map(
    turns.map(({ turn, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }) => [
      turn,
      input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens,
    ]),
  )

/** Loads the record; null until its main parts are loaded. A failure next to a record means that it may be outdated. */
export function useSessionRecord({
  project,
  world: slug,
  turn,
  policy,
}: Asked): Omit<Answer<SessionRecord>, 'again'> {
  const of = { project, world_slug: slug }
  const world = useOperation('getWorld', of)
  // An address may name a turn that does not exist yet, or that was withdrawn.
  const isTurnThere = turn === null || world.answer === null || turn <= world.answer.current_turn
  const asOf = { ...of, turn: isTurnThere ? turn : null }
  const hasTurns = (world.answer?.current_turn ?? 0) > 0
  const byTurn = useOperation('listCriteriaByTurn', of)
  // If the turn is not recorded, explains the newest recorded turn before it.
  const recorded = asOf.turn === null ? null : byTurn.answer?.turns.findLast((each) => each <= (turn ?? 0))
  const why = useOperation(
    'explainTurn',
    hasTurns && recorded !== undefined ? { ...of, turn: recorded } : null,
  )
  const criteria = useOperation('listCriteria', { ...asOf, policy })
  const sticky = useOperation('listCriteria', policy === 'sticky' ? null : { ...asOf, policy: 'sticky' })
  const stall = useOperation('loadStall', { ...asOf, policy })
  const isMatrixThere = byTurn.answer !== null && criteria.answer !== null
  // Loads the data below the matrix after the matrix: megabytes of records would delay the matrix in the service.
  const turns = useWholeList('listTurns', isMatrixThere ? of : null)
  const issues = useWholeList('listIssues', isMatrixThere ? asOf : null)
  const summary = useOperation('getSessionSummary', hasTurns ? of : null)
  const cost = useOperation('getWorld', isMatrixThere && hasTurns ? { ...of, tokens: true } : null)
  const tokens = useMemo(() => addKinds(cost.answer?.turn_tokens ?? []), [cost.answer])
  const answers = [world, turns, why, byTurn, criteria, sticky, stall, issues, summary, cost]
  const [changes, countChange] = useReducer((count: number) => count + 1, 0)
  useEvents(of, () => {
    for (const { again } of answers) again()
    countChange(undefined)
  })
  const failure = answers.find((answer) => answer.failure !== null)?.failure ?? null
  if (world.answer === null || criteria.answer === null) return { answer: null, failure, isLoading: true }
  const answer = {
    world: world.answer,
    turns: turns.answer,
    why: why.answer,
    byTurn: byTurn.answer,
    criteria: criteria.answer,
    sticky: sticky.answer,
    stall: stall.answer,
    issues: issues.answer,
    summary: summary.answer,
    tokens,
    changes,
  }
  return { answer, failure, isLoading: false }
}
