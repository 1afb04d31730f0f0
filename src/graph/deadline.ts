import { TurngraphError } from '../errors.ts'

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
