// Renews the plans of Neo4j in the background, so that no request waits for a plan that the server already has.
import type { Statement } from './statements.ts'

/** Age from which Neo4j compares the statistics of a plan with those of the graph (`dbms.cypher.min_replan_interval`). */
const MIN_AGE_MS = 10_000
/** Age from which a request itself lets Neo4j compare the statistics, because the plan may be much too old. */
const MAX_AGE_MS = 10 * 60_000

/** Uses the plan that the server has, even if the statistics of the graph have changed since. */
const KEEP_PLAN = 'CYPHER replan=skip '

/** A use of a statement. Neo4j has a separate plan of it for a transaction that has changes. */
export type Use = { statement: Statement; hasChanges: boolean }

/**
 * Keeps the plans of requests, and renews them one at a time in the background. Without this, Neo4j plans a statement again when the
 * graph has grown. All requests with this statement then wait, and a timeout ends the planning without a result.
 */
export class Neo4jPlans {
  readonly #explain: (use: Use) => Promise<unknown>
  readonly #checkedAt = new Map<string, number>()
  readonly #due = new Map<string, Use>()
  #isWorking = false

  /** @param explain makes the server renew a plan if it is missing or outdated, without a short time limit */
  constructor(explain: (use: Use) => Promise<unknown>) {
    this.#explain = explain
  }

  /** Returns the text to send. The first use checks the plan itself, because a command may end before a check in the background. */
  textOf(use: Use): string {
    const text = toOnePlan(use.statement)
    const age = performance.now() - (this.#checkedAt.get(keyOf(use)) ?? Number.NEGATIVE_INFINITY)
    if (age >= MAX_AGE_MS) {
      this.#checkedAt.set(keyOf(use), performance.now())
      return text
    }
    if (age >= MIN_AGE_MS) this.renew(use)
    return KEEP_PLAN + text
  }

  /** Checks a plan soon. If that fails, a later use starts another check. */
  renew(use: Use): void {
    this.#checkedAt.set(keyOf(use), performance.now())
    this.#due.set(keyOf(use), use)
    if (!this.#isWorking) void this.#renewDue()
  }

  async #renewDue(): Promise<void> {
    this.#isWorking = true
    for (const [key, use] of this.#due) {
      this.#due.delete(key)
      await this.#explain(use).catch(() => undefined)
    }
    this.#isWorking = false
  }
}

const keyOf = ({ statement, hasChanges }: Use): string => `${statement.name} ${hasChanges}`

const texts = new WeakMap<Statement, string>()

/**
 * Returns the text of a statement with all parameters in one map, `$p`. Neo4j makes another plan for each combination of types and
 * lengths of parameters (0, 1, up to 10, up to 100 …), and each takes seconds on a server that has just started. A map has one
 * type and no length.
 */
export function toOnePlan(statement: Statement): string {
  const text = texts.get(statement) ?? statement.text.replace(/\$(?=\w)/g, '$p.')
  texts.set(statement, text)
  return text
}
