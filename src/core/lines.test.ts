import { expect, test } from 'vitest'
import { LineSplitter } from './lines.ts'

function split(chunks: (string | Buffer)[], isWhole = (_: Buffer) => false) {
  const lines: string[] = []
  const splitter = new LineSplitter(0, (bytes, start, end) =>
    lines.push(bytes.toString('latin1', start, end)),
  )
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  splitter.end(isWhole)
  return { lines, consumed: splitter.consumed, overlong: splitter.overlong }
}

test.each<[string[], string[], number]>([
  [['a\nb\n'], ['a', 'b'], 4],
  [['a', '\n', 'b', '\n'], ['a', 'b'], 4],
  [['a\nb', 'c\nd'], ['a', 'bc'], 5],
  [['\n\n', '', '\n'], ['', '', ''], 3],
  [['a\r\nb'], ['a\r'], 3],
  [['abc', 'def', 'ghi\n'], ['abcdefghi'], 10],
  [[], [], 0],
])('%j', (chunks, lines, consumed) => {
  expect(split(chunks)).toEqual({ lines, consumed, overlong: 0 })
})

test('what stands behind the last newline is a line only if it is whole, and is shown as it stands', () => {
  const shown: string[] = []
  const isWhole = (rest: Buffer) => shown.push(rest.toString()) > 0
  expect(split(['a\nb', 'c'], isWhole)).toEqual({ lines: ['a', 'bc'], consumed: 4, overlong: 0 })
  expect(split(['a\nb', 'c'])).toEqual({ lines: ['a'], consumed: 2, overlong: 0 })
  expect(split(['a\n'], isWhole)).toEqual({ lines: ['a'], consumed: 2, overlong: 0 })
  expect(shown).toEqual(['bc'])
})

test('bytes are counted on from where the file was left', () => {
  const splitter = new LineSplitter(1000, () => {})
  splitter.push(Buffer.from('abc\nde'))
  splitter.end(() => false)
  expect(splitter.consumed).toBe(1004)
})

test('a line beyond every measure is dropped, and the next one is read', () => {
  const chunk = Buffer.alloc(16 * 1024 * 1024, 'x')
  const { lines, consumed, overlong } = split(['a\n', ...Array<Buffer>(17).fill(chunk), '\nb\n'])
  expect(lines).toEqual(['a', 'b'])
  expect(overlong).toBe(1)
  expect(consumed).toBe(17 * chunk.length + 5)
})
