// Watches how much memory a process takes.
const LOOK_MS = 50

/**
 * The most memory that this process is seen to take, in MB. The system's own `maxRSS` begins with what the parent of the
 * process took. For work that gives way to others: what blocks the process is not seen.
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
