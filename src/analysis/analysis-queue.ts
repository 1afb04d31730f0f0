// Queues named analyses: a few read at once in this process, and the others wait while their callers do.
import PQueue from 'p-queue'
import { TurngraphError } from '../core/errors.ts'

/** Each may keep a connection for 25 s: with fifty of them nobody else, and no capture, would have any. */
const MOST_AT_ONCE = 4
const MOST_WAITING = 32

const queue = new PQueue({ concurrency: MOST_AT_ONCE })

/**
 * Reads in its turn. A caller who gives up waits no more; what reads already keeps its place until its own deadline, as a
 * statement of the port has no other end: giving up makes no room for yet another one.
 *
 * @param deadline when it must have been answered, in terms of performance.now(): one whose turn comes later is not begun
 * @throws `rate_limited` where too many wait; `timeout` where its turn comes too late, or the caller gives up before it
 */
export async function readInTurn<T>(
  read: () => Promise<T>,
  deadline: number,
  caller?: AbortSignal,
): Promise<T> {
  if (queue.size >= MOST_WAITING) {
    throw new TurngraphError('rate_limited', `${MOST_WAITING} analyses wait already.`, {
      hint: 'Try again when they are done.',
    })
  }
  const waiting = new AbortController()
  const leave = () => waiting.abort(givenUp())
  if (caller?.aborted) leave()
  caller?.addEventListener('abort', leave)
  const stopListening = () => caller?.removeEventListener('abort', leave)
  const begin = () => {
    stopListening()
    if (performance.now() > deadline) throw tooLate()
    return read()
  }
  return queue.add(begin, { signal: waiting.signal }).finally(stopListening)
}

const givenUp = (): TurngraphError =>
  new TurngraphError('timeout', 'The caller gave up on the analysis.', { hint: 'Ask again.' })

const tooLate = (): TurngraphError =>
  new TurngraphError('timeout', 'Other analyses took all the time that this one has.', {
    hint: 'Ask again when they are done.',
  })
