import { expect, test } from 'vitest'
import { didYouMean, nearNames } from './near-names.ts'

test('names near to a misspelt one come nearest first, three at most', () => {
  const tasks = ['TASK-1', 'TASK-2', 'TASK-12', 'TASK-111', 'TASK-113', 'OTHER']
  expect(nearNames('TASK-11', tasks)).toEqual(['TASK-1', 'TASK-111', 'TASK-113'])
  expect(nearNames('task-sklt-004', ['TASK-SKEL-004', 'TASK-SKEL-005'])).toEqual([
    'TASK-SKEL-004',
    'TASK-SKEL-005',
  ])
})

test('a name of which a part was left out is near', () => {
  expect(nearNames('SKEL-004', ['TASK-SKEL-004', 'TASK-SKEL-005'])).toEqual(['TASK-SKEL-004'])
})

test('what has little in common is not near, nor is the name itself', () => {
  expect(nearNames('NOPE', ['TASK-1', 'FEAT-1', 'NOPE'])).toEqual([])
  expect(nearNames('ab', ['cd', 'abcdef'])).toEqual([])
  expect(nearNames('Y', ['F', 'Y1'])).toEqual(['Y1'])
})

test('long names are compared within their length alone', () => {
  expect(nearNames('x'.repeat(256), ['y'.repeat(256), 'x'.repeat(255)])).toEqual(['x'.repeat(255)])
})

test('the question names them all', () => {
  expect(didYouMean([])).toBe('')
  expect(didYouMean(['A'])).toBe(' Did you mean A?')
  expect(didYouMean(['A', 'B', 'C'])).toBe(' Did you mean A, B or C?')
})

test('two neighboring characters that changed places are one difference', () => {
  expect(nearNames('Trun', ['Turn', 'Tool'])).toEqual(['Turn'])
})
