import { patternKey, toolUseKey } from '../core/keys.ts'
import { type Step, stepOf } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'

/**
 * What reports add up instead of walking the steps: how often each pattern is followed, and each tool called in turns
 * of each length. Written with the turns, in their transaction: what a turn says now counts, what it said before does
 * not.
 */

const countPatterns = statement('transcripts/count-patterns')
const countUses = statement('transcripts/count-uses')

/** What of a turn is added up. */
export type Summed = { length: number; pattern: string | null; begunMs: number; tools: readonly string[] }

/** Turns that began in one period are added up together: `--since` walks those of one period alone. */
export const PERIOD_MS = 7 * 24 * 3_600_000

export const periodOf = (ms: number): number => Math.floor(ms / PERIOD_MS)

type Counts = { turns: number; calls: number }
type Use = Counts & { project: string; tool: string; period: number; length: number }

export class Sums {
  readonly #patterns = new Map<string, Counts>()
  readonly #uses = new Map<string, Use>()

  /** @param times 1, or -1 where the turn no longer says so */
  add(project: string, { length, pattern, begunMs, tools }: Summed, times: 1 | -1): void {
    if (pattern === null) return
    const key = patternKey(project, pattern)
    const counts = this.#patterns.get(key) ?? { turns: 0, calls: 0 }
    this.#patterns.set(key, counts)
    counts.turns += times
    counts.calls += times * length
    const period = periodOf(begunMs)
    for (const [tool, calls] of callsByTool(tools)) this.#use({ project, tool, period, length }, times, calls)
  }

  #use(of: Omit<Use, keyof Counts>, times: 1 | -1, calls: number): void {
    const key = toolUseKey(of)
    const use = this.#uses.get(key) ?? { ...of, turns: 0, calls: 0 }
    this.#uses.set(key, use)
    use.turns += times
    use.calls += times * calls
  }

  /** Last in their transaction, in the order of the keys: whoever holds these locks waits for no other. */
  steps(token: string): Step[] {
    return [...adding(countPatterns, this.#patterns, token), ...adding(countUses, this.#uses, token)]
  }
}

const callsByTool = (tools: readonly string[]): Map<string, number> => {
  const calls = new Map<string, number>()
  for (const tool of tools) calls.set(tool, (calls.get(tool) ?? 0) + 1)
  return calls
}

function adding<C extends Counts>(to: Statement, counts: ReadonlyMap<string, C>, token: string): Step[] {
  const rows = [...counts]
    .filter(([, { turns, calls }]) => turns !== 0 || calls !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, row]) => ({ key, ...row }))
  return rows.length === 0 ? [] : [stepOf(to, { batch: { rows }, token })]
}
