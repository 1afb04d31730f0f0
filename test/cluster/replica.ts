// Repeats the commits of a leader on the server of the followers, in their order and later.
import { setMaxListeners } from 'node:events'
import neo4j, { type Driver } from 'neo4j-driver'
import { fieldsOf } from './bolt-messages.ts'
import { isMap, type Packed } from './packstream.ts'

type Commit = { transaction: bigint; runs: readonly Buffer[] }

/** Commits that two connections told of at once come in any order: none is repeated earlier than this. */
const LEAST_LAG_MS = 50

/**
 * A follower by repetition: it runs the statements of each commit again. They take ids and digests as parameters, so that it
 * holds the same records; times that the database itself takes differ.
 */
export class Replica {
  readonly #driver: Driver
  readonly #lagMs: () => number
  readonly #waiting: (Commit & { at: number })[] = []
  readonly #changes = new EventTarget()
  #applied = 0n
  #newest = 0n
  #working: Promise<void> = Promise.resolve()
  #failure: unknown = null

  constructor(url: string, lagMs: () => number) {
    this.#driver = neo4j.driver(url, undefined, { disableLosslessIntegers: true })
    this.#lagMs = lagMs
    setMaxListeners(0, this.#changes) // as many as wait
  }

  add(commit: Commit): void {
    this.#waiting.push({ ...commit, at: performance.now() })
    this.#waiting.sort((a, b) => Number(a.transaction - b.transaction))
    if (commit.transaction > this.#newest) this.#newest = commit.transaction
    this.#working = this.#working.then(() => this.#applyNext())
  }

  /** @returns whether it had to wait */
  async untilApplied(transaction: bigint): Promise<boolean> {
    // What came before this router, both servers have; what it has not been told of is none of a caller's yet.
    const wanted = transaction < this.#newest ? transaction : this.#newest
    const isThere = () => this.#failure !== null || this.#applied >= wanted || this.#waiting.length === 0
    if (isThere()) return this.#refuseIfFailed(false)
    while (!isThere()) {
      await new Promise((resolve) => this.#changes.addEventListener('applied', resolve, { once: true }))
    }
    return this.#refuseIfFailed(true)
  }

  /** Resolves once every commit is repeated. */
  async catchUp(): Promise<void> {
    await this.#working
    this.#refuseIfFailed(false)
  }

  async close(): Promise<void> {
    await this.#working
    await this.#driver.close()
    this.#refuseIfFailed(false)
  }

  #refuseIfFailed(answer: boolean): boolean {
    if (this.#failure !== null) throw this.#failure
    return answer
  }

  async #applyNext(): Promise<void> {
    const oldest = Math.min(...this.#waiting.map(({ at }) => at))
    const lag = Math.max(LEAST_LAG_MS, this.#lagMs())
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, oldest + lag - performance.now())))
    const [next] = this.#waiting
    if (next === undefined) return
    try {
      await this.#apply(next.runs)
    } catch (error) {
      this.#failure = error
    }
    this.#waiting.shift()
    this.#applied = next.transaction
    this.#changes.dispatchEvent(new Event('applied'))
  }

  async #apply(runs: readonly Buffer[]): Promise<void> {
    const session = this.#driver.session()
    try {
      const transaction = session.beginTransaction()
      for (const run of runs) {
        const [text, params] = fieldsOf(run)
        await transaction.run(String(text), Object(toDriver(params ?? null)))
      }
      await transaction.commit()
    } finally {
      await session.close()
    }
  }
}

/** Bigints are whole numbers to the driver, as they were to the one that sent them. */
function toDriver(value: Packed): unknown {
  if (Array.isArray(value)) return value.map(toDriver)
  if (isMap(value)) return Object.fromEntries([...value].map(([key, each]) => [key, toDriver(each)]))
  return value
}
