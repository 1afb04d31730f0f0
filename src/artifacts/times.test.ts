import { expect, test } from 'vitest'
import { splitRuns } from './times.ts'

type Turn = [number: number, time: number | null]
const split = (...turns: Turn[]): number[][] =>
  splitRuns(turns, ([, time]) => time).map((run) => run.map(([n]) => n))

test('turns that were completed one after the other are one run', () => {
  expect(split([1, 10], [2, 20], [3, 30])).toEqual([[1, 2, 3]])
})

test('a re-run that overwrote the first files is a newer run', () => {
  expect(split([1, 90], [2, 20], [3, 30])).toEqual([[2, 3], [1]])
})

test('several re-runs are ordered oldest first', () => {
  expect(split([1, 90], [2, 60], [3, 61], [4, 20], [5, 30])).toEqual([[4, 5], [2, 3], [1]])
})

test('equal times do not split', () => {
  expect(split([1, 10], [2, 10])).toEqual([[1, 2]])
})

test('a turn without a time stays with its predecessor, and the last known time decides', () => {
  expect(split([1, 90], [2, null], [3, 20], [4, null])).toEqual([
    [3, 4],
    [1, 2],
  ])
  expect(split([1, null], [2, 20], [3, 10])).toEqual([[3], [1, 2]])
  expect(split([1, null], [2, null])).toEqual([[1, 2]])
})

test('no turns are no runs', () => {
  expect(split()).toEqual([])
})
