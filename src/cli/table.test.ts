import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { drawTable } from './table.ts'

const cell = fc.oneof(fc.string(), fc.lorem(), fc.uuid(), fc.integer(), fc.constant(null))
const widest = (text: string) => Math.max(...text.split('\n').map(stringWidth))

describe('a table at a terminal', () => {
  test('fits the width of the terminal, whatever its cells hold', () => {
    const tables = fc.record({
      rows: fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { maxLength: 5 }),
      width: fc.integer({ min: 60, max: 200 }),
    })
    fc.assert(
      fc.property(tables, ({ rows, width }) => {
        expect(widest(drawTable(['A', 'B', 'C', 'D', 'E', 'F'], rows, width))).toBeLessThanOrEqual(width)
      }),
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

  test('cuts a word that is wider than its column, and says so by an ellipsis', () => {
    expect(drawTable(['FILE'], [['/a/very/long/path/to/one/file']], 12)).toBe('FILE\n/a/very/lon…')
  })

  test('counts the columns of wide characters, not their number', () => {
    expect(drawTable(['A', 'B'], [['日本', 1]], 80)).toBe('A     B\n日本  1')
  })
})
