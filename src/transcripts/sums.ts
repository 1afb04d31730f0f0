/**
 * Adds up the counts that reports read instead of traversing steps: the turns of each pattern, and the calls
 * of each tool by length of the turn. Written in the transaction of the turns: adds the new record of a turn
 * and subtracts the replaced one.
 */
import { patternKey, toolUseKey } from '../core/keys.ts'
import { type Step, toStep } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'

const countPatterns = statement('transcripts/count-patterns')
const countUses = statement('transcripts/count-uses', 'add')

/** The values of a turn that are added up. */
export type Summed = { length: number; pattern: string | null; begunMs: number; tools: readonly string[] }

/**
 * Turns of the same period are added up together. `--since` traverses only the turns of the period that it
 * cuts.
 */
export const PERIOD_MS = 7 * 24 * 3_600_000

export const toPeriod = (ms: number): number => Math.floor(ms / PERIOD_MS)

type Counts = { turns: number; calls: number }
type Use = Counts & { project: string; tool: string; period: number; length: number }

export class Sums {
  readonly #patterns = new Map<string, Counts>()
  readonly #uses = new Map<string, Use>()

  /** @param times 1, or -1 for a record that is replaced or deleted */
  add(project: string, { length, pattern, begunMs, tools }: Summed, times: 1 | -1): void {
    if (pattern === null) return
    const key = patternKey(project, pattern)
    const counts = this.#patterns.get(key) ?? { turns: 0, calls: 0 }
    this.#patterns.set(key, counts)
    counts.turns += times
    counts.calls += times * length
    const period = toPeriod(begunMs)
    const calls = new Map<string, number>()
    for (const tool of tools) calls.set(tool, (calls.get(tool) ?? 0) + 1)
    for (const [tool, own] of calls) {
      const use = { project, tool, period, length }
      const useKey = toolUseKey(use)
      const sum = this.#uses.get(useKey) ?? { ...use, turns: 0, calls: 0 }
      this.#uses.set(useKey, sum)
      sum.turns += times
      sum.calls += times * own
    }
  }

  /**
   * Returns the steps, sorted by key. They must come last in their transaction, so that these locks cannot
   * deadlock.
   */
  steps(token: string): Step[] {
    return [...stepsFor(countPatterns, this.#patterns, token), ...stepsFor(countUses, this.#uses, token)]
  }
}

function stepsFor<C extends Counts>(to: Statement, counts: ReadonlyMap<string, C>, token: string): Step[] {
  const rows = [...counts]
    .filter(([, { turns, calls }]) => turns !== 0 || calls !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, row]) => ({ key, ...row }))
  return rows.length === 0 ? [] : [toStep(to, { batch: { rows }, token })]
}
