import { expect, test } from 'vitest'
import { priceOf, priceTable } from './prices.ts'

const tokens = (model: string, input: number, output: number, read = 0, creation = 0) => ({
  model,
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: read,
  cacheCreationTokens: creation,
})
const prices = priceTable.parse({
  claude: { input: 1, output: 2 },
  'claude-opus': { input: 3, output: 15, cache_read: 0.3, cache_creation: 3.75 },
})

test('the price of a model is that of the longest matching name', () => {
  expect(priceOf([tokens('claude-opus-4', 1_000_000, 2_000_000, 10_000_000, 4_000_000)], prices)).toBeCloseTo(
    51,
  )
  expect(priceOf([tokens('claude-haiku', 500_000, 1)], prices)).toBeCloseTo(0.500002)
})

test('the prices of several models are added', () => {
  expect(
    priceOf([tokens('claude-haiku', 1_000_000, 0), tokens('claude-opus', 1_000_000, 0)], prices),
  ).toBeCloseTo(4)
})

test('tokens of a model without a price have no price', () => {
  expect(priceOf([tokens('claude-haiku', 1, 1), tokens('gpt', 1, 1)], prices)).toBeNull()
  expect(priceOf([], prices)).toBe(0)
})

test.each([
  [{ m: { input: 1 } }, ['m', 'output']],
  [{ m: { input: -1, output: 1 } }, ['m', 'input']],
  [{ m: { input: 1, output: 1, cached: 1 } }, ['m']],
])('a table with a wrong price is rejected: %j', (table, path) => {
  expect(priceTable.safeParse(table).error?.issues[0]?.path).toEqual(path)
})
