import { describe, expect, test } from 'vitest'
import { placeSpans } from './attempt-timeline.ts'

const DAY = 86_400_000

describe('the line of time of attempts', () => {
  test('gives attempts of different days their room, and returns the shortened pauses', () => {
    const { places, cuts } = placeSpans([
      { start: 0, end: 60_000 },
      { start: DAY, end: DAY + 60_000 },
    ])
    for (const { from, to } of places) expect(to - from).toBeGreaterThan(0.4)
    expect(cuts).toHaveLength(1)
    expect(cuts[0]?.ms).toBe(DAY - 60_000)
    expect(cuts[0]?.at).toBeGreaterThan(places[0]?.to ?? 1)
    expect(cuts[0]?.at).toBeLessThan(places[1]?.from ?? 0)
  })

  test('gives a hundred attempts of a hundred days most of the line', () => {
    const { places, cuts } = placeSpans(
      Array.from({ length: 100 }, (_, i) => ({ start: i * DAY, end: i * DAY + 60_000 })),
    )
    expect(cuts).toHaveLength(99)
    expect(places.reduce((sum, { from, to }) => sum + to - from, 0)).toBeGreaterThan(0.6)
  })

  test('draws pauses at their full length if they are short in relation to the work', () => {
    const { places, cuts } = placeSpans([
      { start: 0, end: 45_000 },
      { start: 55_000, end: 100_000 },
      { start: DAY, end: DAY + 100_000 },
    ])
    expect(cuts).toHaveLength(1)
    expect((places[1]?.from ?? 0) / (places[0]?.to ?? 1)).toBeCloseTo(55 / 45)
  })

  test('keeps the order and length of spans without a pause', () => {
    const { places, cuts } = placeSpans([
      { start: 0, end: 10_000 },
      { start: 10_000, end: 40_000 },
    ])
    expect(cuts).toEqual([])
    expect(places).toEqual([
      { from: 0, to: 0.25 },
      { from: 0.25, to: 1 },
    ])
  })

  test('shows an attempt without a duration, within the timeline', () => {
    const { places } = placeSpans([
      { start: 0, end: 1_000_000 },
      { start: 1_000_000, end: 1_000_000 },
    ])
    for (const { from, to } of places) {
      expect(to).toBeGreaterThan(from)
      expect(from).toBeGreaterThanOrEqual(0)
    }
    expect(placeSpans([{ start: 5, end: 5 }]).places).toHaveLength(1)
    expect(placeSpans([])).toEqual({ places: [], cuts: [] })
  })
})
