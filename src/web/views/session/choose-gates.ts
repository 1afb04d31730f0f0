// Chooses which gates of a session are drawn: agents name gates, and may name any number of them. Pure.
import type { Turn } from '../../service/operations.ts'

export const MOST_GATES = 20

/** Those that failed last, in the order in which turns first name them; and how many others there are. */
export function chooseGates(turns: readonly Pick<Turn, 'turn_number' | 'gates'>[]): {
  shown: string[]
  leftOut: number
} {
  /** Of each gate the newest turn in which it failed; 0: it never did. */
  const failedIn = new Map<string, number>()
  for (const { turn_number: turn, gates } of turns) {
    for (const [gate, status] of Object.entries(gates)) {
      if (status !== 'unknown') failedIn.set(gate, status === 'failed' ? turn : (failedIn.get(gate) ?? 0))
    }
  }
  const lastFailedFirst = [...failedIn].toSorted(([, one], [, other]) => other - one)
  const chosen = new Set(lastFailedFirst.slice(0, MOST_GATES).map(([gate]) => gate))
  const shown = [...failedIn.keys()].filter((gate) => chosen.has(gate))
  return { shown, leftOut: failedIn.size - shown.length }
}
