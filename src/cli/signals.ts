/** Ends a long-running process at a signal. */
import { endWithTerminal } from './lost-output.ts'

/** Time within which two signals count as one: npm forwards a Ctrl+C that the process also gets from the terminal. */
const SAME_SIGNAL_MS = 300

/**
 * Signals that end a process. SIGHUP means that the terminal was closed. `nohup` ignores it, but Node resets ignored signals at
 * its start: without a listener, SIGHUP would end the process.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Ends gracefully at the first signal, at once at the second.
 * @returns the exit code of a process that the first signal ended: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP
 */
export function untilSignalled(close: () => Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    let first: number | null = null
    const onSignal = (_signal: NodeJS.Signals, number: number) => {
      if (first === null) {
        first = performance.now()
        close().then(() => resolve(128 + number), reject)
      } else if (performance.now() - first > SAME_SIGNAL_MS) {
        endWithTerminal()
        process.exit(128 + number)
      }
    }
    for (const signal of SIGNALS) process.on(signal, onSignal)
  })
}

/** Does what Ctrl+C does at a terminal whose keys are read one by one. */
export function interrupt(): void {
  process.stdin.setRawMode(false)
  process.kill(process.pid, 'SIGINT')
}

/** @returns the exit code for the signal that ended the work, or null if the work was done */
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
