/**
 * A scenario breaks something on purpose, many times, and throws at the first violated invariant. Functions
 * rather than tests: `npm run chaos` runs many rounds of them, the tests beside them a few.
 */
export type Scenario = (options: ScenarioOptions) => Promise<Figures>

export type ScenarioOptions = {
  rounds: number
  /** The same seed makes the same choices. What the processes make of them is theirs. */
  seed: number
  log: (line: string) => void
  /** The address of a Neo4j to use, whose data may be added to; a scenario that needs one starts its own else. */
  neo4j?: string
}

export type Figures = Record<string, number | string>

/** Throws with the invariant's name, and all that is known about the case. */
export function holds(condition: boolean, invariant: string, about?: unknown): asserts condition {
  if (condition) return
  const known = about === undefined ? '' : `\n${JSON.stringify(about, null, 2)}`
  throw new Error(`Violated: ${invariant}${known}`)
}

/** Takes what is to be done at the end of a scope. */
export type Later = (end: () => unknown) => void

/** Runs `work`; what it hands to `later` is done at the end, last first, however `work` ended. */
export async function inScope<T>(work: (later: Later) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = []
  try {
    return await work((end) => ends.push(end))
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

const POLL_MS = 20

/** Asks until the answer is neither `null` nor `false`; after `boundMs` it is an error. */
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
