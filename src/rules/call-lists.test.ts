import { expect, test } from 'vitest'
import { type Call, fromCallLists, numberParallelGroups, toCallLists } from './call-lists.ts'

const call = (more: Partial<Call> = {}): Call => ({
  ...{ id: 't.0', tool: 'Read', status: 'ok', parallelGroup: null, durationMs: null },
  ...{ agentId: null, response: null },
  ...more,
})

test('calls are the same after they were stored as lists, with all values or without', () => {
  const all = call({ status: 'error', parallelGroup: 1, durationMs: 0, agentId: 'a1', response: 'm1' })
  expect(fromCallLists(toCallLists([call(), all]))).toEqual([call(), all])
  expect(fromCallLists(toCallLists([]))).toEqual([])
})

test('the duration of a call that ended before its start is not known', () => {
  expect(toCallLists([call({ durationMs: -5 })]).durationsMs).toEqual([-1])
  expect(fromCallLists(toCallLists([call({ durationMs: -5 })]))).toEqual([call()])
})

const parallel = { isParallel: true }
const alone = { isParallel: false }

test('a parallel call without a group gets one by its response', () => {
  const [a, b] = [
    { ...parallel, response: 'm1' },
    { ...parallel, response: 'm2' },
  ]
  expect(numberParallelGroups([a, b, a, alone, b])).toEqual([1, 2, 1, null, 2])
  expect(numberParallelGroups([{ ...parallel, parallelGroup: 3 }, a, a])).toEqual([3, 4, 4])
})

test('without a response, parallel calls that are neighbors are one group', () => {
  expect(numberParallelGroups([parallel, parallel, alone, parallel, parallel])).toEqual([1, 1, null, 2, 2])
})
