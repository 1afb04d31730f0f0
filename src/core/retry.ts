// Repeats work that may succeed later, until a deadline or up to a number of retries.
import pRetry from 'p-retry'

export type RetryOptions = {
  /** Checks whether another try may succeed after this error. */
  when: (error: Error) => boolean
  /** No try starts after this time of performance.now(); default: no limit. */
  until?: number
  /** Maximum number of tries after the first; default: as many as the time allows. */
  retries?: number
  /** First pause. Each pause is twice the previous one, multiplied by a random factor of 1 to 2; default: no pause. */
  firstPauseMs?: number
  longestPauseMs?: number
  /** Ends the tries and discards the result of a running one. */
  signal?: AbortSignal | undefined
}

/**
 * Returns the result of `work`, or throws the error of its last try.
 *
 * @example
 * await retry(() => store.write(turn), { when: isAway, until: performance.now() + 5_000, firstPauseMs: 200 })
 */
export const retry = <T>(
  work: () => Promise<T>,
  {
    when,
    until = Infinity,
    retries = Infinity,
    firstPauseMs = 0,
    longestPauseMs = Infinity,
    signal,
  }: RetryOptions,
): Promise<T> =>
  pRetry(work, {
    retries,
    minTimeout: firstPauseMs,
    maxTimeout: longestPauseMs,
    maxRetryTime: Math.max(0, until - performance.now()),
    randomize: true,
    signal,
    shouldRetry: ({ error }) => when(error),
  })
