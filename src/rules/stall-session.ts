/** Prepares a world for stall analysis: the criteria that count, and the verified set after each turn. Pure. */
import { groupBy } from '../core/group-by.ts'
import type { Snapshot } from '../memory/criteria/snapshot.ts'
import type { CriterionState } from '../memory/criteria/views.ts'
import { isRequired, type Policy } from './criterion-states.ts'
import { advance, entriesIn, HISTORY_SHOWN, type LedgerEntry, type Progress } from './progress.ts'
import { promisedNotCounted } from './specified-states.ts'
import { MAX_WINDOW, type Session } from './stall.ts'

/** The facts of a world that stall analysis uses. Without a ledger, it uses the newest entries of each criterion. */
export type Seen = Pick<Snapshot, 'criteria' | 'outcomes' | 'progress' | 'ledger' | 'specifiedAfter'>

/** True if the entries of each criterion cover all turns that a verdict may use. */
export function reachesBack(
  { outcomes, progress, ledger }: Seen,
  states: readonly CriterionState[],
): boolean {
  if (ledger !== null) return true
  const first = outcomes.at(-MAX_WINDOW)?.turn ?? 1
  return states.every(({ key }) => {
    const { entries = 0, recent = [] } = progress.get(key) ?? {}
    return entries <= HISTORY_SHOWN || (recent[0]?.turn ?? 0) < first
  })
}

export function toSession(
  { criteria: all, outcomes, progress, ledger, specifiedAfter }: Seen,
  states: readonly CriterionState[],
  policy: Policy,
  isSuperseded: boolean,
): Session {
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
  if (policy === 'fresh' || policy === 'observed')
    return firstVerified(criteria.filter(({ state }) => state === 'verified'))
  return policy === 'sticky' || ledger === null ? firstVerified(criteria) : folded(ledger, policy, criteria)
}

/** Under `sticky`, no criterion leaves the set: it contains all criteria verified up to a turn. */
const firstVerified =
  (criteria: readonly CriterionState[]) =>
  (turn: number): number =>
    criteria.filter(({ verifiedInTurn }) => verifiedInTurn !== null && verifiedInTurn <= turn).length

/** Computes the size of the set after each turn in one pass over the ledger. */
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
