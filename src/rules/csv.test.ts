import { expect, test } from 'vitest'
import { toCsv } from './csv.ts'

const fields = (...values: unknown[]) => toCsv(['a'], [values]).slice('a\r\n'.length, -'\r\n'.length)

test('CSV keeps commas, quotes and line ends inside of their field', () => {
  expect(toCsv(['a', 'b'], [['x, "y"', 'one\ntwo']])).toBe('a,b\r\n"x, ""y""","one\ntwo"\r\n')
})

test('CSV never contains a formula for a spreadsheet, and numbers stay numbers', () => {
  expect(fields('=HYPERLINK("http://x")')).toBe('"\'=HYPERLINK(""http://x"")"')
  expect(fields('+1', '-2', '@a', ' =1', '\u200b=1', '\u001b[2J=1')).toBe("'+1,'-2,'@a,' =1,'=1,'=1")
  expect(fields(-2, -0.125, 1 / 3)).toBe('-2,-0.125,0.3333333333333333')
  expect(toCsv(['=a'], [])).toBe("'=a\r\n")
})

test('CSV distinguishes null from a text', () => {
  expect(fields(null, 'null', '')).toBe('null,"null",')
})

test('CSV holds lists and maps as JSON', () => {
  expect(fields(['=1', 2], { a: null })).toBe('"[""=1"",2]","{""a"":null}"')
})

test('CSV at a terminal has a line for each row, without escape sequences', () => {
  expect(toCsv(['a'], [['one\n**Progress**: two\u001b[31m']], { oneLine: true })).toBe(
    'a\r\none **Progress**: two\r\n',
  )
})
