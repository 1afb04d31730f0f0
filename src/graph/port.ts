// Declares the port of the graph, which each engine's adapter implements.
import type { Statement } from './statements.ts'

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value }
export type Params = Readonly<Record<string, Value>>

/** A row as the engine gave it: decoded by a zod schema before anyone reads it (decode.ts). */
export type Row = Record<string, unknown>

export type Step = { statement: Statement; params: Params }

/** A statement of a transaction; its parameters are plain data. */
export const toStep = (to: Statement, params: { [name: string]: unknown }): Step => ({
  statement: to,
  params: params as Params,
})

/** Runs one statement of a transaction, after those before it. */
export type Run = (step: Step) => Promise<Row[]>

export type GraphHealth = { engine: string; version: string }

/**
 * The port: all that Turngraph asks of a graph engine. Two adapters, `neo4j.ts` and `embedded.ts`, run
 * the same `.cypher` files; `test/contract` proves any further one.
 *
 * Errors: `store_unavailable` when the engine is away, `timeout` when it did not answer within
 * {@link DEADLINE_MS}. Nothing answers empty because something failed.
 */
export interface Graph {
  /** Whose dialect it speaks, and whether one process at a time has the graph (`embedded`) or several (`neo4j`). */
  readonly engine: 'neo4j' | 'embedded'

  /**
   * Runs one reading statement. Rows have no order that the statement does not state.
   *
   * @param deadline when it must have been answered, in terms of performance.now(); default: {@link DEADLINE_MS} from now
   */
  read(statement: Statement, params: Params, deadline?: number): Promise<Row[]>

  /**
   * Runs one reading statement that goes through much of the graph, and so may take longer than a request. It settles when
   * the engine works on it no more: Neo4j ends it where the signal is aborted, and the promise rejects with the signal's
   * reason; the embedded engine cannot be interrupted, and goes on to its end.
   */
  readLong(statement: Statement, params: Params, limits: ReadLimits): Promise<Row[]>

  /**
   * Runs statements in one transaction, acknowledged only once they are durable. A step that returns
   * no row refuses: nothing of the transaction stays, and the answer is `null`. (A single refused
   * statement may leave its lock token, `rev`, which means nothing.) It may run more than once when
   * a connection breaks, so every step must be idempotent by its own parameters.
   */
  write(steps: readonly [Step, ...Step[]], deadline?: number): Promise<Row[][] | null>

  /**
   * Runs statements in one transaction, where a later one depends on what an earlier one answered. A `null` from
   * `work`, or an error, leaves nothing behind. It may run more than once when a connection breaks, so `work` must
   * find its own effect and answer it.
   */
  transact<T>(work: (run: Run) => Promise<T | null>, deadline?: number): Promise<T | null>

  /** Runs one schema command (`CREATE CONSTRAINT …`) outside any transaction. */
  schema(command: string): Promise<void>

  /** Resolves when the engine answers a query. */
  health(): Promise<GraphHealth>

  /** Where another process can read all that was acknowledged. */
  readonly source: GraphSource

  close(): Promise<void>
}

export type ReadLimits = {
  /** In terms of performance.now(). */
  deadline: number
  signal: AbortSignal
}

/** The same graph, some of whose methods are others. */
export const graphWith = (graph: Graph, own: Partial<Omit<Graph, 'engine' | 'source'>>): Graph => ({
  engine: graph.engine,
  source: graph.source,
  read: (statement, params, deadline) => graph.read(statement, params, deadline),
  readLong: (statement, params, limits) => graph.readLong(statement, params, limits),
  write: (steps, deadline) => graph.write(steps, deadline),
  transact: (work, deadline) => graph.transact(work, deadline),
  schema: (command) => graph.schema(command),
  health: () => graph.health(),
  close: () => graph.close(),
  ...own,
})

export type GraphSource =
  | { engine: 'neo4j'; options: Neo4jOptions }
  | {
      engine: 'embedded'
      /** Changes with every write: the same copy will do until then. */
      revision: () => number
      /** Copies the graph, between two writes, to a file that does not exist yet. */
      copyTo: (file: string) => Promise<void>
    }

export type Neo4jOptions = {
  /** `neo4j://`, `neo4j+s://`, `bolt://`, `bolt+s://` … */
  url: string
  user: string
  password: string | null
  database: string
  poolSize?: number
}

/** An operation that has not been answered by then is an error: the contract promises one within 5 s, on the wire. */
export const DEADLINE_MS = 4_500

/** The work of a transaction whose steps are known beforehand: a step without a row refuses. */
export async function inOrder(steps: readonly Step[], run: Run): Promise<Row[][] | null> {
  const answers: Row[][] = []
  for (const step of steps) {
    const rows = await run(step)
    if (rows.length === 0) return null
    answers.push(rows)
  }
  return answers
}
