/** Splits texts and queries of a search into folded words, and cuts snippets. Pure; the time is linear in the length of the text. */
import { toOneLine } from './foreign-text.ts'
import { UNSPACED_CHARACTER } from './words.ts'

export const MAX_WORDS_OF_TEXT = 10_000
/** Longer words count by their beginning, in texts and in queries. */
const MAX_WORD_CHARACTERS = 64

const ASCII_TEXT = /^[\t\n\r -~]*$/
const ASCII_WORD = /[a-z0-9]+/g
const WORD = new RegExp(`(${UNSPACED_CHARACTER}+)|(?:(?!${UNSPACED_CHARACTER})[\\p{L}\\p{M}\\p{N}])+`, 'gu')
/** Accents and vowel points. The vowel signs of Indic scripts are letters of their own and stay. */
const DIACRITIC = /(?=\p{Mn})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu
/** Letters that Unicode does not decompose. */
const BASE_LETTERS: Readonly<Record<string, string>> = {
  ς: 'σ',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
const UNDECOMPOSED = new RegExp(`[${Object.keys(BASE_LETTERS).join('')}]`, 'g')

type Word = { word: string; start: number; end: number }

/** Lists the runs of letters and digits of a text, in order. A run of a script without spaces is one run. */
function* findRuns(text: string): Generator<Word & { isUnspaced: boolean }> {
  if (ASCII_TEXT.test(text)) {
    for (const { 0: run, index } of text.toLowerCase().matchAll(ASCII_WORD))
      yield { word: run, start: index, end: index + run.length, isUnspaced: false }
    return
  }
  for (const { 0: run, 1: unspaced, index } of text.matchAll(WORD))
    yield { word: run, start: index, end: index + run.length, isUnspaced: unspaced !== undefined }
}

/** Lists words. A run without spaces gives its pairs and its last character, so that each character begins a word. */
export function* findSearchWords(text: string): Generator<Word> {
  let count = 0
  for (const run of findRuns(text)) {
    for (const word of run.isUnspaced ? pairsOf(run, true) : [foldWord(run)]) {
      if (word.word === '') continue
      if (++count > MAX_WORDS_OF_TEXT) return
      yield word
    }
  }
}

/** Returns the different words of a text, by a shorter way for a text in ASCII. */
export function searchWordsOf(text: string): Set<string> {
  const words = new Set<string>()
  if (!ASCII_TEXT.test(text)) for (const { word } of findSearchWords(text)) words.add(word)
  else {
    const all = text.toLowerCase().match(ASCII_WORD) ?? []
    for (const word of all.slice(0, MAX_WORDS_OF_TEXT)) words.add(word.slice(0, MAX_WORD_CHARACTERS))
  }
  return words
}

/** Words of a query, each once, with the number of runs that they come from. */
export function readQuery(query: string): { words: string[]; runs: number } {
  const words = new Set<string>()
  let runs = 0
  for (const run of findRuns(toOneLine(query))) {
    const found = run.isUnspaced ? pairsOf(run, false) : [foldWord(run)]
    const named = [...found].filter(({ word }) => word !== '')
    if (named.length > 0) runs++
    for (const { word } of named) words.add(word)
  }
  return { words: [...words], runs }
}

/** The form of a text in which its words are found and its snippets are cut: one line without hidden characters. */
export const toSearchText = (text: string): string =>
  ASCII_TEXT.test(text) ? text.replace(/\s+/g, ' ').trim() : toOneLine(text)

function foldWord({ word, start, end }: Word): Word {
  return { word: fold(word).slice(0, MAX_WORD_CHARACTERS), start, end }
}

const fold = (word: string): string =>
  ASCII_TEXT.test(word)
    ? word.toLowerCase()
    : word
        .normalize('NFKD')
        .replace(DIACRITIC, '')
        .toUpperCase()
        .toLowerCase()
        .replace(UNDECOMPOSED, (letter) => BASE_LETTERS[letter] ?? letter)
        .normalize('NFC')

/** Yields the pairs of a run. Their places in the run before folding are estimates, which only choose a snippet. */
function* pairsOf({ word: run, start, end }: Word, withLast: boolean): Generator<Word> {
  const characters = [...run.normalize('NFKC').toLowerCase()]
  let at = start
  for (const [i, character] of characters.entries()) {
    const next = characters[i + 1]
    if (next !== undefined || withLast || characters.length === 1)
      yield { word: character + (next ?? ''), start: Math.min(at, end - 1), end }
    at += character.length
  }
}

export function matchesQuery(searchText: string, words: readonly string[]): boolean {
  const left = new Set(words)
  for (const { word } of findSearchWords(searchText)) {
    for (const sought of left) if (word.startsWith(sought)) left.delete(sought)
    if (left.size === 0) return true
  }
  return false
}

const MAX_SNIPPET_CHARACTERS = 240
const CHARACTERS_BEFORE = 60
const CUT = '…'

/** Cuts the part of a text around the first word of a query, between words. */
export function cutSnippet(searchText: string, words: readonly string[]): string {
  if (searchText.length <= MAX_SNIPPET_CHARACTERS) return searchText
  const first = findFirst(searchText, words)
  const start = first <= CHARACTERS_BEFORE ? 0 : boundaryAfter(searchText, first - CHARACTERS_BEFORE, first)
  const room = MAX_SNIPPET_CHARACTERS - (start > 0 ? CUT.length : 0)
  if (searchText.length - start <= room) return CUT + searchText.slice(start)
  const end = boundaryBefore(searchText, start + room - CUT.length, Math.max(start, first))
  return (start > 0 ? CUT : '') + searchText.slice(start, end).trimEnd() + CUT
}

function findFirst(searchText: string, words: readonly string[]): number {
  for (const { word, start } of findSearchWords(searchText))
    if (words.some((sought) => word.startsWith(sought))) return start
  return 0
}

/** The beginning of the next word, at most `limit`. */
function boundaryAfter(text: string, from: number, limit: number): number {
  const space = text.indexOf(' ', from)
  return space >= 0 && space < limit ? space + 1 : wholeCharacter(text, from)
}

/** The end of the word before, if it is behind `limit`; otherwise the place itself. */
function boundaryBefore(text: string, to: number, limit: number): number {
  const space = text.lastIndexOf(' ', to)
  return space > limit ? space : wholeCharacter(text, to)
}

/** Moves a place between the halves of a surrogate pair before the pair. */
const wholeCharacter = (text: string, place: number): number =>
  /[\uDC00-\uDFFF]/.test(text[place] ?? '') ? place - 1 : place
