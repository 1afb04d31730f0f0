// Adapts Neo4j to the port of the graph.
import { setMaxListeners } from 'node:events'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { deadlineFromNow, withDeadline } from './deadline.ts'
import {
  ACCESS,
  bookmarkManager,
  createDriver,
  type Driver,
  isDateTime,
  Neo4jError,
  type Session,
  toNeo4j,
} from './neo4j-driver.ts'
import { isAnswer, isStaleBookmark, isTransient, toStoreError } from './neo4j-errors.ts'
import { Neo4jPlans, toOnePlan, type Use } from './neo4j-plans.ts'
import {
  type Graph,
  type GraphHealth,
  type GraphSource,
  inOrder,
  type Neo4jOptions,
  type Params,
  PLAN_MS,
  type ReadLimits,
  type Row,
  type Run,
  type Step,
} from './port.ts'
import type { Statement } from './statements.ts'

/**
 * Time limit of a transaction at the server, because users' servers and Aura have none by default. Long reads may get more time.
 */
const TRANSACTION_TIMEOUT_MS = 5_000
/** No retry starts later than this before the deadline: the last try must still have time to answer. */
const LAST_TRY_MS = 500
const FIRST_RETRY_MS = 15
/** Time limit for schema commands: Neo4j reads every node of a label to fill an index. */
const SCHEMA_MS = 30 * 60_000
/** The driver is replaced if the server is silent for this time. Neo4j waits for the commit of a bookmark equally long. */
const SILENT_MS = 30_000
/**
 * The adapter for Neo4j 5.26 LTS and 2026.x. A single statement runs as an auto-commit transaction in one
 * round trip; BEGIN and COMMIT would need a second one. The driver's managed retries start at one second, so
 * the adapter retries itself.
 */
export class Neo4jGraph implements Graph {
  readonly engine = 'neo4j'
  readonly #options: Neo4jOptions
  /** Shared by all sessions of the process: each reads the writes of all others, also on a cluster. */
  #bookmarks = bookmarkManager()
  #pool: Pool
  /** Time of the first failure since the last answer of the server; null if it answered the last attempt. */
  #silentSince: number | null = null
  /** True for a cluster (`neo4j://`), in which READ mode asks followers. */
  readonly #isRouted: boolean
  readonly #plans = new Neo4jPlans((use) => this.#renewPlan(use))
  readonly #closing = new AbortController()

  readonly source: GraphSource

  constructor(options: Neo4jOptions) {
    this.#options = options
    this.#pool = connect(options)
    this.source = { engine: 'neo4j', options }
    this.#isRouted = options.url.startsWith('neo4j')
    setMaxListeners(0, this.#closing.signal) // each running statement has a listener
  }

  read(statement: Statement, params: Params, deadline = deadlineFromNow()): Promise<Row[]> {
    return this.#read(statement, params, { deadline })
  }

  readLong(statement: Statement, params: Params, limits: ReadLimits): Promise<Row[]> {
    return this.#read(statement, params, limits)
  }

  #read(statement: Statement, params: Params, limits: Limits): Promise<Row[]> {
    const work = (session: Session) => this.#runAlone(session, { statement, params }, limits.deadline)
    return this.#retrying(this.#readMode, work, limits)
  }

  write(steps: readonly [Step, ...Step[]], deadline = deadlineFromNow()): Promise<Row[][] | null> {
    if (steps.length > 1) return this.transact((run) => inOrder(steps, run), deadline)
    const work = async (session: Session) => {
      const rows = await this.#runAlone(session, steps[0], deadline)
      return rows.length === 0 ? null : [rows]
    }
    return this.#retrying(ACCESS.WRITE, work, { deadline })
  }

  transact<T>(work: (run: Run) => Promise<T | null>, deadline = deadlineFromNow()): Promise<T | null> {
    const together = async (session: Session) => {
      const transaction = session.beginTransaction({
        timeout: timeoutUntil(deadline),
        metadata: { app: 'turngraph' },
      })
      let hasChanges = false
      const result = await work(async ({ statement, params }) => {
        const { records, summary } = await this.#planned({ statement, hasChanges }, (text) =>
          transaction.run(text, { p: toNeo4j(params) }),
        )
        hasChanges ||= summary.counters.containsUpdates()
        return toRows(records)
      })
      if (result === null) await transaction.rollback()
      else await transaction.commit()
      return result
    }
    return this.#retrying(ACCESS.WRITE, together, { deadline })
  }

  async schema(commands: readonly string[]): Promise<void> {
    const work = async (session: Session) => {
      const transaction = session.beginTransaction({
        timeout: SCHEMA_MS,
        metadata: { app: 'turngraph', statement: 'schema' },
      })
      for (const command of commands) await transaction.run(command)
      await transaction.commit()
    }
    // Tries start only within the time limit of a request. The commands of a try have the longer limit.
    await this.#retry({ deadline: deadlineFromNow() }, () =>
      this.#inSession(ACCESS.WRITE, work, { deadline: performance.now() + SCHEMA_MS }),
    )
  }

  health(): Promise<GraphHealth> {
    const work = async (session: Session) => {
      const result = await session.run('RETURN 1', {}, { timeout: TRANSACTION_TIMEOUT_MS })
      return { engine: 'neo4j' as const, version: result.summary.server.agent ?? 'unknown' }
    }
    return this.#retrying(this.#readMode, work, { deadline: deadlineFromNow() })
  }

  async close(): Promise<void> {
    // The driver does not wait for running statements. Ends them, because their connections keep the process alive.
    this.#closing.abort(new TurngraphError('store_unavailable', 'The graph is closed.'))
    await this.#pool.driver.close()
  }

  /** The leader of a cluster answers, because a follower may still lack the writes of another replica of the service. */
  get #readMode(): Mode {
    return this.#isRouted ? ACCESS.WRITE : ACCESS.READ
  }

  async #runAlone(session: Session, { statement, params }: Step, deadline: number): Promise<Row[]> {
    const sent = { p: toNeo4j(params) }
    const { records } = await this.#planned({ statement, hasChanges: false }, (text) =>
      session.run(text, sent, bounded(statement, deadline)),
    )
    return toRows(records)
  }

  /** Runs a statement. If it fails, its plan is renewed: a timeout may have ended the planning, which a retry would repeat. */
  async #planned<T>(use: Use, run: (text: string) => PromiseLike<T>): Promise<T> {
    try {
      return await run(this.#plans.textOf(use))
    } catch (error) {
      this.#plans.renew(use)
      throw error
    }
  }

  async #renewPlan({ statement, hasChanges }: Use): Promise<void> {
    const work = async (session: Session) => {
      const metadata = { app: 'turngraph', statement: `plan of ${statement.name}` }
      const transaction = session.beginTransaction({ timeout: PLAN_MS, metadata })
      if (hasChanges) await transaction.run('CREATE ()')
      await transaction.run(`EXPLAIN ${toOnePlan(statement)}`, { p: {} })
      await transaction.rollback()
    }
    await this.#inSession(ACCESS.WRITE, work, { deadline: performance.now() + PLAN_MS })
  }

  #retrying<T>(mode: Mode, work: (session: Session) => Promise<T>, limits: Limits): Promise<T> {
    return this.#retry(limits, () => this.#inSession(mode, work, limits))
  }

  /** Repeats work until a deadline if its error is transient. */
  async #retry<T>({ deadline, signal }: Limits, work: () => Promise<T>): Promise<T> {
    try {
      return await retry(work, {
        when: (error) => error instanceof Neo4jError && isTransient(error),
        until: deadline - LAST_TRY_MS,
        firstPauseMs: FIRST_RETRY_MS,
        signal,
      })
    } catch (error) {
      throw error instanceof Neo4jError ? toStoreError(error, this.#options) : error
    }
  }

  async #inSession<T>(
    mode: Mode,
    work: (session: Session) => Promise<T>,
    { deadline, signal }: Limits,
  ): Promise<T> {
    // A closed driver answers some statements with no rows instead of an error.
    this.#closing.signal.throwIfAborted()
    const pool = this.#pool
    const session = pool.driver.session({
      database: this.#options.database,
      defaultAccessMode: mode,
      bookmarkManager: this.#bookmarks,
    })
    pool.sessions++
    // Closing a session resets its connection, which ends the work that still runs on the server.
    const abandon = () => void session.close().catch(() => {})
    const bounds = { abandon, signal: signal ?? this.#closing.signal }
    try {
      const result = await withDeadline(deadline, () => work(session), bounds)
      this.#silentSince = null
      await session.close()
      return result
    } catch (error) {
      abandon()
      this.#noteFailure(error)
      throw error
    } finally {
      pool.sessions--
      if (pool !== this.#pool) closeUnused(pool)
    }
  }

  /**
   * Replaces the driver if the server has been silent for SILENT_MS: a login that is never answered keeps its place in the pool of the
   * driver, and the pool fills up. The work of other sessions ends on the driver that it began with. Drops bookmarks whose commit the
   * server does not have because an older copy replaced its database.
   */
  #noteFailure(error: unknown): void {
    if (error instanceof Neo4jError && isAnswer(error)) {
      this.#silentSince = null
      if (isStaleBookmark(error)) this.#bookmarks = bookmarkManager()
    } else if (error instanceof Neo4jError || hasCode(error, 'timeout')) {
      this.#silentSince ??= performance.now()
      if (performance.now() - this.#silentSince < SILENT_MS) return
      this.#silentSince = null
      const replaced = this.#pool
      this.#pool = connect(this.#options)
      closeUnused(replaced)
      // Other errors come before the wait for a bookmark, for example while a cluster has no leader.
      if (!(error instanceof Neo4jError)) this.#bookmarks = bookmarkManager()
    }
  }
}

type Mode = 'READ' | 'WRITE'

/** A driver, which has the connections, and the number of sessions that use it. */
type Pool = { readonly driver: Driver; sessions: number }

const connect = (options: Neo4jOptions): Pool => ({
  driver: createDriver(options, {
    disableLosslessIntegers: true,
    maxConnectionPoolSize: options.poolSize ?? 50,
  }),
  sessions: 0,
})

function closeUnused({ driver, sessions }: Pool): void {
  if (sessions === 0) void driver.close().catch(() => {})
}

type Limits = { deadline: number; signal?: AbortSignal | undefined }

const timeoutUntil = (deadline: number): number =>
  Math.max(TRANSACTION_TIMEOUT_MS, Math.ceil(deadline - performance.now()))

const bounded = (statement: Statement, deadline: number) => ({
  timeout: timeoutUntil(deadline),
  metadata: { app: 'turngraph', statement: statement.name },
})

const toRows = (records: readonly { toObject(): object }[]): Row[] =>
  records.map((record) => fromNeo4j(record.toObject()) as Row)

/** Converts instants to ISO 8601 text, the form of the embedded engine. */
function fromNeo4j(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(fromNeo4j)
  if (isDateTime(value)) return value.toString()
  const result: Row = {}
  for (const key of Object.keys(value)) result[key] = fromNeo4j((value as Row)[key])
  return result
}
