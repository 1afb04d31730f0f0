/**
 * Adds up what reports read instead of walking steps: how often each pattern is followed, and each tool called in turns
 * of each length. Written with the turns, in their transaction: the new record of a turn counts, the one before does not.
 */
import { patternKey, toolUseKey } from '../core/keys.ts'
import { type Step, toStep } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'

const countPatterns = statement('transcripts/count-patterns')
const countUses = statement('transcripts/count-uses', 'add')

/** What of a turn is added up. */
export type Summed = { length: number; pattern: string | null; begunMs: number; tools: readonly string[] }

/** Turns that began in one period are added up together: `--since` walks those of one period alone. */
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

  /** Last in their transaction, in the order of the keys: a transaction with these locks waits for no other. */
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
