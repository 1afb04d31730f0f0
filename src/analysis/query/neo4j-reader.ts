// Runs queries of analysts on Neo4j, in READ mode.
import { TurngraphError } from '../../core/errors.ts'
import { retry } from '../../core/retry.ts'
import {
  ACCESS,
  createDriver,
  type Driver,
  isDuration,
  isNode,
  isPath,
  isPoint,
  isRelationship,
  isTemporal,
  Neo4jError,
  type Neo4jPlan,
  type Session,
  toNeo4j,
} from '../../graph/neo4j-driver.ts'
import { isOutOfMemory, isRefused, isTimeout, isTransient } from '../../graph/neo4j-errors.ts'
import { DEADLINE_MS, type Neo4jOptions, type Params } from '../../graph/port.ts'
import { PLANNING, rewordNeo4j } from './engine-errors.ts'
import {
  type Bounds,
  invalidQuery,
  type Plan,
  type Reader,
  type Rows,
  RowsTaken,
  refusedByEngine,
} from './reader.ts'
import { durationForm, integerForm, numberForm, sortedForm, temporalForm } from './values.ts'

type Asked = { query: string; isPlanned: boolean }

const FETCH_ROWS = 200
/** Total time of retries if a server moves, starts or breaks a connection: the time that a request may wait for the store. */
const RETRIES_MS = DEADLINE_MS - 500
const FIRST_RETRY_MS = 15

/** Reads from a Neo4j server, always in READ mode: the server itself rejects writes. */
export class Neo4jReader implements Reader {
  readonly engine = 'neo4j'
  readonly #driver: Driver
  readonly #database: string
  readonly #isRouted: boolean

  constructor(options: Neo4jOptions) {
    this.#driver = createDriver(options, { useBigInt: true, fetchSize: FETCH_ROWS, maxConnectionPoolSize: 2 })
    this.#database = options.database
    this.#isRouted = options.url.startsWith('neo4j')
  }

  /** In READ mode, the followers of a cluster answer. Bookmarks name the commits that a follower must have. */
  plan(query: string, params: Params, bounds: Bounds): Promise<Plan> {
    return this.#answering(bounds, { query, isPlanned: true }, async (leftMs) =>
      this.#planWith(await this.#bookmarksOfLeader(leftMs), query, params, leftMs),
    )
  }

  run(query: string, params: Params, bounds: Bounds, bookmarks: readonly string[]): Promise<Rows> {
    const question = { query, isPlanned: false }
    return this.#answering(bounds, question, (leftMs) =>
      this.#inSession(ACCESS.READ, bookmarks, async (session) => {
        const result = session.run(query, toNeo4j(params), {
          timeout: leftMs,
          metadata: { app: 'turngraph', statement: 'query' },
        })
        const columns = await result.keys()
        const taken = new RowsTaken(bounds)
        for await (const record of result) {
          if (!taken.take([...record.values()].map(toWireValue))) break // the rest stays on the server
        }
        return { columns: columns.map(String), ...taken.taken }
      }),
    )
  }

  close(): Promise<void> {
    return this.#driver.close()
  }

  async #planWith(
    bookmarks: readonly string[],
    query: string,
    params: Params,
    timeout: number,
  ): Promise<Plan> {
    const { summary } = await this.#inSession(ACCESS.READ, bookmarks, async (session) =>
      session.run(PLANNING + query, toNeo4j(params), {
        timeout,
        metadata: { app: 'turngraph', statement: 'query plan' },
      }),
    )
    const operators: string[] = []
    const procedures: string[] = []
    const walk = (plan: Neo4jPlan) => {
      const operator = plan.operatorType.replace(/@.*$/, '')
      operators.push(operator)
      const details = String((plan.arguments as Record<string, unknown>).Details ?? '')
      if (operator === 'ProcedureCall') procedures.push(/^[\w.]*/.exec(details)?.[0] ?? details)
      plan.children.forEach(walk)
    }
    // A command such as SHOW may have no plan.
    if (summary.plan !== false) walk(summary.plan)
    const reads = summary.queryType === 'r' && summary.plan !== false
    return { reads, operators, procedures, bookmarks }
  }

  /** Returns bookmarks of the leader, which accepts statements only in a mode that allows writes, so the query runs elsewhere. */
  async #bookmarksOfLeader(timeout: number): Promise<readonly string[]> {
    if (!this.#isRouted) return []
    return this.#inSession(ACCESS.WRITE, [], async (session) => {
      await session.run('RETURN 1', {}, { timeout, metadata: { app: 'turngraph', statement: 'bookmark' } })
      return session.lastBookmarks()
    })
  }

  /** Repeats work if another try may succeed: reads may run twice. Does not repeat a query that Neo4j terminated. */
  async #answering<T>(
    { timeoutMs }: Bounds,
    question: Asked,
    work: (leftMs: number) => Promise<T>,
  ): Promise<T> {
    const began = performance.now()
    try {
      return await retry(() => work(Math.max(1, Math.round(timeoutMs - (performance.now() - began)))), {
        when: (error) => error instanceof Neo4jError && isTransient(error) && !isTerminated(error),
        until: began + RETRIES_MS,
        firstPauseMs: FIRST_RETRY_MS,
      })
    } catch (error) {
      throw error instanceof Neo4jError ? domainError(error, question) : error
    }
  }

  async #inSession<T>(
    mode: 'READ' | 'WRITE',
    bookmarks: readonly string[],
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = this.#driver.session({
      database: this.#database,
      defaultAccessMode: mode,
      bookmarks: [...bookmarks],
    })
    try {
      return await work(session)
    } finally {
      await session.close().catch(() => {})
    }
  }
}

const isTerminated = ({ code }: Neo4jError): boolean => code.endsWith('.Terminated')

/** Maps an error of the driver to a domain error, by code, never by message. */
function domainError(error: Neo4jError, question: Asked): TurngraphError {
  const { code } = error
  if (code === 'Neo.ClientError.Statement.AccessMode') {
    return invalidQuery('writes', 'Only reading statements are run.', error)
  }
  if (isTerminated(error)) {
    return new TurngraphError('timeout', 'Neo4j terminated the query.', {
      hint: 'An administrator ended it, or the server is shutting down. Bound the query, then try again.',
      cause: error,
    })
  }
  if (isTimeout(error)) {
    return new TurngraphError('timeout', 'The query did not end in time.', {
      hint: 'Bound it: begin at a key, limit the length of paths, or raise timeout_ms (60,000 at most).',
      cause: error,
    })
  }
  if (isOutOfMemory(error)) {
    return new TurngraphError('too_large', 'The query needs more memory than the server allows.', {
      hint: 'Aggregate less at once, or bound it with LIMIT.',
      cause: error,
    })
  }
  if (isRefused(error) || isTransient(error)) {
    return new TurngraphError('store_unavailable', 'Neo4j does not answer queries.', {
      hint: 'Try again.',
      cause: error,
    })
  }
  // Neo4j reports some invalid arguments as its own failure, for example a negative argument of `substring`.
  if (code.startsWith('Neo.ClientError.') || code === 'Neo.DatabaseError.Statement.ExecutionFailed')
    return refusedByEngine(rewordNeo4j({ message: error.message, ...question }), error)
  return new TurngraphError('internal', 'Neo4j failed at the query.', { cause: error })
}

function toWireValue(value: unknown): unknown {
  if (typeof value === 'bigint') return integerForm(value)
  if (typeof value === 'number') return numberForm(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(toWireValue)
  if (isNode(value)) {
    const labels = [...value.labels].sort()
    return { id: value.elementId, labels, properties: sortedForm(value.properties, toWireValue) }
  }
  if (isRelationship(value)) {
    const { elementId: id, type, startNodeElementId: start, endNodeElementId: end, properties } = value
    return { id, type, start, end, properties: sortedForm(properties, toWireValue) }
  }
  if (isPath(value)) {
    const { start, segments } = value
    return {
      nodes: [start, ...segments.map((segment) => segment.end)].map(toWireValue),
      relationships: segments.map((segment) => toWireValue(segment.relationship)),
    }
  }
  if (isDuration(value)) {
    const { months, days, seconds, nanoseconds } = value
    return durationForm({
      months: Number(months),
      days: Number(days),
      seconds: Number(seconds),
      nanoseconds: Number(nanoseconds),
    })
  }
  if (isPoint(value)) {
    const { srid, x, y, z } = value
    return { srid: Number(srid), x, y, ...(z !== undefined && { z }) }
  }
  if (isTemporal(value)) return temporalForm(value.toString())
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  return sortedForm(value as Record<string, unknown>, toWireValue)
}
