import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeText, oneBeginsWithTheOther, sharedShare, splitWords } from './words.ts'

describe('normalized text', () => {
  test.each([
    ['It answers.', 'it answers'],
    ['- It answers', 'it answers'],
    ['+ It answers', 'it answers'],
    ['* It answers', 'it answers'],
    ['• It answers', 'it answers'],
    ['1. It answers', 'it answers'],
    ['12) It answers', 'it answers'],
    ['- [ ] It answers', 'it answers'],
    ['* [x] It answers', 'it answers'],
    ['[X] It answers', 'it answers'],
    ['[ ] It answers', 'it answers'],
    ['  \t It \n answers \u00a0 ', 'it answers'],
    ['**It** `answers` #4 [now]', 'it answers 4 now'],
    ['ＩＴ ﬁnds', 'it finds'],
    ['It answers.;:, ', 'it answers'],
    ['It answers; at last', 'it answers; at last'],
    ['-It answers', '-it answers'],
    ['1.5 seconds', '1.5 seconds'],
    ['', ''],
    ['- ', ''],
  ])('of %j is %j', (given, normalized) => {
    expect(normalizeText(given)).toBe(normalized)
  })
})

test.each([
  ['It answers with 404!', ['it', 'answers', 'with', '404']],
  ['`snake_case` and kebab-case', ['snakecase', 'and', 'kebab', 'case']],
  ['Größe: 漢字 ok', ['größe', '漢字', 'ok']],
  ['e\u0301te\u0301', ['été']],
  ['…—!', []],
  ['AC-1: It answers', ['it', 'answers']],
  ['**AC-SEED-01** — It answers', ['it', 'answers']],
  ['一覧を、表示する', ['一覧', '覧を', 'を表', '表示', '示す', 'する']],
  ['サーバー', ['サー', 'ーバ', 'バー']],
  ['検索 API が返す', ['検索', 'api', 'が返', '返す']],
  ['แสดง', ['แส', 'สด', 'ดง']],
  ['ສະແດງ', ['ສະ', 'ະແ', 'ແດ', 'ດງ']],
  ['រក', ['រក']],
  ['រកឃើញ', ['រក', 'កឃ', 'ឃើ', 'ើញ']],
  ['မြန်', ['မြ', 'ြန', 'န်']],
])('the words of %j are %j', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test.each([
  ['a b', 'a b c', true],
  ['a b c', 'a b', true],
  ['a b', 'a b', true],
  ['a c', 'a b c', false],
  ['', 'a', true],
])('"%s" and "%s": one begins with the other: %s', (a, b, begins) => {
  const words = (text: string) => text.split(' ').filter((word) => word !== '')
  expect(oneBeginsWithTheOther(words(a), words(b))).toBe(begins)
})

test.each([
  [['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c'], 1],
  [['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'x', 'y'], 0.6],
  [['a', 'a', 'a', 'b'], ['a', 'c', 'd'], 0.5],
  [['a'], ['b'], 0],
  [[], ['a'], 0],
  [[], [], 0],
])('of the shorter of %j and %j the other has %d', (a, b, share) => {
  expect(sharedShare(new Set(a), new Set(b))).toBe(share)
  expect(sharedShare(new Set(b), new Set(a))).toBe(share)
})

test('one comma does not make another criterion in a script without spaces', () => {
  for (const [one, other] of [
    ['検索結果を、一覧で表示する。', '検索結果を一覧で表示する'],
    ['显示结果，然后保存', '显示结果然后保存'],
    ['แสดงผล และบันทึก', 'แสดงผลและบันทึก'],
  ])
    expect(splitWords(one ?? '')).toEqual(splitWords(other ?? ''))
})

test('a text in ASCII has the same words with and without a letter outside ASCII behind it', () => {
  const ascii = fc.string({ unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)) })
  fc.assert(
    fc.property(ascii, (text) => {
      const framed = `word ${text} word`
      expect([...splitWords(framed), 'é']).toEqual(splitWords(`${framed} é`))
    }),
  )
})
