import { expect, test } from 'vitest'
import { heartbeatAnswer, viewHeartbeat } from './views.ts'

test('the end of a lease at a whole second is an instant that clients can read', () => {
  const answer = viewHeartbeat({ leaseUntil: 60_000, cancelRequested: false, abortRequested: false })
  expect(heartbeatAnswer.parse(answer)).toMatchObject({ leaseUntil: '1970-01-01T00:01:00Z' })
})
