import { describe, expect, test } from 'vitest'
import {
  BASES,
  type Basis,
  createGrader,
  describeBases,
  listUnseen,
  markEvidence,
  noteBasis,
} from './basis.ts'

const LONG = 'npm test -- rounding passes with 41 tests, and none of them is skipped'
const EIGHT = 'one two three four five six seven eight'

const grade = (promises: Record<string, string | null>, evidence: string | null, key = 'a'): Basis =>
  createGrader(new Map(Object.entries(promises).map(([of, text]) => [of, markEvidence(text)])))(key, evidence)

describe('how a verification is known', () => {
  test.each<[string, Record<string, string | null>, string | null, Basis]>([
    ['a text of the judge is judged', { a: LONG }, 'I ran it: 40 of 41 pass', 'judged'],
    ['a text without any promise is judged', {}, LONG, 'judged'],
    ['the text of the promise is repeated', { a: LONG }, LONG, 'repeated'],
    ['case, marks and white space do not count', { a: LONG }, `  **${LONG.toUpperCase()}**.\n`, 'repeated'],
    ['a text that contains the promise is repeated', { a: LONG }, `Player says: ${LONG}. Fine.`, 'repeated'],
    ['eight words are enough to be contained', { a: EIGHT }, `zero ${EIGHT} nine`, 'repeated'],
    ['seven words are not', { a: EIGHT.replace('one ', '') }, `zero ${EIGHT} nine`, 'judged'],
    ['a short promise may be the whole text', { a: 'Done' }, 'done.', 'repeated'],
    ['a short promise may not be a part of the text', { a: 'Done' }, 'Done in src/a.ts', 'judged'],
    ['a part of the promise is no repetition', { a: LONG }, 'npm test -- rounding passes', 'judged'],
    ['a word that only ends as the promise differs', { a: EIGHT }, `${EIGHT}teen`, 'judged'],
    ['the text for another criterion is misplaced', { a: 'mine', b: LONG }, LONG, 'misplaced'],
    ['it is misplaced without a promise of its own, too', { b: LONG }, `${LONG}!`, 'misplaced'],
    ['a text for both is repeated', { a: LONG, b: LONG }, LONG, 'repeated'],
    ['both texts together are repeated', { a: EIGHT, b: LONG }, `${LONG} ${EIGHT}`, 'repeated'],
    ['no text is bare', { a: LONG }, null, 'bare'],
    ['white space is bare', { a: LONG }, ' \n', 'bare'],
    ['a text of absence is bare', { a: LONG }, 'Matched in Player requirements_met', 'bare'],
    ['a promised text of absence is bare', { a: '[Text fallback] x' }, '[Text fallback] x', 'bare'],
    ['a promise without a text is never repeated', { a: null, b: '' }, 'looks good', 'judged'],
    ['signs are words where there are no others', { a: '✅' }, '✅', 'repeated'],
    ['other signs are not', { a: '✅' }, '👍', 'judged'],
    [
      'scripts without spaces are split',
      { a: '所有测试都已经通过了没有失败' },
      '玩家说所有测试都已经通过了没有失败对',
      'repeated',
    ],
  ])('%s', (_, promises, evidence, basis) => {
    expect(grade(promises, evidence)).toBe(basis)
  })

  test('a promise is found at each place and after each false start', () => {
    const promise = `${EIGHT} nine`
    for (const before of ['', `${EIGHT} `, `${EIGHT} ten `, 'one two '])
      expect(grade({ a: promise }, `${before}${promise} end`)).toBe('repeated')
    expect(grade({ a: promise }, `${EIGHT} ten`)).toBe('judged')
  })

  describe('500 criteria with long texts', () => {
    const promiseOf = (i: number) => `${'pass '.repeat(8 + i)} ${i}`
    const gradeOne = createGrader(
      new Map(Array.from({ length: 500 }, (_, i) => [`${i}`, markEvidence(promiseOf(i))])),
    )

    test('a promise is found behind many words', () => {
      const text = `${Array.from({ length: 12_000 }, (_, i) => `word${i}`).join(' ')} ${promiseOf(7)}`
      expect(gradeOne('7', text)).toBe('repeated')
      expect(gradeOne('8', text)).toBe('misplaced')
    })

    test('a text in which each word may begin each promise is compared a bounded number of times', () => {
      const text = 'pass '.repeat(12_000)
      for (let i = 0; i < 100; i++) expect(gradeOne(`${i}`, text)).toBe('judged')
    })
  })
})

describe('the words for it', () => {
  test('a note names each basis but that of a judge', () => {
    expect(BASES.map(noteBasis)).toEqual([
      'observed',
      null,
      "in the Player's words",
      "in the Player's words for another criterion",
      'without evidence',
    ])
    expect(noteBasis(null)).toBeNull()
  })

  test('counts name what there is', () => {
    const counts = { observed: 2, judged: 0, repeated: 6, misplaced: 0, bare: 1 }
    expect(describeBases(counts)).toEqual(['2 observed', "6 in the Player's words", '1 without evidence'])
    expect(describeBases({ observed: 0, judged: 0, repeated: 0, misplaced: 0, bare: 0 })).toEqual([])
  })

  test('nobody but the Player has seen what is repeated, misplaced or bare, and counts', () => {
    const criteria = BASES.map((basis) => ({ state: 'verified', basis }))
    expect(listUnseen(criteria).map(({ basis }) => basis)).toEqual(['repeated', 'misplaced', 'bare'])
    expect(listUnseen([{ state: 'verified', basis: 'bare', declared: false }])).toEqual([])
    expect(listUnseen([{ state: 'rejected', basis: null }])).toEqual([])
  })
})
