import { expect, test } from 'vitest'
import { normalizeLabel, splitLabel } from './labels.ts'
import { warnOfLookAlikes } from './look-alikes.ts'

test.each([
  ['\u0410\u0421-1', 'AC-001'],
  ['A\u0421-1', 'AC-001'],
  ['\u0430\u0441-1', 'AC-001'],
  ['\u0391\u03f9-1', 'AC-001'],
  ['\u13aa\u13df-1', 'AC-001'],
  ['\ua4ee\ua4da-1', 'AC-001'],
  ['AC\u20111', 'AC-001'],
  ['R\u0415Q-12', 'REQ-012'],
])('the label %j looks like %s and is the same label', (given, label) => {
  expect(normalizeLabel(given)).toBe(label)
  expect(normalizeLabel(label)).toBe(label)
})

test('a label with Cyrillic letters at the start of a text is split off unchanged', () => {
  expect(splitLabel('\u0410\u0421-3: It seeds')).toEqual({ label: '\u0410\u0421-3', text: 'It seeds' })
  expect(splitLabel('**\u0410C-3: It** seeds')).toEqual({ label: '\u0410C-3', text: '**It** seeds' })
})

test('a warning names a label that looks like another one and its letters; a word of another alphabet causes none', () => {
  expect(warnOfLookAlikes(['AC-1', '\u0410\u0421-1', '\u0410\u0421-1'])).toEqual([
    'label "\u0410\u0421-1" looks like "AC-1" and counts as it, but has letters of another alphabet (U+0410, U+0421)',
  ])
  expect(warnOfLookAlikes(['K\u0420ИТЕРИЙ-1'])[0]).toContain('U+0420')
  expect(warnOfLookAlikes(['КРИТЕРИЙ-1', '検収-1', 'größe-1', 'κριτήριο-1'])).toEqual([])
  const many = Array.from({ length: 9 }, (_, i) => `\u0410\u0421-${i}`)
  expect(warnOfLookAlikes(many)).toHaveLength(6)
})
