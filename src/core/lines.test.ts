import { expect, test } from 'vitest'
import { LineSplitter } from './lines.ts'

function split(chunks: (string | Buffer)[], wholeBytes = (_: Buffer) => 0) {
  const lines: string[] = []
  const splitter = new LineSplitter(0, (bytes, start, end) =>
    lines.push(bytes.toString('latin1', start, end)),
  )
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  splitter.end(wholeBytes)
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

test('whole bytes after the last newline are a line, and the other bytes are not consumed', () => {
  const shown: string[] = []
  const all = (rest: Buffer) => {
    shown.push(rest.toString())
    return rest.length
  }
  expect(split(['a\nb', 'c'], all)).toEqual({ lines: ['a', 'bc'], consumed: 4, overlong: 0 })
  expect(split(['a\nb', 'c'], () => 1)).toEqual({ lines: ['a', 'b'], consumed: 3, overlong: 0 })
  expect(split(['a\nb', 'c'])).toEqual({ lines: ['a'], consumed: 2, overlong: 0 })
  expect(split(['a\n'], all)).toEqual({ lines: ['a'], consumed: 2, overlong: 0 })
  expect(shown).toEqual(['bc'])
})

test('the tail ends with the last whole byte', () => {
  const splitter = new LineSplitter(0, () => {})
  splitter.push(Buffer.from('a\nbcd'))
  splitter.end(() => 2)
  expect(splitter.tail.toString()).toBe('a\nbc')
})

test('the count of bytes continues at the given offset', () => {
  const splitter = new LineSplitter(1000, () => {})
  splitter.push(Buffer.from('abc\nde'))
  splitter.end(() => 0)
  expect(splitter.consumed).toBe(1004)
})

test('a line over the limit is dropped, and the next line is read', () => {
  const chunk = Buffer.alloc(16 * 1024 * 1024, 'x')
  const { lines, consumed, overlong } = split(['a\n', ...Array<Buffer>(17).fill(chunk), '\nb\n'])
  expect(lines).toEqual(['a', 'b'])
  expect(overlong).toBe(1)
  expect(consumed).toBe(17 * chunk.length + 5)
})
