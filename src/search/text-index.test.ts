import { expect, test } from 'vitest'
import { readAddress } from '../web/address.ts'
import { pageLink } from './page-link.ts'
import { SEARCH_KINDS, type Source, TextIndex } from './text-index.ts'

const source = (number: number): Source => ({
  id: `turn ${number}`,
  key: `shop/main/${number}`,
  group: 'shop/main',
  number,
  time: number % 7,
  digest: String(number),
})
const put = (index: TextIndex, number: number, text: string) =>
  index.put(source(number), [{ kind: 'summary', position: 0, text }])
const find = (index: TextIndex, words: string[], limit = 100) =>
  index.search(words, { kinds: SEARCH_KINDS, after: null, limit }).map(({ number }) => number)

test('the best of many texts come first, in any order of adding', () => {
  const numbers = Array.from({ length: 1_000 }, (_, i) => ((i * 617) % 1_000) + 1)
  const index = new TextIndex()
  for (const number of numbers) put(index, number, number % 2 === 0 ? 'needle' : 'needles')
  const expected = numbers
    .toSorted((a, b) => Number(a % 2 !== 0) - Number(b % 2 !== 0) || (b % 7) - (a % 7) || b - a)
    .slice(0, 10)
  expect(find(index, ['needle'], 10)).toEqual(expected)
})

test('a short page is the beginning of a long one, by kinds, whole words and beginnings', () => {
  const index = new TextIndex()
  for (let number = 1; number <= 2_000; number++) {
    const kind = SEARCH_KINDS[number % SEARCH_KINDS.length] ?? 'summary'
    const text = `${number % 3 === 0 ? 'log' : 'login'} ${number % 5 === 0 ? 'page' : 'pages'}`
    index.put(source(number), [{ kind, position: 0, text }])
  }
  for (const words of [['log'], ['log', 'page'], ['lo']]) {
    const all = find(index, words, 2_000)
    expect(all).toHaveLength(2_000)
    for (const limit of [1, 7, 100]) expect(find(index, words, limit)).toEqual(all.slice(0, limit))
  }
})

test('removed and replaced texts are not found, also after the index was rebuilt without them', () => {
  const index = new TextIndex()
  for (let number = 1; number <= 30_000; number++) put(index, number, number % 3 === 0 ? 'kept' : 'gone')
  for (let number = 1; number <= 30_000; number++) if (number % 3 !== 0) index.remove(`turn ${number}`)
  put(index, 3, 'changed')
  expect(index.size).toBe(10_000)
  expect(find(index, ['gone'])).toEqual([])
  expect(find(index, ['kept'], 20_000)).toHaveLength(9_999)
  expect(find(index, ['chan'])).toEqual([3])
})

test('a link leads to the view of its turn, session or project', () => {
  const project = 'a b/ü'
  expect(readAddress(pageLink(project, 'w/1', 2))).toEqual({ view: 'turn', project, world: 'w/1', turn: 2 })
  expect(readAddress(pageLink(project, 'w/1', null))).toEqual({ view: 'session', project, world: 'w/1' })
  expect(readAddress(pageLink(project, null, null))).toEqual({ view: 'sessions', project })
})
