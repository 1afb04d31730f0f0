// Says how long a turn run pauses after a failed attempt.
import type { Backoff } from '../memory/worlds/run-settings.ts'

/** A command that fails at once would else use up its attempts within seconds. */
export const COMMAND_BACKOFF: Backoff = { firstMs: 1_000, factor: 2, mostMs: 60_000 }

/**
 * The whole pause or as little as half of it, by chance: runs that failed together do not come back together.
 *
 * @param failedInARow from 1
 * @param random from 0 to 1
 */
export function pauseMs({ firstMs, factor, mostMs }: Backoff, failedInARow: number, random: number): number {
  const grown = Math.min(factor ** (failedInARow - 1), Number.MAX_VALUE) // 0 times infinity is no number
  const whole = Math.min(mostMs, firstMs * grown)
  return Math.round(whole * (1 - random / 2))
}
