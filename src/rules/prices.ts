/** Converts tokens to dollars by a table of the user. Pure. */
import * as z from 'zod'
import type { TokenCounts } from './turn-tokens.ts'

const dollars = z.number('must be a number of dollars, from 0').min(0).max(1_000_000)

/** Dollars per million tokens, by the name of a model or the start of its name. */
export const priceTable = z.record(
  z.string(),
  z.strictObject({
    input: dollars,
    output: dollars,
    cache_read: dollars.default(0),
    cache_creation: dollars.default(0),
  }),
)
export type PriceTable = z.output<typeof priceTable>

/**
 * Returns the price of some tokens in dollars; null if a model has no price. The longest matching name counts.
 *
 * @example priceOf([{ model: 'm-2', inputTokens: 1e6, outputTokens: 0, … }], { m: { input: 3, output: 15, … } }) // 3
 */
export function priceOf(
  models: readonly (TokenCounts & { model: string })[],
  prices: PriceTable,
): number | null {
  let sum = 0
  for (const tokens of models) {
    const [name] = Object.keys(prices)
      .filter((name) => tokens.model.startsWith(name))
      .sort((a, b) => b.length - a.length)
    const price = name === undefined ? undefined : prices[name]
    if (price === undefined) return null
    sum +=
      tokens.inputTokens * price.input +
      tokens.outputTokens * price.output +
      tokens.cacheReadTokens * price.cache_read +
      tokens.cacheCreationTokens * price.cache_creation
  }
  return sum / 1_000_000
}
