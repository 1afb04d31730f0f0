import { describe, expect, test } from 'vitest'
import { describeLife, placeLife } from './issue-life.ts'

const lived = (opened_in_turn: number, gone_in_turn: number | null, turns: number[]) => ({
  opened_in_turn,
  gone_in_turn,
  turns,
})

describe('the life of an issue', () => {
  test('lasts from the turn that opened it to the turn in which it was gone', () => {
    expect(placeLife(lived(2, 4, [2, 3]), [1, 2, 3, 4, 5])).toEqual({
      line: { from: 1, to: 3 },
      raised: [
        { turn: 2, column: 1 },
        { turn: 3, column: 2 },
      ],
    })
    expect(placeLife(lived(1, null, [1]), [1, 2]).line).toEqual({ from: 0, to: 'right edge' })
  })

  test('begins at the left edge without a disc if it was opened before the first shown turn', () => {
    expect(placeLife(lived(3, 202, [3, 4, 201]), [200, 201, 202])).toEqual({
      line: { from: 'left edge', to: 2 },
      raised: [{ turn: 201, column: 1 }],
    })
  })

  test('is not drawn if it was gone before the first shown turn', () => {
    expect(placeLife(lived(3, 7, [3, 4]), [200, 201])).toEqual({ line: null, raised: [] })
    expect(placeLife(lived(3, null, [3]), [])).toEqual({ line: null, raised: [] })
  })

  test('is described in a text of bounded length', () => {
    expect(describeLife(lived(1, 4, [1, 3]))).toBe('raised in turns 1, 3; gone in turn 4')
    const many = Array.from({ length: 1_000 }, (_, i) => i + 1)
    const said = describeLife(lived(1, null, many))
    expect(said).toMatch(/^raised in 1000 turns, the last 20: 981, .*, 1000; open$/)
    expect(said.length).toBeLessThan(200)
  })
})
