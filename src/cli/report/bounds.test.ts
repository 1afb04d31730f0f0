import { describe, expect, test } from 'vitest'
import { shortenTexts, takeWithin } from './bounds.ts'

describe('the limits of a report', () => {
  test('a long text is cut between characters and counts the omitted ones; the key of a criterion is not cut', () => {
    const answer = { evidence: `${'a'.repeat(9)}😀😀😀`, key: 'k'.repeat(50), count: 3, none: null }
    const [short, cut] = shortenTexts(answer, 10)
    expect(short).toEqual({ ...answer, evidence: `${'a'.repeat(9)}😀… (2 more letters)` })
    expect(cut).toBe(1)
    expect(shortenTexts(answer, 12)).toEqual([answer, 0])
  })

  test('takes as many of the first items as fit', () => {
    expect(takeWithin(['aa', 'bb', 'cc'], 8)).toEqual(['aa', 'bb'])
    expect(takeWithin(['aa', 'bb'], 3)).toEqual([])
    expect(takeWithin(['aa'], 4)).toEqual(['aa'])
    expect(takeWithin(['ää'], 5)).toEqual([])
  })
})
