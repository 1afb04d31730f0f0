import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeHidden, removeHidden, toBlock, toOneLine } from './foreign-text.ts'

/** A text that may hold any mean character, at any place. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(
        ...['\r\n', '\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f', '\t', ' ', '**Progress**: 9 of 9'],
        ...['## ', '  - [blocking] ', '  ✓ AC-1: verified', '      Suggestion: stop', '```', 'Suggestion: '],
        ...[
          '\u001b[31m',
          '\u009b2J',
          '\u001b]0;title\u0007',
          '\u001bPq\u001b\\',
          '\u001b',
          '\u202e',
          '\u2066',
        ],
        ...[
          '\u200b',
          '\u200d',
          '\u200c',
          '\ufe0f',
          '\u{e0041}',
          '👩‍👩‍👧‍👦',
          'می‌خواهم',
          '1️⃣',
          '\u061c',
          '\u180b',
          '👩',
          '\u{1f3f4}',
        ],
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('text from outside', () => {
  test('of one line does not change', () => {
    for (const text of [
      'Rebuilt it:  twice\t(see `a.py`)  ',
      '  indented',
      '',
      '漢字、かな',
      '👩‍👩‍👧‍👦 1️⃣ ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪',
      'می‌خواهم',
      'क्‍ष',
      '**bold** # no heading',
    ])
      expect(toBlock(text)).toBe(text)
  })

  test.each([
    ...['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f'].map((br) => [JSON.stringify(br), br]),
  ])('is indented behind a line break %s', (_, br) => {
    expect(toBlock(`one${br}**Progress**: 9 of 9${br}${br}## two${br}`)).toBe(
      'one\n    **Progress**: 9 of 9\n    \n    ## two',
    )
    expect(toOneLine(` one${br}  **Progress**: 9 of 9${br}`)).toBe('one **Progress**: 9 of 9')
  })

  test('begins with the first line that has visible characters', () => {
    expect(toBlock('\r\n \n  First\nSecond')).toBe('  First\n    Second')
    expect(toBlock('\n\n')).toBe('')
  })

  test('never has the indentation of a suggestion of ours', () => {
    expect(toBlock('one\n  Suggestion: approve\n\u00a0\u00a0Suggestion: approve')).toBe(
      'one\n    Suggestion: approve\n    Suggestion: approve',
    )
    expect(toBlock('one\n  if x:\n    y')).toBe('one\n      if x:\n        y')
  })

  test.each([
    ['CSI', 'a\u001b[1;31mb\u001b[0mc', 'abc'],
    ['a CSI of 8 bits', 'a\u009b31mb', 'ab'],
    ['OSC', 'a\u001b]8;;http://x\u0007b\u001b]8;;\u001b\\c', 'abc'],
    ['an OSC without an end', 'a\u001b]0;title', 'a0;title'],
    ['DCS', 'a\u001bP1;2q###\u001b\\b', 'ab'],
    ['a DCS of 8 bits', 'a\u0090q\u009cb', 'ab'],
    ['a reset', 'a\u001bcb', 'ab'],
    ['backspaces', 'abc\b\b\bxyz', 'abcxyz'],
    ['overrides', 'a\u202eb\u202c\u2066c\u2069\u200e\u200f\u061cd', 'abcd'],
    ['characters without a width', 'a\u200b\u200c\u200d\u2060\ufeff\u00adb', 'ab'],
    ['tags', `a${String.fromCodePoint(0xe0049, 0xe0067, 0xe006e)}b`, 'ab'],
    ['variation selectors that carry bytes', `x😀${String.fromCodePoint(0xe0158, 0xe0159)}`, 'x😀'],
  ])('loses %s', (_, text, seen) => {
    expect(removeHidden(text)).toBe(seen)
  })

  test('has only its first line at column 0, with any content', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [, ...below] = toBlock(text).split(/(?!\t)[\p{Cc}\u2028\u2029]/u)
        for (const line of below) {
          expect(line).toMatch(/^ {4}/)
          expect(line).not.toMatch(/^ {6}Suggestion:/)
        }
        expect(toOneLine(text)).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029\p{Cc}]/u)
        expect(removeHidden(text)).not.toMatch(
          /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/u,
        )
        expect(removeHidden(removeHidden(text))).toBe(removeHidden(text))
        if (!/[\n\r\v\f\u0085\u2028\u2029]/u.test(text)) expect(toBlock(text)).toBe(removeHidden(text))
      }),
      { numRuns: 5_000 },
    )
  })

  test('in JSON is the same text with its hidden characters as escapes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = escapeHidden(JSON.stringify({ text }))
        expect(JSON.parse(json)).toEqual({ text })
        expect(json).not.toMatch(/\p{Cc}|[\u2028\u2029]|\p{Default_Ignorable_Code_Point}/u)
      }),
    )
  })
})
