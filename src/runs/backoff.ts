// Computes the pause of a turn run after a failed attempt.
import type { Backoff } from '../memory/worlds/run-settings.ts'

/** Pauses between attempts. Without them, a command that fails at once would use up its attempts within seconds. */
export const COMMAND_BACKOFF: Backoff = { firstMs: 1_000, factor: 2, mostMs: 60_000 }

/** Returns at least half of the pause, at random, so that failed runs do not retry together. `failedInARow`: from 1. */
export function pauseMs({ firstMs, factor, mostMs }: Backoff, failedInARow: number, random: number): number {
  const grown = Math.min(factor ** (failedInARow - 1), Number.MAX_VALUE) // 0 times infinity is NaN
  const whole = Math.min(mostMs, firstMs * grown)
  return Math.round(whole * (1 - random / 2))
}
