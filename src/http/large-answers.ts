// Queues answers with large records, from their first statement until they are rendered.
import PQueue from 'p-queue'
import { isAway, type TurngraphError } from '../core/errors.ts'

/**
 * Queue for operations whose records may have a mebibyte each (`largeRecords`). It runs two at a time, so that the data of six
 * readers is never in memory together, and another request waits for two of them instead of six.
 *
 * Add whole answers, not single reads. V8 moves the frames of a waiting request to its old space, and the unused data that they
 * reference stays in memory until a full collection. The heap of six readers of 180 MB grew beyond 800 MB if they waited for
 * their reads, and to 200 MB if they waited before they began (docs/decisions/embedded-memory.md).
 */
const largeAnswers = new PQueue({ concurrency: 2 })

let lastAway: { at: number; error: TurngraphError } | null = null

/**
 * Renders an answer in the queue. If the store did not answer another one in the meantime, the answer is the same error: one wait
 * for the store after another would exceed the time of a request.
 */
export function answerInQueue<T>(answer: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const queuedAt = performance.now()
  const run = async () => {
    if (lastAway !== null && lastAway.at > queuedAt) throw lastAway.error
    try {
      return await answer()
    } catch (error) {
      if (isAway(error)) lastAway = { at: performance.now(), error }
      throw error
    }
  }
  return largeAnswers.add(run, { signal })
}
