/** Runs stall analysis of a world as of a turn. */
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import type { Policy } from '../../rules/criterion-states.ts'
import { analyseStall } from '../../rules/stall.ts'
import { reachesBack, toSession } from '../../rules/stall-session.ts'
import { readStates } from './read-states.ts'
import { NO_LEDGER, readSnapshot, type Snapshot, type Target, WHOLE_LEDGER } from './snapshot.ts'
import type { CriterionState, Stall } from './views.ts'

export type StallRequest = Target & { turn?: number | null | undefined; policy: Policy }

/**
 * Determines if a session still makes progress, as of a turn (inclusive; default: the newest).
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

/** Analyzes a snapshot. Reads the whole ledger if a criterion was named so often that its entries do not reach back. */
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

const NOTHING = { criteria: [], outcomes: [], progress: new Map(), ledger: null, specifiedAfter: [] }
