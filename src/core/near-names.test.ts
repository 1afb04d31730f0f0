import { expect, test } from 'vitest'
import { didYouMean, nearNames } from './near-names.ts'

test('at most three similar names are returned, the most similar first', () => {
  const tasks = ['TASK-1', 'TASK-2', 'TASK-12', 'TASK-111', 'TASK-113', 'OTHER']
  expect(nearNames('TASK-11', tasks)).toEqual(['TASK-1', 'TASK-111', 'TASK-113'])
  expect(nearNames('task-sklt-004', ['TASK-SKEL-004', 'TASK-SKEL-005'])).toEqual([
    'TASK-SKEL-004',
    'TASK-SKEL-005',
  ])
})

test('a name without one of its parts is similar', () => {
  expect(nearNames('SKEL-004', ['TASK-SKEL-004', 'TASK-SKEL-005'])).toEqual(['TASK-SKEL-004'])
})

test('names with little in common are not similar, and the name itself is left out', () => {
  expect(nearNames('NOPE', ['TASK-1', 'FEAT-1', 'NOPE'])).toEqual([])
  expect(nearNames('ab', ['cd', 'abcdef'])).toEqual([])
  expect(nearNames('Y', ['F', 'Y1'])).toEqual(['Y1'])
})

test('the allowed distance depends on the length of the name', () => {
  expect(nearNames('x'.repeat(256), ['y'.repeat(256), 'x'.repeat(255)])).toEqual(['x'.repeat(255)])
})

test('the question contains all similar names', () => {
  expect(didYouMean([])).toBe('')
  expect(didYouMean(['A'])).toBe(' Did you mean A?')
  expect(didYouMean(['A', 'B', 'C'])).toBe(' Did you mean A, B or C?')
})

test('a swap of two neighboring characters is one difference', () => {
  expect(nearNames('Trun', ['Turn', 'Tool'])).toEqual(['Turn'])
})
