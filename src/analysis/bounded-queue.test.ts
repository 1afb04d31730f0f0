import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { TurngraphError } from '../core/errors.ts'
import { BoundedQueue } from './bounded-queue.ts'

const queue = () =>
  new BoundedQueue({
    atOnce: 1,
    mostWaiting: 2,
    noun: { one: 'question', many: 'questions' },
    tooLong: (timeoutMs, waitedMs) =>
      new TurngraphError('timeout', `It took ${timeoutMs} ms and waited ${waitedMs > 0}.`),
  })

test('all listeners are removed once the caller has its answer, so that no answer stays in memory', async () => {
  const caller = new AbortController()
  const given: AbortSignal[] = []
  const answer = await queue().run(
    async ({ signal }) => {
      given.push(signal)
      return 'answer'
    },
    { timeoutMs: 60_000, caller: caller.signal },
  )
  expect(answer).toBe('answer')
  expect(given).toHaveLength(1)
  for (const signal of [...given, caller.signal]) expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a caller that gives up is answered at once, and running work keeps its place until it ends', async () => {
  const asked = queue()
  const caller = new AbortController()
  let letGo = () => {}
  const begun = asked.run(() => new Promise<void>((resolve) => (letGo = resolve)), {
    timeoutMs: 60_000,
    caller: caller.signal,
  })
  const next = asked.run(async () => 'next', { timeoutMs: 60_000 })
  caller.abort()
  await expect(begun).rejects.toMatchObject({ code: 'timeout' })
  expect(await Promise.race([next, Promise.resolve('waits')])).toBe('waits')
  letGo()
  expect(await next).toBe('next')
})

test('work whose time runs out in the queue gets an error that names its wait', async () => {
  const asked = queue()
  let letGo = () => {}
  const begun = asked.run(() => new Promise<void>((resolve) => (letGo = resolve)), { timeoutMs: 60_000 })
  await expect(asked.run(async () => 'next', { timeoutMs: 20 })).rejects.toThrow(
    'It took 20 ms and waited true.',
  )
  letGo()
  await begun
})
