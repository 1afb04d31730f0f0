import { expect, test } from 'vitest'
import { withTargets } from './criteria.ts'

const criteria = [
  { key: 'a', mergedInto: 'b' },
  { key: 'b', mergedInto: 'c' },
  { key: 'c', mergedInto: null },
  { key: 'd', mergedInto: null },
]

test('a criterion that is named stays, with all that it was merged into', () => {
  expect([...withTargets(criteria, ['a'])]).toEqual(['a', 'b', 'c'])
  expect([...withTargets(criteria, ['c', 'd'])]).toEqual(['c', 'd'])
  expect([...withTargets(criteria, [])]).toEqual([])
})

test('a merge that leads back to itself comes to an end', () => {
  const circle = [
    { key: 'a', mergedInto: 'b' },
    { key: 'b', mergedInto: 'a' },
  ]
  expect([...withTargets(circle, ['a'])]).toEqual(['a', 'b'])
})
