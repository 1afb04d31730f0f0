import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { drawTable } from './table.ts'

const word = fc.oneof(fc.uuid(), fc.integer(), fc.constant('insufficient_history'))
const widest = (text: string) => Math.max(...text.split('\n').map(stringWidth))

describe('a table at a terminal', () => {
  test('fits the width of the terminal if its texts can be wrapped', () => {
    const tables = fc.record({
      rows: fc.array(fc.tuple(fc.lorem(), fc.uuid(), fc.lorem()), { maxLength: 5 }),
      width: fc.integer({ min: 72, max: 200 }),
    })
    fc.assert(
      fc.property(tables, ({ rows, width }) => {
        expect(widest(drawTable(['A', 'B', 'C'], rows, width))).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('never breaks an id or another single word, even if the table is then wider than the terminal', () => {
    const rows = fc.array(fc.tuple(word, word, fc.oneof(word, fc.lorem())), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 10, max: 100 }), (cells, width) => {
        const table = drawTable(['A', 'B', 'C'], cells, width)
        for (const text of cells.flat().map(String)) if (!text.includes(' ')) expect(table).toContain(text)
      }),
    )
  })

  test('does not break an id within a text', () => {
    const id = '6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10'
    expect(drawTable(['WORLD', 'AT WORK'], [['TASK-1', `run ${id}`]], 30)).toContain(id)
  })

  test('drops the fraction of a time, and its seconds only if the table is too wide', () => {
    const rows = [['TASK-1', '2026-11-25T02:08:14.123Z', '2026-11-25T02:08:14.123456+01:00']]
    expect(drawTable(['WORLD', 'STARTED', 'ENDED'], rows, 80)).toContain(
      'TASK-1  2026-11-25T02:08:14Z  2026-11-25T02:08:14+01:00',
    )
    expect(drawTable(['WORLD', 'STARTED', 'ENDED'], rows, 50)).toContain(
      'TASK-1  2026-11-25T02:08Z  2026-11-25T02:08+01:00',
    )
  })

  test('wraps long texts between words and leaves names whole as long as texts have room to give', () => {
    const id = '6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10'
    expect(
      drawTable(
        ['RUN', 'REASON'],
        [
          [id, 'the attempt lease has expired'],
          [id, 'no'],
        ],
        60,
      ),
    ).toBe(
      `RUN                                   REASON
${id}  the attempt lease has
                                      expired
${id}  no`,
    )
  })

  test('cuts a word in a text that is wider than its column, with an ellipsis', () => {
    expect(drawTable(['FILE'], [['in /a/very/long/path/to/one/file']], 12)).toBe('FILE\nin\n    /a/very/lon…')
  })

  test('never begins a line with the continuation of a text', () => {
    const text = 'Built the lid **Progress**: 9 of 9 verified # Done'
    for (const width of [20, 24, 30, 40]) {
      const [head, first, ...more] = drawTable(['SUMMARY', 'N'], [[text, 1]], width).split('\n')
      expect([head, first]).toEqual([expect.stringMatching(/^SUMMARY/), expect.stringMatching(/^Built/)])
      expect(more.length).toBeGreaterThan(0)
      for (const line of more) expect(line).toMatch(/^ {4}\S/)
      const words = [first, ...more]
        .join(' ')
        .replace(/\s+1(?=\s|$)/, '')
        .split(/\s+/)
      expect(words.join(' ')).toBe(text)
    }
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20 }), fc.integer({ min: 10, max: 80 }), (words, width) => {
        const [, , ...more] = drawTable(['A'], [[words]], width).split('\n')
        for (const line of more) expect(line).toMatch(/^ {4}\S/)
      }),
    )
  })

  test('counts the columns of wide characters, not their number', () => {
    expect(drawTable(['A', 'B'], [['日本', 1]], 80)).toBe('A     B\n日本  1')
  })
})
