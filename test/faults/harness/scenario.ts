/**
 * A scenario causes faults on purpose, many times, and throws at the first violated invariant. Scenarios are
 * functions and not tests: `npm run chaos` runs many rounds of them, the tests in the same folder run a few.
 */
export type Scenario = (options: ScenarioOptions) => Promise<Figures>

export type ScenarioOptions = {
  rounds: number
  /** The same seed makes the same choices. The timing of the processes still differs. */
  seed: number
  log: (line: string) => void
  /**
   * The address of a Neo4j to use, whose data may be extended. Without it, a scenario that needs one starts a
   * server.
   */
  neo4j?: string
}

export type Figures = Record<string, number | string>

/** Throws with the invariant's name and all data about the case if the condition is false. */
export function holds(condition: boolean, invariant: string, about?: unknown): asserts condition {
  if (condition) return
  const known = about === undefined ? '' : `\n${JSON.stringify(about, null, 2)}`
  throw new Error(`Violated: ${invariant}${known}`)
}

/** Registers work for the end of a scope. */
export type Later = (end: () => unknown) => void

/** Runs `work`. The functions passed to `later` run at the end in reverse order, even if `work` failed. */
export async function inScope<T>(work: (later: Later) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = []
  try {
    return await work((end) => ends.push(end))
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

const POLL_MS = 20

/** Asks until the answer is neither `null` nor `false`; fails after `boundMs`. */
export async function until<T>(
  what: string,
  boundMs: number,
  ask: () => Promise<T | null | false>,
): Promise<T> {
  const deadline = performance.now() + boundMs
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== false) return answer
    if (performance.now() > deadline) throw new Error(`waited ${boundMs} ms in vain: ${what}`)
    await pause(POLL_MS)
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
