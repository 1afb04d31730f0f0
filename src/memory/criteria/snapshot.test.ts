import { describe, expect, test } from 'vitest'
import { encodeState, NO_TURNS } from '../../rules/world-state.ts'
import { isSnapshotWhole, snapshotRow } from './snapshot.ts'

const TASK_KEY = 'shop/FEAT-1/TASK-1'

/** Returns the row of a world whose turns name no criteria. */
const rowOf = (
  turnCount: number,
  { turnsFound, turnsInState = turnCount }: { turnsFound: number; turnsInState?: number },
) =>
  snapshotRow.parse({
    world: {
      slug: 'main',
      key: 'shop/main',
      taskKey: TASK_KEY,
      currentTurn: turnCount,
      turnCount,
      state: encodeState(TASK_KEY, { ...NO_TURNS, turn: turnCount, turnCount: turnsInState }),
      specifiedAfter: null,
      hasProofFiles: null,
      deleted: false,
    },
    namedCriteria: [],
    turnsFound,
    turns: [],
    criteria: [],
  })

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

  test('a commit within the bound that was seen in part is read again', () => {
    expect(isWhole(rowOf(3, { turnsFound: 2 }))).toBe(false)
  })
})
