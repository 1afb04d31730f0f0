/** Counts the tokens of o200k_base by gpt-tokenizer. */

export type Tokens = {
  /** Counts tokens: exact up to `atMost`, otherwise any number above it. Rounds up the count of a very long run. */
  count(text: string, atMost?: number): number
  /** Estimates the length of the first `limit` tokens in UTF-16 code units. */
  reach(text: string, limit: number): number
}

/** Maximum part of a run that the package gets at once: it takes quadratic time in a run without a break. */
const MAX_SLICE = 4_096
const RUN_SLICE = new RegExp(`.{1,${MAX_SLICE}}`, 'gsu')

/** Margin per cut. Without it, a sum of slices was up to 2 tokens per cut below the count of the whole run. */
const CUT_TOKENS = 4

/** Matches the place between two lines, except where a token may extend across it: before blank lines, and before `/`. */
const LINE_START = /(?<=\n)(?![\s/])|(?<=\n)(?=[^\S\r\n]+\S)/u

/** Maximum number of lines with a kept count, and their maximum length. */
const MAX_LINES = 2_000
const MAX_KEPT = 512

/** Copies a line, because V8 keeps a part of a text as a reference to the whole text. */
const copyOf = (line: string): string => Buffer.from(line, 'utf16le').toString('utf16le')

/** Loads the vocabulary on first use: 0.3 s and 30 MB. */
export const loadTokens = (): Promise<Tokens> => {
  loading ??= import('./o200k-base.ts').then(createTokens)
  return loading
}
let loading: Promise<Tokens> | undefined

function createTokens({ split, countPlain }: typeof import('./o200k-base.ts')): Tokens {
  function* slices(piece: string): Generator<{ slice: string; tokens: number }> {
    for (const { 0: slice, index } of piece.matchAll(RUN_SLICE))
      yield { slice, tokens: countPlain(slice) + (index > 0 ? CUT_TOKENS : 0) }
  }

  function count(text: string, atMost = Number.POSITIVE_INFINITY): number {
    let sum = 0
    for (const line of text.split(LINE_START)) {
      sum += line.length > MAX_SLICE ? countLong(line, atMost - sum) : countLine(line)
      if (sum > atMost) return sum
    }
    return sum
  }

  /** Counts of short lines. Most lines of a context were also in the one before. */
  const counted = new Map<string, number>()

  function countLine(line: string): number {
    const known = counted.get(line)
    if (known !== undefined) return known
    const tokens = countPlain(line)
    if (line.length > MAX_KEPT) return tokens
    if (counted.size === MAX_LINES) counted.clear()
    counted.set(copyOf(line), tokens)
    return tokens
  }

  /** Counts the tokens of a long line. Passes many pieces to the package at once, because one call for each piece takes five times as long. */
  function countLong(text: string, atMost: number): number {
    let [sum, from] = [0, 0]
    for (const { 0: piece, index } of text.matchAll(split)) {
      const end = index + piece.length
      if (piece.length > MAX_SLICE || ENDS_IN_SPACE.test(piece)) {
        sum += countPlain(text.slice(from, index))
        for (const { tokens } of slices(piece)) {
          if (sum > atMost) return sum
          sum += tokens
        }
        from = end
      } else if (end - from >= MAX_SLICE) {
        sum += countPlain(text.slice(from, end))
        from = end
      }
      if (sum > atMost) return sum
    }
    return sum + countPlain(text.slice(from))
  }

  function reach(text: string, limit: number): number {
    let [length, left] = [0, limit]
    for (const [piece] of text.matchAll(split)) {
      for (const { slice, tokens } of slices(piece)) {
        if (tokens > left) return length + Math.floor((slice.length * Math.max(0, left)) / tokens)
        length += slice.length
        left -= tokens
      }
    }
    return length
  }

  return { count, reach }
}

/** Matches pieces that are counted separately: the package splits spaces at the end of a text differently from others. */
const ENDS_IN_SPACE = /\s$/
