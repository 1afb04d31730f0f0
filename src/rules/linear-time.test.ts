import { expect, test } from 'vitest'
import { foldWord } from '../memory/record/words.ts'
import { isSubstantiated } from './absence.ts'
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
