import { describe, expect, test } from 'vitest'
import { placeCalls } from './place-calls.ts'

const step = (sequence: number, parallel_group: number | null = null, duration_ms: number | null = null) => ({
  sequence,
  parallel_group,
  duration_ms,
})

describe('calls on a line', () => {
  test('follow one another; calls of one response are stacked, and the next call starts after the longest of them', () => {
    const { calls, rows } = placeCalls([step(0), step(1, 1, 10_000), step(2, 1), step(3, 2), step(4)])
    expect(calls.map(({ x, row }) => [x, row])).toEqual([
      [0, 0],
      [14, 0],
      [14, 1],
      [66, 0],
      [80, 0],
    ])
    expect(rows).toBe(2)
  })

  test('a call of an hour is no wider than the screen', () => {
    expect(placeCalls([step(0, null, 3_600_000)]).width).toBeLessThan(200)
  })
})
