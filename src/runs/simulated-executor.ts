// Simulates attempts without any work, for trials and tests.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Executor } from './executor.ts'

export type SimulatedSettings = {
  durationMs: number
  /** Results of the attempts, in order. */
  outcomes: readonly ('committed' | 'failed')[]
  /** True: the list starts again after its end. False: its last result repeats. */
  repeat: boolean
}

export const SIMULATED_FAILURE = 'simulated failure'

/** Sleeps, then commits a small turn record or fails, as the list says. For trials of a whole system without agents. */
export function simulatedExecutor({ durationMs, outcomes, repeat }: SimulatedSettings): Executor {
  return async ({ sequence, attemptedTurn, signal }) => {
    if (durationMs > 0) await sleep(durationMs, undefined, { signal })
    const index = sequence - 1
    const outcome = outcomes[repeat ? index % outcomes.length : Math.min(index, outcomes.length - 1)]
    if (outcome === 'failed') return { failed: SIMULATED_FAILURE }
    return {
      turn: {
        player_summary: `Simulated turn ${attemptedTurn}`,
        player_decision: 'implemented',
        coach_decision: 'feedback',
      },
    }
  }
}
