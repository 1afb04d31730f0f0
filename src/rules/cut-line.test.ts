import { expect, test } from 'vitest'
import { cutLine, sliceBytes, sliceWhole } from './cut-line.ts'

const PUZZLE = '\u{1f9e9}'

test('a text that fits stays as it is', () => {
  expect(cutLine('Prices', 6)).toBe('Prices')
  expect(sliceWhole('Prices', 6)).toBe('Prices')
  expect(sliceBytes('Prices', 6)).toBe('Prices')
})

test('a cut line ends with a mark and has the maximum length', () => {
  expect(cutLine('Prices are shown', 8)).toBe('Prices…')
  expect(sliceWhole('Prices are shown', 9)).toBe('Prices ar')
})

test('a character of two halves is never cut in two', () => {
  for (const max of [2, 3, 4, 5, 6]) {
    expect(cutLine(PUZZLE.repeat(4), max).isWellFormed()).toBe(true)
    expect(sliceWhole(PUZZLE.repeat(4), max)).toBe(PUZZLE.repeat(Math.floor(max / 2)))
    expect(sliceBytes(PUZZLE.repeat(4), max)).toBe(PUZZLE.repeat(Math.floor(max / 4)))
    expect(sliceBytes('ä'.repeat(4), max)).toBe('ä'.repeat(Math.min(4, Math.floor(max / 2))))
  }
})
