import { expect, test } from 'vitest'
import { addFiles, dropOldTouches, NO_FILES, staleSince } from './stale.ts'

const finalKey = (key: string): string => key
const touch = (turn: number) => ({ turn, touched: ['src/a.ts'], promised: [], verified: [] })

test('only the first touch of a file after each verification is kept', () => {
  const files = [1, 2, 3, 4].reduce((before, turn) => addFiles(before, touch(turn), finalKey), NO_FILES)
  const kept = dropOldTouches(files, [1, 3, null])
  expect([...kept.touched]).toEqual([['src/a.ts', [2, 4]]])
  expect([...dropOldTouches(files, [4]).touched]).toEqual([])
})

test('a proof is stale from the first later touch, whether all touches or only the kept ones are used', () => {
  const proven = {
    turn: 3,
    touched: ['src/a.ts'],
    promised: [],
    verified: [{ key: 'a', files: ['src/a.ts'] }],
  }
  const files = [touch(1), touch(2), proven, touch(4), touch(5)].reduce(
    (before, turn) => addFiles(before, turn, finalKey),
    NO_FILES,
  )
  const expected = { turn: 4, files: ['src/a.ts'] }
  expect(staleSince(files)('a', 3)).toEqual(expected)
  expect(staleSince(dropOldTouches(files, [1, 3]))('a', 3)).toEqual(expected)
})
