// Adapts Neo4j to the port of the graph.
import { TurngraphError } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { deadlineFromNow, withDeadline } from './deadline.ts'
import {
  ACCESS,
  bookmarkManager,
  type Driver,
  driverOf,
  isDateTime,
  Neo4jError,
  type Session,
  toNeo4j,
} from './neo4j-driver.ts'
import {
  type Graph,
  type GraphHealth,
  type GraphSource,
  inOrder,
  type Neo4jOptions,
  type Params,
  type Row,
  type Run,
  type Step,
} from './port.ts'
import type { Statement } from './statements.ts'

/** The server's own bound on a transaction: users' servers and Aura have no such default. */
const TRANSACTION_TIMEOUT_MS = 5_000
/** No retry begins later than this before the deadline: a last one must still be able to answer. */
const LAST_TRY_MS = 500
const FIRST_RETRY_MS = 15

/**
 * Neo4j 5.26 LTS and 2026.x. A single statement runs as an auto-commit transaction: one round trip, where
 * BEGIN and COMMIT would cost a second. The driver's managed retries start at one second, hence our own.
 */
export class Neo4jGraph implements Graph {
  readonly engine = 'neo4j'
  readonly #driver: Driver
  readonly #database: string
  readonly #url: string
  /** Shared by all sessions of the process, so that each reads what any of them wrote, on a cluster too. */
  readonly #bookmarks = bookmarkManager()
  readonly #readMode: 'READ' | 'WRITE'
  #closed = false

  readonly source: GraphSource

  constructor(options: Neo4jOptions) {
    const { url, database, poolSize = 50 } = options
    this.#driver = driverOf(options, { disableLosslessIntegers: true, maxConnectionPoolSize: poolSize })
    this.#database = database
    this.#url = url
    this.source = {
      engine: 'neo4j',
      options,
      bookmarks: async () => [...(await this.#bookmarks.getBookmarks())],
    }
    // A follower may not yet have what another replica of the service wrote: on a cluster the leader
    // answers, so that every replica reads every acknowledged write.
    this.#readMode = url.startsWith('neo4j') ? ACCESS.WRITE : ACCESS.READ
  }

  read(statement: Statement, params: Params, deadline?: number): Promise<Row[]> {
    return this.#retrying(this.#readMode, deadline, (session) =>
      this.#runAlone(session, { statement, params }),
    )
  }

  write(steps: readonly [Step, ...Step[]], deadline?: number): Promise<Row[][] | null> {
    if (steps.length > 1) return this.transact((run) => inOrder(steps, run), deadline)
    return this.#retrying(ACCESS.WRITE, deadline, async (session) => {
      const rows = await this.#runAlone(session, steps[0])
      return rows.length === 0 ? null : [rows]
    })
  }

  transact<T>(work: (run: Run) => Promise<T | null>, deadline?: number): Promise<T | null> {
    return this.#retrying(ACCESS.WRITE, deadline, async (session) => {
      const transaction = session.beginTransaction({
        timeout: TRANSACTION_TIMEOUT_MS,
        metadata: { app: 'turngraph' },
      })
      const result = await work(async ({ statement, params }) => {
        const { records } = await transaction.run(statement.text, toNeo4j(params))
        return records.map((record) => fromNeo4j(record.toObject()) as Row)
      })
      if (result === null) await transaction.rollback()
      else await transaction.commit()
      return result
    })
  }

  async schema(command: string): Promise<void> {
    await this.#retrying(ACCESS.WRITE, undefined, (session) => session.run(command))
  }

  health(): Promise<GraphHealth> {
    return this.#retrying(this.#readMode, undefined, async (session) => {
      const result = await session.run('RETURN 1', {}, { timeout: TRANSACTION_TIMEOUT_MS })
      return { engine: 'neo4j', version: result.summary.server.agent ?? 'unknown' }
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#driver.close()
  }

  async #runAlone(session: Session, { statement, params }: Step): Promise<Row[]> {
    const result = await session.run(statement.text, toNeo4j(params), {
      timeout: TRANSACTION_TIMEOUT_MS,
      metadata: { app: 'turngraph', statement: statement.name },
    })
    return result.records.map((record) => fromNeo4j(record.toObject()) as Row)
  }

  async #retrying<T>(
    mode: 'READ' | 'WRITE',
    deadline = deadlineFromNow(),
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    // A closed driver answers some statements with no rows, and empty is not dark.
    if (this.#closed) throw new TurngraphError('store_unavailable', 'The graph is closed.')
    try {
      return await retry(() => this.#once(mode, deadline, work), {
        when: (error) => error instanceof Neo4jError && isTransient(error),
        until: deadline - LAST_TRY_MS,
        firstPauseMs: FIRST_RETRY_MS,
      })
    } catch (error) {
      throw this.#domainError(error)
    }
  }

  async #once<T>(
    mode: 'READ' | 'WRITE',
    deadline: number,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = this.#driver.session({
      database: this.#database,
      defaultAccessMode: mode,
      bookmarkManager: this.#bookmarks,
    })
    // Closing a session resets its connection, which ends what still runs on the server.
    const abandon = () => void session.close().catch(() => {})
    const result = await withDeadline(deadline, () => work(session), abandon).catch((error: unknown) => {
      abandon()
      throw error
    })
    await session.close()
    return result
  }

  /** By code, never by message. */
  #domainError(error: unknown): unknown {
    if (!(error instanceof Neo4jError)) return error
    const { code } = error
    if (code.startsWith('Neo.ClientError.Security.')) {
      return new TurngraphError('store_unavailable', `Neo4j at ${this.#url} refused the credentials.`, {
        hint: 'Set TURNGRAPH_NEO4J_USER and TURNGRAPH_NEO4J_PASSWORD.',
        cause: error,
      })
    }
    if (code === 'Neo.ClientError.Database.DatabaseNotFound') {
      return new TurngraphError('store_unavailable', `Neo4j has no database "${this.#database}".`, {
        hint: 'Set TURNGRAPH_NEO4J_DATABASE.',
        cause: error,
      })
    }
    if (TIMED_OUT.has(code) || code === DEADLOCK) {
      return new TurngraphError(
        'timeout',
        'The graph did not answer in time: another transaction holds a lock.',
        {
          hint: 'Try again: a repeated capture is stored once.',
          cause: error,
        },
      )
    }
    if (isTransient(error)) {
      return new TurngraphError('store_unavailable', `Neo4j at ${this.#url} cannot be reached.`, {
        hint: 'Try again; nothing that was acknowledged is lost.',
        cause: error,
      })
    }
    return error
  }
}

const TIMED_OUT = new Set([
  'Neo.ClientError.Transaction.TransactionTimedOut',
  'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
  'Neo.ClientError.Transaction.LockClientStopped',
  'Neo.TransientError.Transaction.LockAcquisitionTimeout',
  'Neo.TransientError.Transaction.LockClientStopped',
  'Neo.TransientError.Transaction.Terminated',
])

/** Worth another try; one that lost every time waited for others as long as there was. */
const DEADLOCK = 'Neo.TransientError.Transaction.DeadlockDetected'

/** What a statement found was deleted while it waited for its lock: there, too, the next try sees what is. */
const FORGOTTEN = 'Neo.ClientError.Statement.EntityNotFound'

/** Worth another try: a deadlock, a lost connection, a server that starts. Waiting for a lock again is not. */
const isTransient = (error: Neo4jError): boolean =>
  (error.retriable && !TIMED_OUT.has(error.code)) || error.code === FORGOTTEN

/** Instants leave as ISO 8601 text, as the embedded engine gives them. */
function fromNeo4j(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(fromNeo4j)
  if (isDateTime(value)) return value.toString()
  const result: Row = {}
  for (const [key, held] of Object.entries(value)) result[key] = fromNeo4j(held)
  return result
}
