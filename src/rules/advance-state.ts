/** Adds turns to the state of their world. Pure. A capture adds one turn; after any other write, all turns are added again. */
import { groupBy } from '../core/group-by.ts'
import { listMeanings } from './identity.ts'
import type { Outcome } from './outcome.ts'
import { advance, type LedgerEntry, type PromiseEntry } from './progress.ts'
import { type StoredState, sumDigests } from './world-state.ts'

/** The entries of a turn about criteria, with added verifications, and the outcome of the turn. */
export type LedgerTurn = {
  turn: number
  digest: string
  /** Null if the turn does not count. */
  outcome: Outcome | null
  entries: readonly LedgerEntry[]
  promised: readonly PromiseEntry[]
}

/** Maximum number of newest outcomes in a state. Stall analysis uses fewer. */
const MAX_OUTCOMES = 8

/** Maximum number of meanings of a criterion: the labels under which it was named last, each with its source. */
const MAX_MEANINGS = 32

/** Adds turns to a state. `turns`: in any order, all newer than those of the state. */
export function advanceState(
  before: StoredState,
  turns: readonly LedgerTurn[],
  finalKey: (key: string) => string,
): StoredState {
  const ascending = turns.toSorted((a, b) => a.turn - b.turn)
  const newest = ascending.at(-1)
  if (newest === undefined) return before
  return {
    turn: newest.turn,
    digest: newest.digest,
    digestSum: sumDigests(before.digestSum, turns),
    turnCount: before.turnCount + turns.length,
    ...advanceNames(before, ascending, finalKey),
    progress: advance(
      before.progress,
      ascending.flatMap(({ entries }) => entries),
      ascending.flatMap(({ promised }) => promised),
      finalKey,
    ),
    outcomes: [...before.outcomes, ...ascending.flatMap(({ outcome }) => outcome ?? [])].slice(-MAX_OUTCOMES),
  }
}

/** Adds turns to the part of a state by which the next record is resolved: the meanings of labels, and the newest promises. */
export function advanceNames(
  before: Pick<StoredState, 'labels' | 'promised'>,
  turns: readonly LedgerTurn[],
  finalKey: (key: string) => string,
): Pick<StoredState, 'labels' | 'promised'> {
  const ascending = turns.toSorted((a, b) => a.turn - b.turn)
  const promising = ascending.findLast(({ promised }) => promised.length > 0)
  const labels = new Map(before.labels)
  for (const turn of ascending) addMeanings(labels, turn, finalKey)
  return {
    labels,
    promised:
      promising === undefined
        ? before.promised
        : {
            turn: promising.turn,
            digest: promising.digest,
            promises: byPosition(promising.promised).map(({ label, criterionKey }) => ({
              label,
              criterionKey: finalKey(criterionKey),
            })),
          },
  }
}

/** Adds the meanings of labels. Keeps the newest ones of each criterion: an entry without a text uses a current label. */
function addMeanings(labels: Map<string, string>, turn: LedgerTurn, finalKey: (key: string) => string): void {
  for (const named of listLabeledEntries(turn))
    for (const meaning of listMeanings(named)) {
      labels.delete(meaning) // moves it to the end
      labels.set(meaning, finalKey(named.criterionKey))
    }
  const meanings = groupBy([...labels], ([, key]) => key)
  for (const [meaning] of [...meanings.values()].flatMap((each) => each.slice(0, -MAX_MEANINGS)))
    labels.delete(meaning)
}

/** Lists the entries whose labels have a meaning. Omits added verifications, because a later record may have come before them. */
function listLabeledEntries({ entries, promised }: LedgerTurn) {
  const recorded = byPosition(entries.filter(({ addedAt }) => addedAt === null))
  return [
    ...byPosition(promised).map((promise) => ({ ...promise, source: 'player' })),
    ...recorded.filter(({ form }) => form === 'entry'),
    ...recorded.filter(({ form }) => form === 'status'),
  ]
}

const byPosition = <E extends { position: number }>(entries: readonly E[]): E[] =>
  entries.toSorted((a, b) => a.position - b.position)
