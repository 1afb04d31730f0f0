import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { removeHidden } from '../rules/foreign-text.ts'
import { filePath, label, name } from './fields.ts'

describe('labels, names and paths', () => {
  test.each([
    ['a line feed', 'AC-1\n**Progress**: 9 of 9', 'U+000A'],
    ['a tab', 'AC\t1', 'U+0009'],
    ['an escape', 'AC-1\u001b[2K', 'U+001B'],
    ['a control character of 8 bits', 'AC-1\u009b2K', 'U+009B'],
    ['a line separator', 'AC-1\u2028', 'U+2028'],
    ['an override', 'AC-\u202e1', 'U+202E'],
    ['an isolate', 'AC-\u20661', 'U+2066'],
    ['a character without a width', 'AC-\u200b1', 'U+200B'],
    ['a joiner between letters that need none', 'AC\u200d-1', 'U+200D'],
    ['a tag', `AC-1${String.fromCodePoint(0xe0041)}`, 'U+E0041'],
    ['a filler of Hangul', 'AC-1\u3164', 'U+3164'],
    ['a selector of a variant that does not exist', 'AC-1\ufe00', 'U+FE00'],
    ['a selector of an emoji after a digit', 'AC-1\ufe0f', 'U+FE0F'],
  ])('refuse %s, and name it', (_, given, code) => {
    for (const field of [label, name, filePath])
      expect(field.safeParse(given).error?.issues[0]?.message).toBe(
        `holds a character that is not shown (${code}); remove it`,
      )
  })

  test.each(['AC-1', 'a label of words', 'Straße', '漢字', 'می‌خواهم', '👩‍👩‍👧‍👦', '1️⃣', '❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'])(
    'take %s',
    (given) => {
      for (const field of [label, name, filePath]) expect(field.safeParse(given).success).toBe(true)
    },
  )

  test('refuse every character that a context would remove', () => {
    const characters = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(
        ...['1', 'a', '漢', 'می', '👩', '\u{1f3f4}', '\u200d', '\ufe0f', '\u20e3', '\u{e007f}', '\u3164'],
      ),
    )
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 8 }), (parts) => {
        const given = parts.join('')
        if (label.safeParse(given).success) expect(removeHidden(given)).toBe(given)
      }),
      { numRuns: 5_000 },
    )
  })
})
