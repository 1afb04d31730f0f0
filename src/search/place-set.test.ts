import { expect, test } from 'vitest'
import { keepShared, listShared, PlaceSet } from './place-set.ts'

const MAX_PLACE = 100_000

/** Creates a set of the multiples of a number. */
function multiplesOf(step: number): PlaceSet {
  const set = new PlaceSet()
  for (let place = 0; place <= MAX_PLACE; place += step) set.add(place)
  return set
}

const every = (step: number, max = MAX_PLACE) =>
  Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step)

test('the shared places of sets of different sizes are listed in ascending order', () => {
  const small = new PlaceSet()
  for (let place = 0; place <= 320; place++) small.add(place)
  const places = new Int32Array(MAX_PLACE + 1)
  const list = (...sets: PlaceSet[]) => [...places.subarray(0, listShared(sets, places))]
  expect(list(multiplesOf(3))).toEqual(every(3))
  expect(list(multiplesOf(3), multiplesOf(2))).toEqual(every(6))
  expect(list(multiplesOf(31), small)).toEqual(every(31, 320))
  expect(list(small, multiplesOf(31), multiplesOf(2))).toEqual(every(62, 320))
  expect(list()).toEqual([])
})

test('only the places that all sets have are kept, in their order', () => {
  const places = Int32Array.from([60, 7, 30, 31, 90_000, 12])
  const count = keepShared([multiplesOf(2), multiplesOf(3)], places, 5)
  expect([...places.subarray(0, count)]).toEqual([60, 30, 90_000])
  expect(keepShared([], places, 3)).toBe(3)
})
