/** Index of the words of texts, in memory: finds and ranks the texts that have all words of a query. Pure. */
import { compareCodeUnits } from '../rules/labels.ts'
import { searchWordsOf } from '../rules/search-words.ts'

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
const WEIGHTS = SEARCH_KINDS.map((kind) => KIND_WEIGHTS[kind])
const MAX_WEIGHT = Math.max(...WEIGHTS)

const WHOLE_WORD = 2
const BEGINNING = 1

/** A node of the graph with texts. */
export type Source = {
  /** Unique in the index. */
  id: string
  /** Key of the node in the graph. */
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
  /** Entry of each text, with its kind, position and time in the next lists. Null: the text was removed. */
  #entryOf: (Entry | null)[] = []
  #kindOf: number[] = []
  #positionOf: number[] = []
  /** Repeats the time of the source: most texts of a common word are passed over without reading their source. */
  #timeOf: number[] = []
  #removed = 0
  /** Results of the current search: number of words that each text has so far, and its score. */
  #found = new Uint16Array(0)
  #scores = new Uint16Array(0)

  /** Number of texts. */
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
      this.#kindOf.push(SEARCH_KINDS.indexOf(kind))
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
    const shown = SEARCH_KINDS.map((kind) => kinds.includes(kind))
    const best = new BestRanks(limit)
    const consider = (place: number) => {
      const kind = this.#kindOf[place] ?? 0
      if (!shown[kind]) return
      const score = (this.#scores[place] ?? 0) * (WEIGHTS[kind] ?? 0)
      if (!best.mayAdd(score, this.#timeOf[place] ?? UNKNOWN_TIME)) return
      const source = this.#entryOf[place]?.source
      if (source === undefined) return
      const { time, group, number } = source
      const position = this.#positionOf[place] ?? 0
      const hit = { source, score, time, group, number, kind: SEARCH_KINDS[kind] ?? 'summary', position }
      if (after === null || compareRanks(after, hit) < 0) best.add(hit)
    }
    // Texts come in an order of time or of sessions. From both ends, the best ones of either order come early.
    const considerAll = (places: readonly number[]) => {
      for (let [low, high] = [0, places.length - 1]; low <= high; low++, high--) {
        consider(places[low] ?? 0)
        if (low < high) consider(places[high] ?? 0)
      }
    }
    const possible = this.#match(words.slice(0, -1))
    const last = words.at(-1)
    if (last === undefined || possible === 0) return []
    const whole = this.#addWord(words.length - 1, [last], WHOLE_WORD, possible)
    considerAll(whole)
    // The texts with the whole word are better than all others if enough of them are. A common word begins thousands of words.
    const mostOfOthers = (WHOLE_WORD * (words.length - 1) + BEGINNING) * MAX_WEIGHT
    if (best.isAbove(mostOfOthers)) return best.list()
    considerAll(this.#addWord(words.length - 1, this.#longerTerms(last), BEGINNING, possible - whole.length))
    return best.list()
  }

  /** Finds the texts that have each of the words, leaves the score of each in `#scores`, and returns their number. */
  #match(words: readonly string[]): number {
    const size = this.#entryOf.length
    if (this.#scores.length < size) {
      this.#scores = new Uint16Array(2 * size)
      this.#found = new Uint16Array(2 * size)
    }
    this.#scores.fill(0)
    this.#found.fill(0)
    let possible = size
    for (const [i, word] of words.entries()) {
      if (possible === 0) break
      const whole = this.#addWord(i, [word], WHOLE_WORD, possible)
      const longer = this.#addWord(i, this.#longerTerms(word), BEGINNING, possible - whole.length)
      possible = whole.length + longer.length
    }
    return possible
  }

  /** Adds the score of a word to the texts with the earlier words and one of its terms, and returns these texts. */
  #addWord(i: number, terms: Iterable<string>, score: number, possible: number): number[] {
    const [found, scores] = [this.#found, this.#scores]
    const matched: number[] = []
    for (const term of terms) {
      const postings = this.#postingsOf(term) ?? []
      for (const place of typeof postings === 'number' ? [postings] : postings) {
        if (found[place] !== i) continue // lacks an earlier word, or has this one already
        found[place] = i + 1
        scores[place] = (scores[place] ?? 0) + score
        matched.push(place)
      }
      if (matched.length === possible) break
    }
    return matched
  }

  *#longerTerms(word: string): Generator<string> {
    for (const term of this.#termsFrom(word)) if (term !== word) yield term
  }

  #postingsOf(term: string): Postings | undefined {
    const at = this.#terms.get(term)
    return at === undefined ? undefined : this.#postings[at]
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
    this.#kindOf = kept.map((place) => this.#kindOf[place] ?? 0)
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

/** Compares two hits: higher score, later, session, newer turn, kind, place in the list of its kind. */
export const compareRanks = (a: Rank, b: Rank): number =>
  b.score - a.score ||
  b.time - a.time ||
  compareCodeUnits(a.group, b.group) ||
  b.number - a.number ||
  SEARCH_KINDS.indexOf(a.kind) - SEARCH_KINDS.indexOf(b.kind) ||
  a.position - b.position

/** Keeps the best hits of many without sorting all of them. */
class BestRanks {
  readonly #limit: number
  #hits: RankedHit[] = []
  /** Worst hit that still counts, once there are enough. */
  #last: RankedHit | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  /** True if there are enough hits, all with a higher score. */
  isAbove(score: number): boolean {
    if (this.#hits.length >= this.#limit) this.#cut()
    return this.#last !== null && this.#last.score > score
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
    if (this.#hits.length === this.#limit) this.#last = this.#hits.at(-1) ?? null
  }
}
