import { describe, expect, test } from 'vitest'
import { isSnapshotWhole, snapshotRow } from './snapshot.ts'

/** Returns the row of a world whose turns name no criteria. */
const rowOf = (turnCount: number, { turnsFound }: { turnsFound: number }) =>
  snapshotRow.parse({
    world: {
      slug: 'main',
      key: 'shop/main',
      taskKey: 'shop/FEAT-1/TASK-1',
      currentTurn: turnCount,
      turnCount,
      progressSum: 0,
      outcomes: [],
      promisedTurn: null,
      promisedDigest: null,
      newestDigest: null,
      specifiedAfter: null,
      hasProofFiles: null,
      deleted: false,
    },
    criteriaProgress: [],
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

  test('a commit within the bound that was seen in part is read again', () => {
    expect(isWhole(rowOf(3, { turnsFound: 2 }))).toBe(false)
  })
})
