// Provides the current time, updated every second while something runs.
import { useEffect, useState } from 'preact/hooks'

const TICK_MS = 1_000

export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
