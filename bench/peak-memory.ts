// Measures the memory of a process.
const LOOK_MS = 50

/**
 * Measures the peak memory of this process, in MB. The system's own `maxRSS` starts with the peak of the
 * parent process. Works only for asynchronous work: it does not measure while the process is blocked.
 */
export function watchMemory(): () => number {
  let most = 0
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(look, LOOK_MS)
  return () => {
    clearInterval(timer)
    look()
    return Math.round(most / 1e6)
  }
}
