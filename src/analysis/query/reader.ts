// Says what an engine must do to run queries, and takes its rows within bounds.
import { invalidField, type TurngraphError } from '../../core/errors.ts'
import type { Params } from '../../graph/port.ts'

/** How an engine would run a query. */
export type Plan = {
  /** Whether the engine itself says that it only reads. */
  reads: boolean
  operators: readonly string[]
  procedures: readonly string[]
  /** Of a Neo4j cluster: what must have arrived where the query runs. */
  bookmarks: readonly string[]
}

export type Bounds = {
  limit: number
  /** Of all rows, as JSON text. */
  maxBytes: number
  timeoutMs: number
}

export type Rows = { columns: string[]; rows: unknown[][]; truncated: boolean }

/** An engine as a process of queries sees it. What it throws is a TurngraphError. */
export interface Reader {
  readonly engine: 'neo4j' | 'embedded'
  plan(query: string, params: Params, bounds: Bounds): Promise<Plan>
  /** @param bookmarks of the plan */
  run(query: string, params: Params, bounds: Bounds, bookmarks: readonly string[]): Promise<Rows>
  close(): Promise<void>
}

/** Takes rows until there are enough. */
export class RowsTaken {
  readonly #bounds: Bounds
  readonly #rows: unknown[][] = []
  #bytes = 0
  #truncated = false

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** False: there is no room for it, nor for any further one. */
  take(row: unknown[]): boolean {
    this.#bytes += Buffer.byteLength(JSON.stringify(row))
    this.#truncated = this.#rows.length >= this.#bounds.limit || this.#bytes > this.#bounds.maxBytes
    if (!this.#truncated) this.#rows.push(row)
    return !this.#truncated
  }

  get taken(): Pick<Rows, 'rows' | 'truncated'> {
    return { rows: this.#rows, truncated: this.#truncated }
  }
}

/** Makes an error of a message that engine-errors.ts has reworded. */
export const refusedByEngine = (message: string, cause: unknown): TurngraphError =>
  invalidQuery(
    message.slice(0, 500),
    'The message is the engine’s own; docs/how-to/analyst.md lists what the engines do differently.',
    cause,
  )

/** What is wrong with a query, and what to do about it. */
export const invalidQuery = (problem: string, hint: string, cause?: unknown): TurngraphError =>
  invalidField('query', problem, { hint, cause })
