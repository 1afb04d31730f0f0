/** Ends a process that stays until SIGINT or SIGTERM. */

/** npm passes Ctrl+C on to a process that the terminal has told already: that is one signal, not two. */
const SAME_SIGNAL_MS = 300

/**
 * Ends gracefully at the first SIGINT or SIGTERM, at once at the second.
 *
 * @returns the exit code of a process that the first signal ended: 130 for SIGINT, 143 for SIGTERM
 */
export function untilSignalled(close: () => Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    let first: number | null = null
    const onSignal = (_signal: NodeJS.Signals, number: number) => {
      if (first === null) {
        first = performance.now()
        close().then(() => resolve(128 + number), reject)
      } else if (performance.now() - first > SAME_SIGNAL_MS) process.exit(128 + number)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}

/** @returns the exit code for the signal that ended it, or null where the work was done */
export async function untilDoneOrSignalled(
  work: (signal: AbortSignal) => Promise<void>,
): Promise<number | null> {
  const stop = new AbortController()
  try {
    return await Promise.race([work(stop.signal).then(() => null), untilSignalled(async () => {})])
  } finally {
    stop.abort()
  }
}
