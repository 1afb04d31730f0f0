import { expect, test } from 'vitest'
import { keptKeys } from './kept-keys.ts'

const criteria = [
  { key: 'a', mergedInto: 'b' },
  { key: 'b', mergedInto: 'c' },
  { key: 'c', mergedInto: null },
  { key: 'd', mergedInto: null },
]

test('what something speaks of stays, with all that it was merged into', () => {
  expect([...keptKeys(criteria, ['a'])]).toEqual(['a', 'b', 'c'])
  expect([...keptKeys(criteria, ['c', 'd'])]).toEqual(['c', 'd'])
  expect([...keptKeys(criteria, [])]).toEqual([])
})

test('a merge that leads back to itself comes to an end', () => {
  const circle = [
    { key: 'a', mergedInto: 'b' },
    { key: 'b', mergedInto: 'a' },
  ]
  expect([...keptKeys(circle, ['a'])]).toEqual(['a', 'b'])
})
