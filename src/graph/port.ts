// Declares the port of the graph, which each engine's adapter implements.
import type { Statement } from './statements.ts'

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value }
export type Params = Readonly<Record<string, Value>>

/** A row as the engine returned it. A zod schema decodes it before any other code reads it (decode.ts). */
export type Row = Record<string, unknown>

export type Step = { statement: Statement; params: Params }

/** Makes a step of a transaction from a statement and its parameters, which are plain data. */
export const toStep = (to: Statement, params: { [name: string]: unknown }): Step => ({
  statement: to,
  params: params as Params,
})

/** Runs one statement of a transaction after the statements before it. */
export type Run = (step: Step) => Promise<Row[]>

export type GraphHealth = { engine: string; version: string }

/**
 * The port: all operations that Turngraph needs from a graph engine. Two adapters, `neo4j.ts` and
 * `embedded.ts`, run the same `.cypher` files; `test/contract` proves any further adapter.
 *
 * Errors: `store_unavailable` if the engine cannot be reached, `timeout` if it did not answer within {@link
 * DEADLINE_MS}. A failure never looks like an empty answer.
 */
export interface Graph {
  /** The engine's dialect. An `embedded` graph belongs to one process at a time, a `neo4j` graph to several. */
  readonly engine: 'neo4j' | 'embedded'

  /**
   * Runs one reading statement. The rows are ordered only if the statement has an ORDER BY.
   *
   * @param deadline latest time of the answer, as a value of performance.now(); default: {@link DEADLINE_MS}
   * from now
   */
  read(statement: Statement, params: Params, deadline?: number): Promise<Row[]>

  /**
   * Runs one reading statement that visits much of the graph and may take longer than a request. The promise
   * settles when the engine has stopped working on it. Neo4j ends the statement if the signal is aborted, and
   * the promise rejects with the signal's reason. The embedded engine cannot be interrupted and runs the
   * statement to its end.
   */
  readLong(statement: Statement, params: Params, limits: ReadLimits): Promise<Row[]>

  /**
   * Runs statements in one transaction and acknowledges it only when it is durable. A step that returns no
   * row rejects the transaction: nothing is stored, and the answer is `null`. (A single rejected statement
   * may leave its lock token, `rev`, which has no meaning.) The transaction may run more than once if a
   * connection breaks, so every step must be idempotent by its own parameters.
   */
  write(steps: readonly [Step, ...Step[]], deadline?: number): Promise<Row[][] | null>

  /**
   * Runs statements in one transaction if a later statement depends on the answer of an earlier one. If
   * `work` returns `null` or throws, nothing is stored. `work` may run more than once if a connection breaks,
   * so it must find and return its own earlier effect.
   */
  transact<T>(work: (run: Run) => Promise<T | null>, deadline?: number): Promise<T | null>

  /**
   * Runs schema commands (`CREATE CONSTRAINT …`) in order, with a time limit that is sufficient for large graphs. Neo4j
   * runs them in one separate transaction. On the embedded engine, a killed process may have run only some of them, so each must
   * be repeatable (`IF NOT EXISTS`).
   */
  schema(commands: readonly string[]): Promise<void>

  /** Resolves when the engine answers a query. */
  health(): Promise<GraphHealth>

  /** The place where another process can read all acknowledged writes. */
  readonly source: GraphSource

  close(): Promise<void>
}

export type ReadLimits = {
  /** Latest time of the answer, as a value of performance.now(). */
  deadline: number
  signal: AbortSignal
}

/** Returns the same graph with some methods replaced. */
export const graphWith = (graph: Graph, own: Partial<Omit<Graph, 'engine' | 'source'>>): Graph => ({
  engine: graph.engine,
  source: graph.source,
  read: (statement, params, deadline) => graph.read(statement, params, deadline),
  readLong: (statement, params, limits) => graph.readLong(statement, params, limits),
  write: (steps, deadline) => graph.write(steps, deadline),
  transact: (work, deadline) => graph.transact(work, deadline),
  schema: (commands) => graph.schema(commands),
  health: () => graph.health(),
  close: () => graph.close(),
  ...own,
})

export type GraphSource =
  | { engine: 'neo4j'; options: Neo4jOptions }
  | {
      engine: 'embedded'
      /** A number that changes with every write: a copy stays current until it changes. */
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

/** Deadline of an operation: a later answer is an error. The contract promises an answer within 5 s on the wire. */
export const DEADLINE_MS = 4_500
/** Time limit for a statement whose plan is missing. An aborted statement is planned from the beginning again. */
export const PLAN_MS = 60_000

/** Runs steps that are known beforehand. A step without a row rejects the transaction. */
export async function inOrder(steps: readonly Step[], run: Run): Promise<Row[][] | null> {
  const answers: Row[][] = []
  for (const step of steps) {
    const rows = await run(step)
    if (rows.length === 0) return null
    answers.push(rows)
  }
  return answers
}
