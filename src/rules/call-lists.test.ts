import { expect, test } from 'vitest'
import { type Call, fromCallLists, toCallLists } from './call-lists.ts'

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
