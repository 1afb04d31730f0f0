import { describe, expect, test } from 'vitest'
import { notYetNamed } from '../../rules/progress.ts'
import { encodeState, NO_TURNS, type StoredState, sumDigests } from '../../rules/world-state.ts'
import { isOfState, isSnapshotWhole, snapshotRow } from './snapshot.ts'

const TASK_KEY = 'shop/FEAT-1/TASK-1'

/** Returns the row of a world whose turns name no criteria. */
const rowOf = (
  turnCount: number,
  {
    turnsFound,
    turnsInState = turnCount,
    state = { ...NO_TURNS, turn: turnCount, turnCount: turnsInState },
  }: { turnsFound: number; turnsInState?: number; state?: StoredState },
) =>
  snapshotRow.parse({
    world: {
      slug: 'main',
      key: 'shop/main',
      taskKey: TASK_KEY,
      currentTurn: turnCount,
      turnCount,
      state: encodeState(TASK_KEY, state),
      specifiedAfter: null,
      hasProofFiles: null,
      deleted: false,
    },
    namedCriteria: [],
    turnsFound,
    turns: [],
    criteria: [],
  })

/** Returns turns without entries, with these digests. */
const turnsOf = (...digests: string[]) =>
  digests.map((digest, i) => ({
    ...{ turn: i + 1, digest, verificationCount: 0, promiseCount: 0, outcome: null },
    ...{ entries: [], promised: [] },
  }))

describe('whether a snapshot was read at one moment', () => {
  const isWhole = isSnapshotWhole(32)

  test('a world of more turns than were asked for comes without its ledger', () => {
    expect(isWhole(rowOf(33, { turnsFound: 0 }))).toBe(true)
  })

  test('a commit that took the world above the bound while it was read is read again', () => {
    expect(isWhole(rowOf(33, { turnsFound: 33 }))).toBe(false)
  })

  test('a state from before a commit is read again if the counters of the world show the commit', () => {
    expect(isWhole(rowOf(40, { turnsFound: 0, turnsInState: 39 }))).toBe(false)
  })

  test('turns from before a replacement are read again with the state after it', () => {
    const state = { ...NO_TURNS, turn: 2, turnCount: 2, digestSum: sumDigests(0, turnsOf('a', 'b')) }
    const read = (...digests: string[]) => {
      const row = rowOf(2, { turnsFound: 2, state })
      return isWhole({ ...row, turns: turnsOf(...digests) })
    }
    expect(read('a', 'b')).toBe(true)
    expect(read('before', 'b')).toBe(false)
  })

  test('turns from before an added verification are read again with the state after it', () => {
    const progress = new Map([
      [`${TASK_KEY}/text:00`, { ...notYetNamed({ turn: 1, position: 0 }), entries: 1 }],
    ])
    const state = { ...NO_TURNS, turn: 1, turnCount: 1, digestSum: sumDigests(0, turnsOf('a')), progress }
    expect(isOfState(state, [{ digest: 'a', entries: [0] }])).toBe(true)
    expect(isOfState(state, turnsOf('a'))).toBe(false)
  })

  test('a commit within the bound that was seen in part is read again', () => {
    expect(isWhole(rowOf(3, { turnsFound: 2 }))).toBe(false)
  })
})
