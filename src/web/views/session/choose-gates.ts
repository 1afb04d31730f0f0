// Chooses the gates of a session that are drawn: agents may name any number of gates. Pure.
import type { Turn } from '../../service/operations.ts'

export const MAX_GATES = 20

/** Chooses the gates that failed last, in the order in which turns first name them, and counts the others. */
export function chooseGates(turns: readonly Pick<Turn, 'turn_number' | 'gates'>[]): {
  shown: string[]
  leftOut: number
} {
  /** Newest turn in which each gate failed; 0 if it never failed. */
  const failedIn = new Map<string, number>()
  for (const { turn_number: turn, gates } of turns) {
    for (const [gate, status] of Object.entries(gates)) {
      if (status !== 'unknown') failedIn.set(gate, status === 'failed' ? turn : (failedIn.get(gate) ?? 0))
    }
  }
  const lastFailedFirst = [...failedIn].toSorted(([, one], [, other]) => other - one)
  const chosen = new Set(lastFailedFirst.slice(0, MAX_GATES).map(([gate]) => gate))
  const shown = [...failedIn.keys()].filter((gate) => chosen.has(gate))
  return { shown, leftOut: failedIn.size - shown.length }
}
