/** Counts the tokens of a text as o200k_base splits it. */
import { Buffer, isUtf8 } from 'node:buffer'

/**
 * Counts the tokens of o200k_base with gpt-tokenizer's split pattern and merge ranks, to the package's own result
 * with what looks like a special token taken as text. Only the merging is ours: the package's is quadratic in a run
 * without a break (64 KiB of spaces: 8 s, here 0.04 s) and slow on words it does not know (1 MiB of random letters:
 * 6 s, here 1 s). test/property/budget.test.ts holds the two against each other.
 */
export type Tokens = {
  /** Exact where the text takes at most `atMost` tokens, otherwise some number above it. */
  count(text: string, atMost?: number): number
  /** How far into the text `limit` tokens reach, in UTF-16 code units: about, as a cut may change the last tokens. */
  reach(text: string, limit: number): number
}

/**
 * Lines come again from context to context, of a session and of others: counted once, they cost nothing. At most 4 MB.
 */
const shortSizes = new Map<string, number>()
const SHORT_CHUNKS = 10_000
const SHORT_CHUNK = 200

/** A slice would keep the whole text that it was cut from. */
const flat = (slice: string): string => Buffer.from(slice, 'utf16le').toString('utf16le')

/** What it has counted of long texts it remembers too: take new ones for each task, and the memory goes with them. */
export async function loadTokens(): Promise<Tokens> {
  loading ??= loadVocabulary()
  const vocabulary = await loading
  const sizes = new Map<string, number>()
  const longPieces = new Map<string, number[]>()

  function countTokens(chunk: string): number {
    const cached = shortSizes.get(chunk) ?? sizes.get(chunk)
    if (cached !== undefined) return cached
    let size = 0
    for (const [piece] of chunk.matchAll(vocabulary.split)) size += findEnds(piece).length
    if (chunk.length > SHORT_CHUNK) sizes.set(chunk, size)
    else {
      if (shortSizes.size === SHORT_CHUNKS) shortSizes.clear()
      shortSizes.set(flat(chunk), size)
    }
    return size
  }

  function findEnds(piece: string): number[] {
    if (piece.length < LONG_PIECE) return tokenEnds(piece, vocabulary)
    const ends = longPieces.get(piece) ?? tokenEnds(piece, vocabulary)
    longPieces.set(piece, ends)
    return ends
  }

  function count(text: string, atMost = Number.POSITIVE_INFINITY): number {
    let sum = 0
    for (const chunk of splitChunks(text)) {
      sum += countTokens(chunk)
      if (sum > atMost) break
    }
    return sum
  }

  function reach(text: string, limit: number): number {
    let [at, left] = [0, limit]
    for (const chunk of splitChunks(text)) {
      const size = countTokens(chunk)
      if (size > left) return at + reachWithin(chunk, left)
      at += chunk.length
      left -= size
    }
    return at
  }

  function reachWithin(chunk: string, limit: number): number {
    let [at, left] = [0, limit]
    for (const [piece] of chunk.matchAll(vocabulary.split)) {
      const ends = findEnds(piece)
      if (ends.length > left) return at + charactersIn(piece, ends[left - 1] ?? 0)
      at += piece.length
      left -= ends.length
    }
    return at
  }

  return { count, reach }
}

/** In characters: a run without a break. Merging one takes up to 40 ms, and cutting it asks for it again. */
const LONG_PIECE = 1_000

/**
 * Where a piece of the split pattern ends whatever stands around: after a line break before a line that begins with
 * neither white space alone nor a slash, and between a mark and a space. Hence the counts of chunks add up exactly,
 * and a line that was counted once need not be again.
 */
const SEAM = /(?<=\n)(?= *[^\s/])|(?<=[.,;])(?= )/gu

function* splitChunks(text: string): Generator<string> {
  let start = 0
  for (const { index } of text.matchAll(SEAM)) {
    yield text.slice(start, index)
    start = index
  }
  yield text.slice(start)
}

/** Tokens are bytes and may end within a character; such a one is left out. */
const charactersIn = (piece: string, bytes: number): number =>
  Buffer.from(piece)
    .toString('utf8', 0, bytes)
    .replace(/\ufffd+$/u, '').length

type Token = number

type Vocabulary = {
  split: RegExp
  hasToken(piece: string): boolean
  ofByte(byte: number): Token
  /** What two neighbours merge into, or `NONE`. */
  merged(left: Token, right: Token): Token
}

const NONE: Token = -1

let loading: Promise<Vocabulary> | undefined

/** 0.3 s and 30 MB, so only who counts pays. */
async function loadVocabulary(): Promise<Vocabulary> {
  const { spellings, split } = await import('./o200k-base.ts')
  const texts = new Map<string, Token>()
  const fragments = new Map<string, Token>() // parts of characters: bytes that are not UTF-8
  spellings.forEach((spelling, token) => {
    if (typeof spelling === 'string') texts.set(spelling, token)
    else fragments.set(Buffer.from(spelling).toString('latin1'), token)
  })
  // U+FEFF is given as bytes, though it is UTF-8: so it is never found, by the package neither.
  const toToken = (bytes: Buffer): Token =>
    (isUtf8(bytes) ? texts.get(bytes.toString()) : fragments.get(bytes.toString('latin1'))) ?? NONE
  const toBytes = (spelling: string | readonly number[]): Buffer =>
    typeof spelling === 'string' ? Buffer.from(spelling) : Buffer.from(spelling)

  function merged(left: Token, right: Token): Token {
    const [a = '', b = ''] = [spellings[left], spellings[right]]
    return typeof a === 'string' && typeof b === 'string'
      ? (texts.get(a + b) ?? NONE)
      : toToken(Buffer.concat([toBytes(a), toBytes(b)]))
  }

  const ofByte = Array.from({ length: 256 }, (_, byte) => toToken(Buffer.of(byte)))
  return {
    split,
    hasToken: (piece) => texts.has(piece),
    ofByte: (byte) => ofByte[byte] ?? NONE,
    merged: remembered(merged),
  }
}

const PAIRS_REMEMBERED = 200_000

/** Most of the time of merging goes into looking pairs up by their spelling, and most pairs come again. */
function remembered(merged: Vocabulary['merged']): Vocabulary['merged'] {
  const rows = new Map<Token, Map<Token, Token>>()
  let pairs = 0
  return (left, right) => {
    const known = rows.get(left)?.get(right)
    if (known !== undefined) return known
    if (pairs === PAIRS_REMEMBERED) {
      rows.clear()
      pairs = 0
    }
    pairs++
    const token = merged(left, right)
    const row = rows.get(left) ?? new Map<Token, Token>()
    rows.set(left, row.set(right, token))
    return token
  }
}

/** Where each token of a piece ends, in bytes. */
function tokenEnds(piece: string, vocabulary: Vocabulary): number[] {
  return vocabulary.hasToken(piece) ? [Buffer.byteLength(piece)] : mergedEnds(Buffer.from(piece), vocabulary)
}

/** Byte pair encoding: of all neighbours, those that merge into the lowest token go first, then the leftmost. */
function mergedEnds(bytes: Buffer, { ofByte, merged }: Vocabulary): number[] {
  const size = bytes.length
  const tokens = new Int32Array(size)
  const ends = new Int32Array(size)
  const previous = new Int32Array(size)
  const merges = new Int32Array(size) // of the token that starts here with its right neighbour
  const waiting = new Waiting()

  function look(start: number): void {
    const next = ends[start] ?? size
    const into = next < size ? merged(tokens[start] ?? NONE, tokens[next] ?? NONE) : NONE
    merges[start] = into
    if (into !== NONE) waiting.add(into, start)
  }

  function merge(start: number, into: Token): void {
    const next = ends[start] ?? size
    const after = ends[next] ?? size
    tokens[start] = into
    ends[start] = after
    merges[next] = NONE
    if (after < size) previous[after] = start
    look(start)
    if (start > 0) look(previous[start] ?? 0)
  }

  for (let start = 0; start < size; start++) {
    tokens[start] = ofByte(bytes[start] ?? 0)
    ends[start] = start + 1
    previous[start] = start - 1
  }
  for (let start = 0; start < size; start++) look(start)
  for (let first = waiting.take(); first !== null; first = waiting.take()) {
    // One of the two that has merged otherwise since waits under that merge, if under any.
    if (merges[first.start] === first.into) merge(first.start, first.into)
  }
  return chain(ends)
}

function chain(ends: Int32Array): number[] {
  const all: number[] = []
  for (let end = ends[0]; end !== undefined; end = ends[end]) all.push(end)
  return all
}

const SPAN = 2 ** 31

/** The merges to come: a binary heap. Both numbers are kept in one, which compares as they do. */
class Waiting {
  readonly #heap: number[] = []

  add(into: Token, start: number): void {
    const heap = this.#heap
    const key = into * SPAN + start
    let at = heap.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const other = heap[above] ?? 0
      if (other <= key) break
      heap[at] = other
      at = above
    }
    heap[at] = key
  }

  take(): { into: Token; start: number } | null {
    const heap = this.#heap
    if (heap.length === 0) return null
    const least = heap[0] ?? 0
    const last = heap.pop() ?? 0
    if (heap.length > 0) this.#sink(last)
    const into = Math.floor(least / SPAN)
    return { into, start: least - into * SPAN }
  }

  #sink(key: number): void {
    const heap = this.#heap
    const size = heap.length
    let at = 0
    for (let below = 1; below < size; below = 2 * at + 1) {
      if (below + 1 < size && (heap[below + 1] ?? 0) < (heap[below] ?? 0)) below++
      const other = heap[below] ?? 0
      if (other >= key) break
      heap[at] = other
      at = below
    }
    heap[at] = key
  }
}
