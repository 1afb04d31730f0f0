/** npm passes Ctrl+C on to a process that the terminal has told already: that is one signal, not two. */
const SAME_SIGNAL_MS = 300

/** Ends gracefully at the first SIGINT or SIGTERM, at once at the second. */
export function untilToldToEnd(close: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let first: number | null = null
    const onSignal = (_signal: NodeJS.Signals, number: number) => {
      if (first === null) {
        first = performance.now()
        close().then(resolve, reject)
      } else if (performance.now() - first > SAME_SIGNAL_MS) process.exit(128 + number)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
