import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import type { LedgerEntry, Progress } from './rows.ts'
import { NO_LEDGER, readSnapshot, type Snapshot, type Target, WHOLE_LEDGER } from './snapshot.ts'
import { analyseStall, LONGEST_WINDOW, type Stall } from './stall.ts'
import {
  advance,
  type CriterionState,
  criterionStates,
  entriesIn,
  HISTORY_SHOWN,
  type Policy,
  promisedNotJudged,
} from './state.ts'
import type { Role, StallView } from './views.ts'

/** Stall analysis of a world as of a turn: what is read for it, and what a role is shown of it. */
export type StallRequest = Target & { turn?: number | null | undefined; policy: Policy }

/**
 * Whether a session still gets anywhere, as of a turn (inclusive; default: the newest).
 *
 * @throws `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { verdict, shouldStop, reason } = await loadStall(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', policy: 'sticky' })
 */
export async function loadStall(store: Graph, request: StallRequest): Promise<Stall> {
  const graph = withOneDeadline(store)
  const { policy } = request
  const turn = request.turn ?? null
  const read = async (ledgerUpTo: number): Promise<Stall | null> => {
    const snapshot = await readSnapshot(graph, request, turn, ledgerUpTo)
    if (snapshot === null) return analyseStall(sessionOf(NOTHING, [], policy))
    const states = criterionStates(snapshot.criteria, snapshot.progress, policy)
    return reachesBack(snapshot, states) ? analyseStall(sessionOf(snapshot, states, policy)) : null
  }
  const known = await read(policy === 'sticky' ? NO_LEDGER : WHOLE_LEDGER)
  if (known !== null) return known
  const whole = await read(WHOLE_LEDGER)
  if (whole === null) throw new Error('the whole ledger does not reach back')
  return whole
}

type Seen = Pick<Snapshot, 'criteria' | 'outcomes' | 'progress' | 'ledger'>
const NOTHING: Seen = { criteria: [], outcomes: [], progress: new Map(), ledger: null }

/** Whether what was read of each criterion covers all turns that a verdict may look at. */
export function reachesBack(
  { outcomes, progress, ledger }: Seen,
  states: readonly CriterionState[],
): boolean {
  if (ledger !== null) return true
  const first = outcomes.at(-LONGEST_WINDOW)?.turn ?? 1
  return states.every(({ key }) => {
    const { entries = 0, recent = [] } = progress.get(key) ?? {}
    return entries <= HISTORY_SHOWN || (recent[0]?.turn ?? 0) < first
  })
}

export function sessionOf(
  { criteria: all, outcomes, progress, ledger }: Seen,
  criteria: readonly CriterionState[],
  policy: Policy,
): Parameters<typeof analyseStall>[0] {
  return {
    outcomes,
    criteria,
    progress,
    promisedNotJudged: promisedNotJudged(all, progress),
    verifiedAfter: policy === 'sticky' || ledger === null ? firstVerified(criteria) : folded(ledger, policy),
    entriesOf: entriesIn({ ledger, progress }),
  }
}

/** Under `sticky` nothing leaves the set: who was verified by then is in it. */
const firstVerified =
  (criteria: readonly CriterionState[]) =>
  (turn: number): number =>
    criteria.filter(({ verifiedInTurn }) => verifiedInTurn !== null && verifiedInTurn <= turn).length

/** The size of the set after each turn, from one pass over the ledger. */
function folded(ledger: readonly LedgerEntry[], policy: Policy): (turn: number) => number {
  const state = { sticky: 'state', evidence: 'evidenceState', latest: 'latestState' } as const
  const byTurn = new Map<number, LedgerEntry[]>()
  for (const entry of ledger) {
    const list = byTurn.get(entry.turn) ?? []
    byTurn.set(entry.turn, list)
    list.push(entry)
  }
  let progress: ReadonlyMap<string, Progress> = new Map()
  const sizes = [...byTurn]
    .sort(([a], [b]) => a - b)
    .map(([turn, entries]) => {
      progress = advance(progress, entries, [])
      return { turn, size: [...progress.values()].filter((p) => p[state[policy]] === 'verified').length }
    })
  return (turn) => sizes.findLast((after) => after.turn <= turn)?.size ?? 0
}

/** The Player sees that it stalls and what is left, nothing of what lies behind the verdicts (invariant 9). */
export function stallFor(role: Role, stall: Stall): StallView {
  if (role === 'coach') return stall
  const { reason, suggestion, signatures, ...open } = stall
  return { ...open, signatures: signatures.map(({ turn, verifiedTotal }) => ({ turn, verifiedTotal })) }
}

const WARNED = new Set(['plateau', 'oscillating', 'stalled'])

/** The warning in a context; null where there is nothing to warn of. */
export function stallWarning(
  role: Role,
  stall: Pick<StallView, 'verdict' | 'reason' | 'suggestion' | 'sinceTurn' | 'criteriaLeft'>,
): string | null {
  if (!WARNED.has(stall.verdict)) return null
  if (role === 'coach') return [`${stall.verdict}. ${stall.reason}`, stall.suggestion ?? ''].join(' ').trim()
  const left = stall.criteriaLeft.length === 0 ? '' : `; criteria left: ${stall.criteriaLeft.join(', ')}`
  return `${stall.verdict} since turn ${stall.sinceTurn}${left}`
}
