import { describe, expect, test } from 'vitest'
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
  ])('refuse %s, and name it', (_, given, code) => {
    for (const field of [label, name, filePath])
      expect(field.safeParse(given).error?.issues[0]?.message).toBe(
        `holds a character that is not shown (${code}); remove it`,
      )
  })

  test.each(['AC-1', 'a label of words', 'Straße', '漢字', 'می‌خواهم', '👩‍👩‍👧‍👦', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'])(
    'take %s',
    (given) => {
      for (const field of [label, name, filePath]) expect(field.safeParse(given).success).toBe(true)
    },
  )
})
