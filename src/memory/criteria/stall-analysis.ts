/** Reads what stall analysis of a world needs, as of a turn. */
import { groupBy } from '../../core/group-by.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { isRequired, type Policy } from '../../rules/criterion-states.ts'
import type { LedgerEntry, Progress } from '../../rules/progress.ts'
import { advance, entriesIn, HISTORY_SHOWN } from '../../rules/progress.ts'
import { promisedNotCounted } from '../../rules/specified-states.ts'
import { analyseStall, LONGEST_WINDOW } from '../../rules/stall.ts'
import { readStates } from '../specification/read-states.ts'
import { NO_LEDGER, readSnapshot, type Snapshot, type Target, WHOLE_LEDGER } from './snapshot.ts'
import type { CriterionState, Stall } from './views.ts'

/** Stall analysis of a world as of a turn: what is read for it, and what a role is shown of it. */
export type StallRequest = Target & { turn?: number | null | undefined; policy: Policy }

/**
 * Whether a session still gets anywhere, as of a turn (inclusive; default: the newest).
 *
 * @throws `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { verdict, shouldStop, reason } = await loadStall(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', policy: 'sticky' })
 */
export async function loadStall(
  graph: Graph,
  request: StallRequest,
): Promise<Omit<Stall, 'playerSuggestion'>> {
  const ledgerUpTo = request.policy === 'sticky' ? NO_LEDGER : WHOLE_LEDGER
  const { playerSuggestion, ...stall } = await readStall(withOneDeadline(graph), request, ledgerUpTo)
  return stall
}

async function readStall(graph: Graph, request: StallRequest, ledgerUpTo: number): Promise<Stall> {
  const { turn = null, policy } = request
  const snapshot = await readSnapshot(graph, request, turn, ledgerUpTo)
  if (snapshot === null) return analyseStall(toSession(NOTHING, [], policy, false))
  const states = await readStates(graph, snapshot, policy)
  return stallAfter(graph, request, snapshot, states, snapshot.isSuperseded)
}

/**
 * Analyzes a snapshot. Reads the whole ledger if a criterion was named so often that its entries do not reach
 * back.
 *
 * @param isSuperseded true if the task has a newer session
 */
export const stallAfter = async (
  graph: Graph,
  request: StallRequest,
  snapshot: Snapshot,
  states: readonly CriterionState[],
  isSuperseded: boolean,
): Promise<Stall> =>
  reachesBack(snapshot, states)
    ? analyseStall(toSession(snapshot, states, request.policy, isSuperseded))
    : readStall(graph, { ...request, worldSlug: snapshot.worldSlug, turn: snapshot.turn }, WHOLE_LEDGER)

type Seen = Pick<Snapshot, 'criteria' | 'outcomes' | 'progress' | 'ledger' | 'specifiedAfter'>
const NOTHING: Seen = { criteria: [], outcomes: [], progress: new Map(), ledger: null, specifiedAfter: [] }

/** Whether what was read of each criterion covers all turns that a verdict may look at. */
function reachesBack({ outcomes, progress, ledger }: Seen, states: readonly CriterionState[]): boolean {
  if (ledger !== null) return true
  const first = outcomes.at(-LONGEST_WINDOW)?.turn ?? 1
  return states.every(({ key }) => {
    const { entries = 0, recent = [] } = progress.get(key) ?? {}
    return entries <= HISTORY_SHOWN || (recent[0]?.turn ?? 0) < first
  })
}

function toSession(
  { criteria: all, outcomes, progress, ledger, specifiedAfter }: Seen,
  states: readonly CriterionState[],
  policy: Policy,
  isSuperseded: boolean,
): Parameters<typeof analyseStall>[0] {
  const criteria = states.filter(isRequired)
  return {
    isSuperseded,
    outcomes,
    criteria,
    progress,
    promisedNotJudged: promisedNotCounted({ criteria: all, progress, specifiedAfter }),
    verifiedAfter: verifiedAfterEach(criteria, ledger, policy),
    findEntries: entriesIn({ ledger, progress }),
  }
}

function verifiedAfterEach(
  criteria: readonly CriterionState[],
  ledger: readonly LedgerEntry[] | null,
  policy: Policy,
): (turn: number) => number {
  if (policy === 'fresh') return firstVerified(criteria.filter(({ state }) => state === 'verified'))
  return policy === 'sticky' || ledger === null ? firstVerified(criteria) : folded(ledger, policy, criteria)
}

/** Under `sticky` nothing leaves the set: who was verified by then is in it. */
const firstVerified =
  (criteria: readonly CriterionState[]) =>
  (turn: number): number =>
    criteria.filter(({ verifiedInTurn }) => verifiedInTurn !== null && verifiedInTurn <= turn).length

/** The size of the set after each turn, from one pass over the ledger. */
function folded(
  ledger: readonly LedgerEntry[],
  policy: 'evidence' | 'latest',
  criteria: readonly CriterionState[],
): (turn: number) => number {
  const state = { evidence: 'evidenceState', latest: 'latestState' } as const
  const counted = new Set(criteria.map(({ key }) => key))
  let progress: ReadonlyMap<string, Progress> = new Map()
  const sizes = [...groupBy(ledger, ({ turn }) => turn)]
    .sort(([a], [b]) => a - b)
    .map(([turn, entries]) => {
      progress = advance(progress, entries, [])
      const verified = [...progress].filter(([key, p]) => counted.has(key) && p[state[policy]] === 'verified')
      return { turn, size: verified.length }
    })
  return (turn) => sizes.findLast((after) => after.turn <= turn)?.size ?? 0
}
