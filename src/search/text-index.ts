/** Index of the words of texts, in memory: finds and ranks the texts that have all words of a query. Pure. */
import { compareCodeUnits } from '../rules/labels.ts'
import { searchWordsOf } from '../rules/search-words.ts'
import { keepShared, listShared, PlaceSet } from './place-set.ts'

/** Kinds of texts in the order of equal hits, with the weights of their words. */
export const KIND_WEIGHTS = {
  criterion: 5,
  lesson: 4,
  blocker: 4,
  issue: 4,
  feedback: 3,
  summary: 3,
  failed_call: 2,
} as const

export type SearchKind = keyof typeof KIND_WEIGHTS
export const SEARCH_KINDS = Object.keys(KIND_WEIGHTS) as [SearchKind, ...SearchKind[]]

const CRITERION = SEARCH_KINDS.indexOf('criterion')

const BEGINNING = 1
/** Score that a text gains for each searched word that it contains as a whole word. */
const WHOLE_WORD_BONUS = 1

export type Source = {
  /** Unique in the index. */
  id: string
  key: string
  /** Key of the session, or of the node itself: orders hits of one time. */
  group: string
  /** Number of the turn; 0 without one. */
  number: number
  /** End of the turn in epoch milliseconds; {@link UNKNOWN_TIME} if it is not known. */
  time: number
  /** Changes with the texts. */
  digest: string
}

export const UNKNOWN_TIME = Number.MIN_SAFE_INTEGER

export type IndexedText = { kind: SearchKind; position: number; text: string }

/** Position of a hit in the order of all hits. */
export type Rank = Pick<Source, 'time' | 'group' | 'number'> & {
  score: number
  kind: SearchKind
  position: number
}

export type RankedHit = Rank & { source: Source }

type Entry = { source: Source; from: number; to: number }
type Postings = number | number[]

/** Maximum number of characters of a common beginning. */
const MAX_COMMON_CHARACTERS = 2
/** Minimum number of postings of all words with a common beginning: absolute, and as a share of the number of texts. */
const MIN_COMMON_POSTINGS = 100_000
const MIN_COMMON_PART = 0.25

/** New terms that are not yet among the sorted ones. */
const MAX_RECENT_TERMS = 4_096
/** The index is rebuilt when more texts were removed than are left, and at least this number. */
const MIN_REMOVED_TEXTS = 10_000

export class TextIndex {
  readonly #entries = new Map<string, Entry>()
  #terms = new Map<string, number>()
  #postings: Postings[] = []
  #sortedTerms: string[] = []
  #recentTerms: string[] = []
  /**
   * Set of the texts of each common beginning. A search reads the set instead of the postings, because the words that begin
   * with one letter can have many times more postings than the index has texts.
   */
  readonly #common = new Map<string, PlaceSet>()
  /** Entry of each text, with its kind, position and time in the next lists. Null: the text was removed. */
  #entryOf: (Entry | null)[] = []
  #kindOf = new Uint8Array(1_024)
  #positionOf: number[] = []
  /** Repeats the time of the source: most texts of a common word are passed over without reading their source. */
  #timeOf: number[] = []
  #removed = 0
  /** Number of words that the current search has found in each text so far. */
  #found = new Uint16Array(0)
  /** Sum of the bonuses of each text in the current search. */
  #bonus = new Uint16Array(0)
  /** Places of the texts that contain all words so far, in the first elements. */
  #matched = new Int32Array(0)

  get size(): number {
    return this.#entryOf.length - this.#removed
  }

  get(id: string): Source | undefined {
    return this.#entries.get(id)?.source
  }

  /** Adds a source with its texts, instead of the one of the same id. The texts are search texts. */
  put(source: Source, texts: readonly IndexedText[]): void {
    this.remove(source.id)
    const entry = { source, from: this.#entryOf.length, to: this.#entryOf.length + texts.length }
    this.#entries.set(source.id, entry)
    for (const { kind, position, text } of texts) {
      const place = this.#entryOf.push(entry) - 1
      if (place >= this.#kindOf.length) {
        const larger = new Uint8Array(2 * place + 1_024)
        larger.set(this.#kindOf)
        this.#kindOf = larger
      }
      this.#kindOf[place] = SEARCH_KINDS.indexOf(kind)
      this.#positionOf.push(position)
      this.#timeOf.push(source.time)
      for (const word of searchWordsOf(text)) this.#post(word, place)
    }
  }

  remove(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    this.#entryOf.fill(null, entry.from, entry.to)
    this.#removed += entry.to - entry.from
    if (this.#removed > Math.max(MIN_REMOVED_TEXTS, this.size)) this.#dropRemoved()
  }

  /** Finds the best texts after a rank, best first: those of the kinds that have each word, or a word that begins with it. */
  search(
    words: readonly string[],
    { kinds, after, limit }: { kinds: readonly SearchKind[]; after: Rank | null; limit: number },
  ): RankedHit[] {
    const weights = Uint8Array.from(SEARCH_KINDS, (kind) => (kinds.includes(kind) ? KIND_WEIGHTS[kind] : 0))
    const least = BEGINNING * words.length
    const best = new BestRanks(limit)
    const count = this.#match(words)
    const places = this.#matched
    const [bonus, kindOf] = [this.#bonus, this.#kindOf]
    const isOfBest = this.#chooseTextOfCriteria(count, weights)
    const consider = (place: number) => {
      if (!isOfBest(place)) return
      const score = (least + (bonus[place] ?? 0)) * (weights[kindOf[place] ?? 0] ?? 0)
      if (score < best.minScore) return
      if (!best.mayAdd(score, this.#timeOf[place] ?? UNKNOWN_TIME)) return
      const source = this.#entryOf[place]?.source
      if (source === undefined) return
      const { time, group, number } = source
      const position = this.#positionOf[place] ?? 0
      const kind = SEARCH_KINDS[kindOf[place] ?? 0] ?? 'summary'
      const hit = { source, score, time, group, number, kind, position }
      if (after === null || compareRanks(after, hit) < 0) best.add(hit)
    }
    // Texts come in an order of time or of sessions. From both ends, the best ones of either order come early.
    for (let [low, high] = [0, count - 1]; low <= high; low++, high--) {
      consider(places[low] ?? 0)
      if (low < high) consider(places[high] ?? 0)
    }
    return best.list()
  }

  /**
   * Chooses one matched text of each criterion: the best one, or the first of equally good ones. The others are wordings of the
   * same condition and must not be separate hits.
   *
   * @returns a check that rejects the other texts
   */
  #chooseTextOfCriteria(count: number, weights: Uint8Array): (place: number) => boolean {
    if (weights[CRITERION] === 0) return () => true
    const chosen = new Map<Entry, number>()
    for (let at = 0; at < count; at++) {
      const place = this.#matched[at] ?? 0
      const entry = this.#kindOf[place] === CRITERION ? this.#entryOf[place] : null
      if (entry == null) continue
      const best = chosen.get(entry)
      if (best === undefined || this.#isBetterText(place, best)) chosen.set(entry, place)
    }
    return (place) => {
      const entry = this.#kindOf[place] === CRITERION ? this.#entryOf[place] : null
      return entry == null || chosen.get(entry) === place
    }
  }

  #isBetterText(place: number, best: number): boolean {
    const gain = (this.#bonus[place] ?? 0) - (this.#bonus[best] ?? 0)
    return gain > 0 || (gain === 0 && place < best)
  }

  /** Finds the texts that contain all words. Writes them to `#matched` and their bonuses to `#bonus`, and returns their number. */
  #match(words: readonly string[]): number {
    const size = this.#entryOf.length
    if (this.#bonus.length < size) {
      this.#bonus = new Uint16Array(2 * size)
      this.#found = new Uint16Array(2 * size)
      this.#matched = new Int32Array(2 * size)
    }
    this.#bonus.fill(0, 0, size)
    const others = words.filter((word) => !this.#common.has(word))
    if (others.length > 0) this.#found.fill(0, 0, size)
    let count = size
    for (const [i, word] of others.entries()) {
      count = this.#addWord(i, word, count)
      if (count === 0) return 0
    }
    for (const word of words) if (this.#common.has(word)) this.#addBonus(word)
    const sets = words.flatMap((word) => this.#common.get(word) ?? [])
    return others.length === 0 ? listShared(sets, this.#matched) : keepShared(sets, this.#matched, count)
  }

  /** Finds the texts that contain the earlier words and a term that begins with this one. Writes them to `#matched`. */
  #addWord(i: number, word: string, possible: number): number {
    const [found, matched] = [this.#found, this.#matched]
    let count = 0
    this.#addBonus(word)
    for (const term of this.#termsFrom(word)) {
      const postings = this.#listPostings(term)
      for (let at = 0; at < postings.length; at++) {
        const place = postings[at] ?? 0
        if (found[place] !== i) continue // lacks an earlier word, or has this one already
        found[place] = i + 1
        matched[count++] = place
      }
      if (count === possible) break
    }
    return count
  }

  #addBonus(word: string): void {
    const bonus = this.#bonus
    const postings = this.#listPostings(word)
    for (let at = 0; at < postings.length; at++) {
      const place = postings[at] ?? 0
      bonus[place] = (bonus[place] ?? 0) + WHOLE_WORD_BONUS
    }
  }

  #listPostings(term: string): readonly number[] {
    const at = this.#terms.get(term)
    const postings = at === undefined ? undefined : this.#postings[at]
    return typeof postings === 'number' ? [postings] : (postings ?? [])
  }

  *#termsFrom(word: string): Generator<string> {
    for (let at = firstAtLeast(this.#sortedTerms, word); at < this.#sortedTerms.length; at++) {
      const term = this.#sortedTerms[at] ?? ''
      if (!term.startsWith(word)) break
      yield term
    }
    for (const term of this.#recentTerms) if (term.startsWith(word)) yield term
  }

  #post(term: string, place: number): void {
    if (this.#common.size > 0)
      for (let length = 1; length <= MAX_COMMON_CHARACTERS; length++)
        this.#common.get(term.slice(0, length))?.add(place)
    const at = this.#terms.get(term)
    if (at === undefined) {
      // A slice of a text would keep the whole text in memory.
      const own = Buffer.from(term).toString()
      this.#terms.set(own, this.#postings.push(place) - 1)
      this.#recentTerms.push(own)
      if (this.#recentTerms.length > MAX_RECENT_TERMS + this.#sortedTerms.length / 8) this.#sortTerms()
      return
    }
    const postings = this.#postings[at]
    if (typeof postings === 'number') this.#postings[at] = [postings, place]
    else postings?.push(place)
  }

  /** Sorts the recent terms among the others. */
  #sortTerms(): void {
    this.#sortedTerms = [...this.#sortedTerms, ...this.#recentTerms].sort(compareCodeUnits)
    this.#recentTerms = []
    this.#findCommon()
  }

  /** Creates the sets of the beginnings that have become common. `#post` adds later texts to these sets. */
  #findCommon(): void {
    const counts = new Map<string, number>()
    for (const term of this.#sortedTerms)
      for (let length = 1; length <= Math.min(term.length, MAX_COMMON_CHARACTERS); length++) {
        const beginning = term.slice(0, length)
        counts.set(beginning, (counts.get(beginning) ?? 0) + this.#listPostings(term).length)
      }
    for (const [beginning, count] of counts) {
      const isCommon = count >= Math.max(MIN_COMMON_POSTINGS, MIN_COMMON_PART * this.size)
      if (!isCommon || this.#common.has(beginning)) continue
      const set = new PlaceSet()
      for (const term of this.#termsFrom(beginning))
        for (const place of this.#listPostings(term)) set.add(place)
      this.#common.set(beginning, set)
    }
  }

  /** Prepares an index for searches after many texts were added. */
  settle(): void {
    this.#sortTerms()
  }

  /** Renumbers the texts that are left, and drops the words of removed ones. */
  #dropRemoved(): void {
    const places = new Map<number, number>()
    this.#entryOf.forEach((entry, place) => {
      if (entry !== null) places.set(place, places.size)
    })
    const kept = [...places.keys()]
    for (const entry of this.#entries.values()) {
      const size = entry.to - entry.from
      entry.from = size === 0 ? 0 : (places.get(entry.from) ?? 0)
      entry.to = entry.from + size
    }
    this.#entryOf = kept.map((place) => this.#entryOf[place] ?? null)
    this.#kindOf = Uint8Array.from(kept, (place) => this.#kindOf[place] ?? 0)
    this.#positionOf = kept.map((place) => this.#positionOf[place] ?? 0)
    this.#timeOf = kept.map((place) => this.#timeOf[place] ?? UNKNOWN_TIME)
    const terms = new Map<string, number>()
    const allPostings: Postings[] = []
    for (const [term, at] of this.#terms) {
      const left = [this.#postings[at] ?? []].flat().flatMap((place) => places.get(place) ?? [])
      const [only] = left
      if (only !== undefined) terms.set(term, allPostings.push(left.length === 1 ? only : left) - 1)
    }
    this.#terms = terms
    this.#postings = allPostings
    this.#sortedTerms = [...terms.keys()].sort(compareCodeUnits)
    this.#recentTerms = []
    this.#removed = 0
    this.#common.clear()
    this.#findCommon()
  }
}

function firstAtLeast(sorted: readonly string[], sought: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < sought) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Compares two hits: higher score, later, session, newer turn, kind, place in the list of its kind. A criterion is one hit, whose
 * place changes with each further wording: a later page must not repeat it.
 */
export const compareRanks = (a: Rank, b: Rank): number =>
  b.score - a.score ||
  b.time - a.time ||
  compareCodeUnits(a.group, b.group) ||
  b.number - a.number ||
  SEARCH_KINDS.indexOf(a.kind) - SEARCH_KINDS.indexOf(b.kind) ||
  (a.kind === 'criterion' ? 0 : a.position - b.position)

/** Keeps the best hits of many without sorting all of them. */
class BestRanks {
  readonly #limit: number
  #hits: RankedHit[] = []
  /** Minimum score of a hit that can be among the best. */
  minScore = 1
  /** Worst hit that still counts, once there are enough. */
  #last: RankedHit | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False if enough hits are better by score and time. */
  mayAdd(score: number, time: number): boolean {
    const last = this.#last
    if (last === null || score > last.score) return true
    return score === last.score && time >= last.time
  }

  add(hit: RankedHit): void {
    if (this.#last !== null && compareRanks(this.#last, hit) < 0) return
    if (this.#hits.push(hit) >= 4 * this.#limit + 64) this.#cut()
  }

  list(): RankedHit[] {
    this.#cut()
    return this.#hits
  }

  #cut(): void {
    this.#hits = this.#hits.sort(compareRanks).slice(0, this.#limit)
    if (this.#hits.length < this.#limit) return
    this.#last = this.#hits.at(-1) ?? null
    this.minScore = this.#last?.score ?? 1
  }
}
