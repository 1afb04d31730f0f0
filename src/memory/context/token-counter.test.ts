import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { loadTokens } from './token-counter.ts'

const UNITS = ['a', ' ', '\n', '=', 'la', '!!?', '漢', '🇩🇪', '\u0301']

test.each(UNITS)('a long run of %j is never counted below the count of the package', async (unit) => {
  const tokens = await loadTokens()
  const run = unit.repeat(9_000 / unit.length)
  const counted = countTokens(run)
  expect(tokens.count(run)).toBeGreaterThanOrEqual(counted)
  expect(tokens.count(run)).toBeLessThanOrEqual(counted + 16)
})

test('the sum of the lines is the count of the package', async () => {
  const tokens = await loadTokens()
  const pieces = fc.constantFrom(
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    '  ',
    ' ',
    '.',
    '/',
    '**',
    '- ',
    '○',
    'turn',
    '12',
    "'s",
  )
  const text = fc.array(pieces, { maxLength: 40 }).map((each) => each.join(''))
  fc.assert(fc.property(text, (given) => tokens.count(given) === countTokens(given)))
})

test.each(UNITS)('a million characters of %j are counted in linear time', async (unit) => {
  const tokens = await loadTokens()
  expect(tokens.count(unit.repeat(1_000_000 / unit.length))).toBeGreaterThan(1_000)
})

test('the reach of a number of tokens is near the text that takes them', async () => {
  const tokens = await loadTokens()
  for (const unit of ['🇩🇪', '漢字', 'word ', 'a']) {
    const text = unit.repeat(9_000)
    const taken = tokens.count(text.slice(0, tokens.reach(text, 1_001)))
    expect(Math.abs(taken - 1_001), unit).toBeLessThanOrEqual(10)
  }
})
