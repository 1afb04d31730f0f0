import { expect, test } from 'vitest'
import { describeValue, toCsv } from './values.ts'

test('CSV keeps commas, quotes and line ends inside of their field', () => {
  expect(toCsv(['a', 'b'], [['x, "y"', 'one\ntwo']])).toBe('a,b\r\n"x, ""y""","one\ntwo"\r\n')
})

test('CSV never holds what a spreadsheet would run', () => {
  expect(toCsv(['a'], [['=HYPERLINK("http://x")'], ['-2'], [-2], [null]])).toBe(
    'a\r\n"\'=HYPERLINK(""http://x"")"\r\n\'-2\r\n-2\r\n\r\n',
  )
})

test('a value of any kind is a text', () => {
  expect([null, 1, 'x', [1, 'y'], { a: 1 }].map(describeValue)).toEqual(['–', '1', 'x', '1, y', '{"a":1}'])
})
