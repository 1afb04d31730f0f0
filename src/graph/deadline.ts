import { AsyncLocalStorage } from 'node:async_hooks'
import { TurngraphError } from '../errors.ts'
import { DEADLINE_MS } from './port.ts'

const begun = new AsyncLocalStorage<number>()

/** All that `work` asks of the graph shares one deadline: a request may take several statements. */
export const withOneDeadline = <T>(work: () => Promise<T>): Promise<T> =>
  begun.getStore() === undefined ? begun.run(performance.now() + DEADLINE_MS, work) : work()

/** When what begins now must have been answered, in terms of performance.now(). */
export const deadlineNow = (): number => begun.getStore() ?? performance.now() + DEADLINE_MS

/**
 * Answers `work`, or a `timeout` error at `deadline` (of performance.now()): a server may look for
 * transactions that are over their time only every two seconds, so the client keeps the time itself.
 */
export function withDeadline<T>(
  deadline: number,
  work: () => Promise<T>,
  onTimeout: () => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        onTimeout()
        reject(
          new TurngraphError('timeout', 'The graph did not answer in time.', {
            hint: 'Try again: a repeated capture is stored once.',
          }),
        )
      },
      Math.max(0, deadline - performance.now()),
    )
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
