import { expect, test } from 'vitest'
import { readAddress } from '../web/address.ts'
import { pageLink } from './search.ts'
import { type Rank, SEARCH_KINDS, type Source, TextIndex } from './text-index.ts'

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

test('a common beginning finds the same texts as a scan of all texts, also after texts were added and removed', () => {
  const index = new TextIndex()
  const texts = new Map<number, string>()
  const add = (number: number, text: string) => {
    texts.set(number, text)
    put(index, number, text)
  }
  const expectBest = (words: string[]) => {
    const scoreOf = (text: string) => {
      const scores = words.map((word) =>
        text.split(' ').includes(word) ? 2 : Number(` ${text}`.includes(` ${word}`)),
      )
      return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
    }
    const expected = [...texts]
      .map(([number, text]) => ({ number, score: scoreOf(text) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (b.number % 7) - (a.number % 7) || b.number - a.number)
      .slice(0, 20)
    expect(find(index, words, 20)).toEqual(expected.map(({ number }) => number))
  }
  const expectAll = () => {
    for (const words of [['a'], ['ab'], ['b'], ['a', 'b'], ['b1', 'a'], ['a', 'ab'], ['b', 'c7']])
      expectBest(words)
  }
  for (let number = 1; number <= 60_000; number++)
    add(number, `${number % 9 === 0 ? 'a ab' : `ab${number % 50} ac`} b${number % 3} c${number % 5_000}`)
  index.settle()
  expectAll()
  for (let number = 60_001; number <= 60_200; number++) add(number, number % 2 === 0 ? 'a b' : 'ab b1 d')
  for (let number = 1; number <= 300; number += 2) add(number, 'b')
  expectAll()
  for (let number = 10_000; number <= 45_000; number++) {
    texts.delete(number)
    index.remove(`turn ${number}`)
  }
  expectAll()
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

test('each page shows only the best text of a criterion, or the first of equally good ones', () => {
  const index = new TextIndex()
  const texts = ['logs of a page', 'a log of pages', 'one log', 'another log']
  for (let number = 1; number <= 40; number++)
    index.put(
      source(number),
      texts.map((text, position) => ({ kind: 'criterion', position, text })),
    )
  const search = (words: string[], limit: number, after: Rank | null = null) =>
    index.search(words, { kinds: SEARCH_KINDS, after, limit })
  for (const [words, best] of [
    [['log'], 1],
    [['log', 'page'], 0],
    [['one'], 2],
  ] as const) {
    const all = search([...words], 1_000)
    expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 40 }, () => best))
    expect(new Set(all.map(({ number }) => number)).size).toBe(40)
    const first = search([...words], 15)
    expect([...first, ...search([...words], 1_000, first.at(-1))]).toEqual(all)
  }
})

test('a page after a criterion does not repeat it if another wording has changed the place of its text', () => {
  const index = new TextIndex()
  const put = (...texts: string[]) =>
    index.put(
      source(1),
      texts.map((text, position) => ({ kind: 'criterion', position, text })),
    )
  const search = (after: Rank | null) => index.search(['ac'], { kinds: SEARCH_KINDS, after, limit: 10 })
  put('it answers', 'ac 001 it answers')
  const [hit = null] = search(null)
  expect(hit?.position).toBe(1)
  put('it answers', 'it replies', 'ac 001 it answers')
  expect(search(hit)).toEqual([])
})
