import { expect, test } from 'vitest'
import { groupDigits } from './group-digits.ts'

test.each([0, 7, 999, 1000, 65_536, 1_000_000, -1, -100, -1000, Number.MAX_SAFE_INTEGER])(
  '%d is written as in the locale en-US',
  (whole) => {
    expect(groupDigits(whole)).toBe(whole.toLocaleString('en-US'))
  },
)
