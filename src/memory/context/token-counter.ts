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

/**
 * Margin per cut, which changes the tokens around it. Without the margin, sums of slices were up to 2 tokens per cut below the
 * package's count of the whole run; with it, a sum is never below.
 */
const CUT_TOKENS = 4

/** Loads the vocabulary on first use: 0.3 s and 30 MB. */
export const loadTokens = (): Promise<Tokens> => {
  loading ??= import('./o200k-base.ts').then(createTokens)
  return loading
}
let loading: Promise<Tokens> | undefined

function createTokens({ split, countPlain }: typeof import('./o200k-base.ts')): Tokens {
  /** Yields the slices of a piece with the number of tokens that each adds. */
  function* slices(piece: string): Generator<{ slice: string; tokens: number }> {
    for (const { 0: slice, index } of piece.matchAll(RUN_SLICE))
      yield { slice, tokens: countPlain(slice) + (index > 0 ? CUT_TOKENS : 0) }
  }

  /** Counts tokens. Passes many pieces to the package at once, because one call for each piece takes five times as long. */
  function count(text: string, atMost = Number.POSITIVE_INFINITY): number {
    if (text.length <= MAX_SLICE) return countPlain(text)
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
