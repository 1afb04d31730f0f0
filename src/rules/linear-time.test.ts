import { expect, test } from 'vitest'
import { foldWord } from '../memory/record/words.ts'
import { isSubstantiated } from './absence.ts'
import { resolveCriteria } from './identity.ts'
import { splitLabel } from './labels.ts'
import { isInformative } from './summaries.ts'
import { normalizeText } from './words.ts'

/** Returns a text so long that quadratic time exceeds the limit of a test. */
const repeat = (part: string): string => part.repeat(1_000_000 / part.length)

test.each(['.', ':', ',', ';', '.:'])('a text with %j in its middle is normalized in linear time', (part) => {
  const text = `a${repeat(part)}b`
  expect(normalizeText(text)).toBe(text)
  expect(foldWord(text)).toBe(text)
})

test.each(['.', '!'])('a summary with %j in its middle is read in linear time', (part) => {
  expect(isInformative(`a${repeat(part)}b`)).toBe(true)
  expect(isSubstantiated(`a${repeat(part)}b`, new Set())).toBe(true)
})

test.each(['**AC-1', '*a-1', '[AC-1', 'AC-1'])(
  'a label with space behind it is read in linear time: %j',
  (start) => {
    expect(splitLabel(`${start}${repeat(' ')}b`).label).toBeNull()
  },
)

test('the entries of a turn are matched to 40,000 criteria without comparing each with each', () => {
  const text = (i: number) => `criterion ${i} of a task says that ${i * 7} requests are answered`
  const criteria = Array.from({ length: 40_000 }, (_, i) => ({
    ...{ key: `key ${i}`, mergedInto: null, worldKey: null },
    texts: [{ text: text(i), source: 'coach' }],
    aliases: [{ label: `AC-${i}`, source: 'coach' }],
  }))
  const entries = (source: string, from: number) =>
    Array.from({ length: 10_000 }, (_, i) => ({ label: `AC-${i}`, text: text(from + i), source }))
  const { promises, judgements, changed } = resolveCriteria(
    { taskKey: 'task', worldKey: 'world', criteria, labels: new Map(), earlier: [] },
    { promises: entries('player', 50_000), judgements: [entries('coach', 30_000)], mentioned: [] },
  )
  expect([new Set(promises).size, judgements[0]?.[0], changed.length]).toEqual([10_000, 'key 30000', 20_000])
})

test.each(['a', 'a_', 'aB', '_'])(
  'evidence with %j repeated is searched for names of code in linear time',
  (part) => {
    const { judgements } = resolveCriteria(
      { taskKey: 'task', worldKey: 'world', criteria: [], labels: new Map(), earlier: [] },
      {
        promises: [
          { label: 'AC-1', text: `Returns ${repeat(part)}`, source: 'player' },
          { label: 'AC-2', text: 'Every host is listed', source: 'player' },
        ],
        judgements: [[{ label: 'AC-1', text: null, source: 'coach', evidence: `no ${repeat(part)}` }]],
        mentioned: [],
      },
    )
    expect(judgements[0]).toHaveLength(1)
  },
)
