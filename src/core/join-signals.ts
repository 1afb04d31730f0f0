import { invalidField } from './errors.ts'

const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/**
 * Returns a signal that is aborted as soon as one of the others is. `undefined` is left out.
 *
 * In Node 20, `AbortSignal.any` does not keep the signals that it joins. So `AbortSignal.timeout` can be collected before its
 * time if no other code keeps it, and then aborts nothing.
 */
export function joinSignals(...signals: (AbortSignal | undefined)[]): AbortSignal {
  signals.forEach(checkSignal)
  const given = signals.filter((signal) => signal !== undefined)
  const joined = AbortSignal.any(given)
  sources.set(joined, given)
  return joined
}

/** Rejects a value that is not an AbortSignal, from untyped code. @throws `invalid_request` with the path `signal` */
export function checkSignal(signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalidField(
      'signal',
      'must be an AbortSignal, such as the property `signal` of an AbortController',
    )
}

/** Awaits the work. Rejects with the reason of the signal as soon as it is aborted, even if the work continues. */
export async function rejectOnAbort<T>(work: T, signal: AbortSignal): Promise<Awaited<T>> {
  const settled = new AbortController() // removes the listener, which would keep the result in memory
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    // Work that started immediately may have aborted the signal already.
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { signal: settled.signal })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    settled.abort()
  }
}
