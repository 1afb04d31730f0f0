// Repeats work that may succeed a little later, until a deadline or so many times.
import pRetry from 'p-retry'

export type RetryOptions = {
  /** Whether an error says that another try may succeed. */
  when: (error: Error) => boolean
  /** No try begins later, in terms of performance.now(); default: never too late. */
  until?: number
  /** How many tries follow the first; default: as many as the time allows. */
  retries?: number
  /** Each pause is twice the one before, and up to twice as long by chance; default: none. */
  firstPauseMs?: number
  longestPauseMs?: number
  /** Ends the tries, and throws away the answer of one that is under way. */
  signal?: AbortSignal | undefined
}

/**
 * Answers what `work` answers, or throws the error of its last try.
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
