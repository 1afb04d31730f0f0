const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/**
 * Returns a signal that is aborted as soon as one of the others is. `undefined` is left out.
 *
 * In Node 20, `AbortSignal.any` does not keep the signals that it joins. So `AbortSignal.timeout` can be collected before its
 * time if no other code keeps it, and then aborts nothing.
 */
export function joinSignals(...signals: (AbortSignal | undefined)[]): AbortSignal {
  const given = signals.filter((signal) => signal !== undefined)
  const joined = AbortSignal.any(given)
  sources.set(joined, given)
  return joined
}
