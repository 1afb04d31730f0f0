import { describe, expect, test } from 'vitest'
import {
  cutSnippet,
  findSearchWords,
  matchesQuery,
  readQuery,
  searchWordsOf,
  toSearchText,
} from './search-words.ts'

const wordsOf = (text: string) => [...findSearchWords(toSearchText(text))].map(({ word }) => word)

describe('words of a text', () => {
  test.each([
    ['src/Users.py: load_user', ['src', 'users', 'py', 'load', 'user']],
    ['Café CAFE\u0301', ['cafe', 'cafe']],
    ['Straße STRASSE', ['strasse', 'strasse']],
    ['Łódź Ærø', ['lodz', 'aero']],
    ['ΟΔΟΣ ὁδός', ['οδοσ', 'οδοσ']],
    ['Ёлка й', ['елка', 'и']],
    ['한글', ['한글']],
    ['हिन्दी', ['हिन्दी']],
    ['東京都x1', ['東京', '京都', '都', 'x1']],
    ['東', ['東']],
    ['ﾊﾟﾝ', ['パン', 'ン']],
    ['hid\u200bden', ['hidden']],
    ['…', []],
    ['a'.repeat(70), ['a'.repeat(64)]],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test('the short way for ASCII finds the same words', () => {
    for (const text of ['The path src/a-b.ts, AC-001!', 'x'.repeat(100), '', ' \n'])
      expect([...searchWordsOf(text)]).toEqual([...new Set(wordsOf(text))])
  })
})

describe('a query', () => {
  test('has each word once, and counts a run of a script without spaces once', () => {
    expect(readQuery('log* LOG 東京都')).toEqual({ words: ['log', '東京', '京都'], runs: 3 })
  })

  test('matches a text if each word begins a word of it', () => {
    expect(matchesQuery('The login form', ['log', 'form'])).toBe(true)
    expect(matchesQuery('The login form', ['log', 'ogin'])).toBe(false)
  })
})

describe('a snippet', () => {
  const long = `${'before '.repeat(60)}needle ${'after '.repeat(60)}`.trim()

  test('is the whole text if it is short', () => {
    expect(cutSnippet('A needle', ['needle'])).toBe('A needle')
  })

  test('is cut between words around the first found word', () => {
    const snippet = cutSnippet(long, ['needle'])
    expect(snippet).toMatch(/^…before (before )+needle (after )+after…$/)
    expect(snippet.length).toBeLessThanOrEqual(240)
    expect(cutSnippet(long, ['after'])).toContain('needle after')
    expect(cutSnippet(`${'x '.repeat(200)}needle`, ['needle'])).toMatch(/^…x .*needle$/)
  })

  test('keeps surrogate pairs whole in a text without spaces', () => {
    const snippet = cutSnippet('\u{1f9e9}'.repeat(300), ['none'])
    expect(snippet).toBe(snippet.toWellFormed())
    expect(snippet.length).toBeLessThanOrEqual(240)
  })
})
