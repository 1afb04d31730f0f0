/**
 * Grades the basis of a verification (contract: evidence.md, "Basis"): observed, judged, or only claimed by the Player. Pure.
 *
 * Stores a promise as a mark of its words, not as a text. Finding all promises in a text takes one look at each of its words.
 */
import { isAbsence } from './absence.ts'
import { normalizeText, splitWords } from './words.ts'

/** All bases, from the strongest to the weakest. */
export const BASES = ['observed', 'judged', 'repeated', 'misplaced', 'bare'] as const
export type Basis = (typeof BASES)[number]

/** Bases of proofs that only the Player has seen. */
const isUnseen = (basis: Basis | null): boolean =>
  basis === 'repeated' || basis === 'misplaced' || basis === 'bare'

/** Minimum number of words of a promise that counts as repeated if a text contains it. A shorter one must be the whole text. */
const MIN_WORDS_CONTAINED = 8

/** Maximum number of promises that a text is compared with, counted at each of its words. Bounds texts of one repeated word. */
const MAX_COMPARISONS = 20_000

export type Grader = (criterionKey: string, evidence: string | null) => Basis

/** Returns the keys of the criteria whose promise is the text or a part of it. */
type OwnerFinder = (evidence: string | null) => ReadonlySet<string>

/** Words of a promise: their number, the hash of the first ones, and the hash of all. */
type Mark = { count: number; start: number; whole: number }

/** Criteria by the hash of all words, by the number of words, by the hash of the first words. */
type Index = Map<number, Map<number, Map<number, Set<string>>>>

/**
 * @param promises marks of the Player's current promises, by criterion
 * @example
 * const grade = createGrader(new Map([['ac-1', markEvidence('npm test passes')]]))
 * grade('ac-1', 'npm test passes') // 'repeated'
 */
export function createGrader(promises: ReadonlyMap<string, readonly string[]>): Grader {
  const find = createOwnerFinder(promises)
  return (criterionKey, evidence) =>
    isAbsence(evidence) ? 'bare' : gradeByOwners(criterionKey, find(evidence))
}

/** Grades a text by the criteria whose promise it contains. */
export function gradeByOwners(
  criterionKey: string,
  owners: ReadonlySet<string>,
): 'judged' | 'repeated' | 'misplaced' {
  if (owners.has(criterionKey)) return 'repeated'
  return owners.size > 0 ? 'misplaced' : 'judged'
}

/** @param promises marks of the Player's current promises, by criterion */
export function createOwnerFinder(promises: ReadonlyMap<string, readonly string[]>): OwnerFinder {
  const index: Index = new Map()
  for (const [key, marks] of promises) {
    for (const { start, count, whole } of marks.map(readMark)) {
      const byCount = getOrAdd(index, start, () => new Map<number, Map<number, Set<string>>>())
      const byWhole = getOrAdd(byCount, count, () => new Map<number, Set<string>>())
      getOrAdd(byWhole, whole, () => new Set<string>()).add(key)
    }
  }
  return (evidence) =>
    index.size === 0 || isAbsence(evidence) ? new Set() : findOwners(splitEvidence(evidence ?? ''), index)
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key) ?? create()
  map.set(key, found)
  return found
}

export function markEvidence(evidence: string | null): string[] {
  const words = splitEvidence(evidence ?? '')
  return words.length === 0 ? [] : [writeMark(toMark(hashWords(words), 0, words.length))]
}

/** Splits a text into words. A text without letters and digits is one word. */
function splitEvidence(text: string): string[] {
  const words = splitWords(text)
  return words.length > 0 ? words : [normalizeText(text)].filter((word) => word !== '')
}

/** Finds the criteria whose promise is the text or a part of it. */
function findOwners(words: readonly string[], index: Index): ReadonlySet<string> {
  const owners = new Set<string>()
  if (words.length === 0) return owners
  const hash = hashWords(words)
  const addOwners = ({ start, count, whole }: Mark) => {
    for (const key of index.get(start)?.get(count)?.get(whole) ?? []) owners.add(key)
  }
  addOwners(toMark(hash, 0, words.length))
  let comparisons = 0
  for (let from = 0; from + MIN_WORDS_CONTAINED <= words.length; from++) {
    for (const count of index.get(hash(from, MIN_WORDS_CONTAINED))?.keys() ?? []) {
      if (++comparisons > MAX_COMPARISONS) return owners
      if (count >= MIN_WORDS_CONTAINED && from + count <= words.length) addOwners(toMark(hash, from, count))
    }
  }
  return owners
}

const toMark = (hash: WindowHash, from: number, count: number): Mark => ({
  count,
  start: hash(from, Math.min(count, MIN_WORDS_CONTAINED)),
  whole: hash(from, count),
})

/** `12 k3j… 9x2…`; `3 k3j…` if the first words are all. */
const writeMark = ({ count, start, whole }: Mark): string =>
  [`${count}`, start.toString(36), ...(start === whole ? [] : [whole.toString(36)])].join(' ')

function readMark(mark: string): Mark {
  const [count = '', start = '', whole = start] = mark.split(' ')
  return { count: Number(count), start: Number.parseInt(start, 36), whole: Number.parseInt(whole, 36) }
}

/** Returns the hash of the words from a position on. */
type WindowHash = (from: number, count: number) => number

/** Two primes below 2^26: products are exact, and so is a number of both hashes. */
const PRIMES = [67_108_859, 67_108_837] as const
const BASE = 1_000_003

/** Polynomial hashes of all beginnings of a list, from which that of any part follows in constant time. */
function hashWords(words: readonly string[]): WindowHash {
  const [high, low] = PRIMES.map((prime) => hashByPrime(words, prime))
  return (from, count) => (high?.(from, count) ?? 0) * 2 ** 26 + (low?.(from, count) ?? 0)
}

function hashByPrime(words: readonly string[], prime: number): WindowHash {
  const sums = [0]
  const powers = [1]
  words.forEach((word, i) => {
    sums.push(((sums[i] ?? 0) * BASE + hashWord(word, prime)) % prime)
    powers.push(((powers[i] ?? 0) * BASE) % prime)
  })
  return (from, count) => {
    const before = ((sums[from] ?? 0) * (powers[count] ?? 0)) % prime
    return ((sums[from + count] ?? 0) - before + prime) % prime
  }
}

function hashWord(word: string, prime: number): number {
  let hash = 7
  for (let i = 0; i < word.length; i++) hash = (hash * 65_599 + word.charCodeAt(i)) % prime
  return hash
}

/** Words for the basis of a proof, by which all doors name it. */
const BASIS_WORDS: Readonly<Record<Basis, string>> = {
  observed: 'observed',
  judged: "in the judge's words",
  repeated: "in the Player's words",
  misplaced: "in the Player's words for another criterion",
  bare: 'without evidence',
}

/** Words for a proof that is weaker or stronger than a judge's own text; null if there is nothing to add. */
export const noteBasis = (basis: Basis | null | undefined): string | null =>
  basis == null || basis === 'judged' ? null : BASIS_WORDS[basis]

type Proof = { state: string; basis: Basis | null; declared?: boolean | undefined }

/** Returns the verified criteria that count and that only the Player has seen. */
export const listUnseen = <P extends Proof>(criteria: readonly P[]): P[] =>
  criteria.filter(
    ({ state, basis, declared }) => state === 'verified' && declared !== false && isUnseen(basis),
  )

/** `['2 observed', "6 in the Player's words"]`: how the verified criteria are known. */
export const describeBases = (counts: Readonly<Record<Basis, number>>): string[] =>
  BASES.flatMap((basis) => (counts[basis] === 0 ? [] : [`${counts[basis]} ${BASIS_WORDS[basis]}`]))
