// Declares the interface of an engine that runs queries, and collects its rows within limits.
import { invalidField, type TurngraphError } from '../../core/errors.ts'
import type { Params } from '../../graph/port.ts'

export type Plan = {
  /** True if the engine itself reports that the query only reads. */
  reads: boolean
  operators: readonly string[]
  procedures: readonly string[]
  /** Bookmarks of a Neo4j cluster: commits that must have reached the server before it runs the query. */
  bookmarks: readonly string[]
}

export type Bounds = {
  limit: number
  /** Maximum size of all rows together, as JSON text. */
  maxBytes: number
  timeoutMs: number
}

export type Rows = { columns: string[]; rows: unknown[][]; truncated: boolean }

/** An engine in the process that runs queries. All of its errors are TurngraphErrors. */
export interface Reader {
  readonly engine: 'neo4j' | 'embedded'
  plan(query: string, params: Params, bounds: Bounds): Promise<Plan>
  /** @param bookmarks those of the plan */
  run(query: string, params: Params, bounds: Bounds, bookmarks: readonly string[]): Promise<Rows>
  close(): Promise<void>
}

/** Collects rows until a limit is reached. */
export class RowsTaken {
  readonly #bounds: Bounds
  readonly #rows: unknown[][] = []
  #bytes = 0
  #truncated = false

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Adds a row. Returns false if there is no room for it or for any further row. */
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

/** Makes an error from a message that engine-errors.ts has reworded. */
export const refusedByEngine = (message: string, cause: unknown): TurngraphError =>
  invalidQuery(
    message.slice(0, 500),
    'This message is from the engine. `turngraph schema` lists the labels and properties of the graph; the two engines differ in a few forms of Cypher.',
    cause,
  )

/** Makes the error for an invalid query from the problem and the hint. */
export const invalidQuery = (problem: string, hint: string, cause?: unknown): TurngraphError =>
  invalidField('query', problem, { hint, cause })
