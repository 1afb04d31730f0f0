/** Counts the tokens of o200k_base by gpt-tokenizer. */

export type Tokens = {
  /** Counts tokens: exact up to `atMost`, otherwise any number above it. Rounds up the count of a very long run. */
  count(text: string, atMost?: number): number
  /** Estimates the length of the first `limit` tokens in UTF-16 code units. */
  reach(text: string, limit: number): number
}

/** Maximum part of a run that the package gets at once: it takes quadratic time in a run without a break. */
const RUN_SLICE = /.{1,4096}/gsu

/**
 * Margin per cut, which changes the tokens around it. Without the margin, sums of slices were up to 2 tokens per cut below the
 * package's count of the whole run; with it, a sum is never below.
 */
const CUT_TOKENS = 4

/** Loads the vocabulary on first use: 0.3 s and 30 MB. */
export async function loadTokens(): Promise<Tokens> {
  const { split, countPlain } = await import('./o200k-base.ts')

  /** Yields the slices of a text with the number of tokens that each adds. */
  function* slices(text: string): Generator<{ slice: string; tokens: number }> {
    for (const [piece] of text.matchAll(split)) {
      for (const { 0: slice, index } of piece.matchAll(RUN_SLICE))
        yield { slice, tokens: countPlain(slice) + (index > 0 ? CUT_TOKENS : 0) }
    }
  }

  function count(text: string, atMost = Number.POSITIVE_INFINITY): number {
    let sum = 0
    for (const { tokens } of slices(text)) {
      sum += tokens
      if (sum > atMost) break
    }
    return sum
  }

  function reach(text: string, limit: number): number {
    let [length, left] = [0, limit]
    for (const { slice, tokens } of slices(text)) {
      if (tokens > left) return length + Math.floor((slice.length * Math.max(0, left)) / tokens)
      length += slice.length
      left -= tokens
    }
    return length
  }

  return { count, reach }
}
