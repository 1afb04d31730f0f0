import { expect, test } from 'vitest'
import { compareKeys, firstAfter, windowAfter } from './order.ts'

const PUZZLE = 'p \u{1f9e9}'
const SIGN = 'p \uffee'

test('keys are in the order of their code points, which is not that of UTF-16', () => {
  expect([PUZZLE, SIGN, 'p', 'q', 'p é'].sort(compareKeys)).toEqual(['p', 'p é', SIGN, PUZZLE, 'q'])
  expect([PUZZLE, SIGN].sort()).toEqual([PUZZLE, SIGN])
})

test('a window begins at a key at which both orders agree', () => {
  expect(windowAfter('shop/é', 10)).toEqual({ after: 'shop/é', limit: 10 })
  expect(windowAfter(`${PUZZLE}/x`, 10)).toMatchObject({ after: 'p ' })
  expect(windowAfter(`${SIGN}/x`, 10).limit).toBeGreaterThan(1_000_000)
  expect(firstAfter([SIGN, PUZZLE, 'q'], (key) => key, SIGN, 1)).toEqual([PUZZLE])
})
