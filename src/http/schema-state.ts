// Tracks whether the graph is ready, and logs when the store becomes unreachable and available again.
import { hasCode, isAway, isDiskError, TurngraphError } from '../core/errors.ts'
import { deadlineFromNow, withDeadline } from '../graph/deadline.ts'
import {
  loadMigrations,
  type MigrationStatus,
  migrate,
  migrationStatus,
  SchemaMismatch,
} from '../graph/migrations.ts'
import type { Graph } from '../graph/port.ts'
import { warmUp, warmUpRest } from '../operations/warm-up.ts'
import type { Log } from '../platform/log.ts'

const RETRY_MS = 1_000
const REMEMBER_MS = 1_000
const REST_AFTER_MS = 30_000
const REMEMBER_FOR_WRITES_MS = 5_000
/** Maximum wait of a write for the version of a schema that was current within this time. The write itself may take 4.5 s. */
const VERSION_WAIT_MS = 100
const VERSION_TRUSTED_MS = 60_000

/**
 * Readiness of the graph: it answers, and its schema is current. An unreachable store does not prevent the service from
 * starting. The service tries again every second until the schema is current.
 */
export class SchemaState {
  readonly #graph: Graph
  readonly #log: Log
  readonly #watch: StoreWatch
  readonly #begin: () => Promise<void>
  readonly #migrations = loadMigrations()
  #current = false
  #warm = false
  #warming: Promise<void> | null = null
  #failure: TurngraphError | null = null
  #timer: NodeJS.Timeout | null = null
  #restTimer: NodeJS.Timeout | undefined
  #stopped = false
  #probe: Promise<void> | null = null
  #versionCheck: Promise<void> | null = null
  /** Time of performance.now() at which the schema was last found to be current. */
  #foundCurrentAt = Number.NEGATIVE_INFINITY

  /** @param begin work to do when the schema is current, before the first request */
  constructor(graph: Graph, log: Log, watch: StoreWatch, begin: () => Promise<void>) {
    this.#graph = graph
    this.#log = log
    this.#watch = watch
    this.#begin = begin
  }

  /** Migrates and warms up the graph, and repeats this if the store is unreachable. Rejects for any other error. */
  async bringUpToDate(): Promise<void> {
    try {
      const applied = await migrate(this.#graph, { migrations: this.#migrations })
      await this.#warmUp()
      await this.#begin()
      this.#current = true
      this.#foundCurrentAt = performance.now()
      this.#failure = null
      this.#watch.reportReady()
      if (applied.length > 0) this.#log.info({ applied }, 'schema migrated')
    } catch (error) {
      if (!isAway(error)) throw error
      this.#failure = error
      this.#watch.reportAway(error)
      this.#tryLater()
    }
  }

  /** Rejects requests before the schema is current, because a graph without constraints accepts two nodes with one key. */
  refuseUnlessCurrent(): void {
    if (this.#current) return
    const refusal = new TurngraphError(
      'store_unavailable',
      this.#failure?.message ?? 'The graph is being prepared.',
      { hint: this.#failure?.hint ?? 'Try again in a moment.', cause: this.#failure },
    )
    this.#watch.reportAway(refusal)
    throw refusal
  }

  /**
   * Rejects if a newer version has migrated the graph since this service started: the old statements do not fit the newer
   * schema. Checks at most every five seconds. If the schema was current within the last minute, a slow check continues while
   * the write runs.
   */
  refuseWritesIfOutdated(): Promise<void> {
    this.#versionCheck ??= this.#checkVersion()
    const isTrusted = performance.now() - this.#foundCurrentAt < VERSION_TRUSTED_MS
    return isTrusted ? waitBriefly(this.#versionCheck) : this.#versionCheck
  }

  async #checkVersion(): Promise<void> {
    let rememberMs = REMEMBER_FOR_WRITES_MS
    try {
      await migrationStatus(this.#graph, this.#migrations)
      this.#foundCurrentAt = performance.now()
    } catch (error) {
      if (error instanceof SchemaMismatch) this.#foundCurrentAt = Number.NEGATIVE_INFINITY
      else rememberMs = 0
      throw error
    } finally {
      setTimeout(() => {
        this.#versionCheck = null
      }, rememberMs).unref()
    }
  }

  /**
   * Resolves if the graph is ready. Remembers success for a second, so that probes cost the graph almost nothing. Does not
   * remember a failure, so that a recovered store is ready at once.
   */
  ready(): Promise<void> {
    if (this.#probe === null) {
      this.#probe = this.#checkReady()
      const forget = () => {
        this.#probe = null
      }
      this.#probe.then(() => setTimeout(forget, REMEMBER_MS).unref(), forget)
    }
    return this.#probe
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    clearTimeout(this.#restTimer)
  }

  /** Warms up the graph once for all callers. */
  #warmUp(): Promise<void> {
    this.#warming ??= this.#planStatements().finally(() => {
      this.#warming = null
    })
    return this.#warming
  }

  async #planStatements(): Promise<void> {
    await warmUp(this.#graph)
    this.#warm = true
    this.#warmUpRestLater()
  }

  /**
   * Plans less frequent statements after the first requests. If this fails, the first callers of these statements wait
   * for the plans.
   */
  #warmUpRestLater(): void {
    // The embedded engine plans each in a millisecond. A service that stopped while it warmed up has closed its graph.
    if (this.#stopped || this.#graph.engine === 'embedded') return
    clearTimeout(this.#restTimer)
    this.#restTimer = setTimeout(() => {
      warmUpRest(this.#graph).catch((error: unknown) => {
        if (!this.#stopped) this.#log.info({ err: error }, 'not all statements are planned')
      })
    }, REST_AFTER_MS).unref()
  }

  /** Answers within the time of a request: planning continues, and a later probe finds the graph ready. */
  async #checkReady(): Promise<void> {
    const deadline = deadlineFromNow()
    this.refuseUnlessCurrent() // before that, `bringUpToDate` already asks the store
    const { pending } = await this.#checkGraph()
    if (pending.length === 0) {
      if (!this.#warm) await withDeadline(deadline, () => this.#warmUp())
      return
    }
    // The graph was replaced with another one.
    this.#current = false
    this.#tryLater()
    this.refuseUnlessCurrent()
  }

  async #checkGraph(): Promise<MigrationStatus> {
    try {
      const [status] = await Promise.all([
        migrationStatus(this.#graph, this.#migrations),
        this.#graph.health(),
      ])
      this.#watch.reportReady()
      return status
    } catch (error) {
      this.#warm = false // a restarted Neo4j has no query plans
      if (isAway(error)) this.#watch.reportAway(error)
      throw error
    }
  }

  #tryLater(): void {
    if (this.#stopped || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.bringUpToDate().catch((error: unknown) => {
        if (this.#stopped) return
        this.#log.error({ err: error }, 'the schema cannot be migrated')
        this.#tryLater()
      })
    }, RETRY_MS).unref()
  }
}

/** Settles like the check, or resolves earlier if the check takes longer than `VERSION_WAIT_MS`. */
const waitBriefly = (check: Promise<void>): Promise<void> =>
  withDeadline(performance.now() + VERSION_WAIT_MS, () => check).catch((error: unknown) => {
    if (!hasCode(error, 'timeout')) throw error
  })

/** Logs that the store is unreachable, once per reason, and once that it is available again. */
export class StoreWatch {
  readonly #log: Log
  readonly #store: string
  #reason: string | null = null
  /** True after a full disk, which still answers reads: only a write, which `/readyz` tries, proves that it has space again. */
  #untilWritten = false
  #wasReady = false
  #stopped = false

  /** @param store name of the store in the message "waiting for …" */
  constructor(log: Log, store: string) {
    this.#log = log
    this.#store = store
  }

  /** Logs an error without its stack: the cause is outside of this process, and each affected request reports the same. */
  reportAway(error: TurngraphError): void {
    const { code, message } = error
    if (this.#stopped || this.#reason === message) return
    this.#reason = message
    this.#untilWritten = isDiskError(error)
    this.#log.warn({ code, reason: message }, `waiting for ${this.#store}`)
  }

  reportReady(): void {
    if (this.#reason !== null) {
      // Uses the level of the first message, so that a log shows both or neither.
      this.#log.warn(`${this.#store} is ${this.#wasReady ? 'back' : 'ready'}`)
    }
    this.#reason = null
    this.#wasReady = true
  }

  /** Notes that the store answered a statement. This does not make the store ready before the schema is current. */
  reportAnswer(): void {
    if (this.#wasReady && this.#reason !== null && !this.#untilWritten) this.reportReady()
  }

  /** Stops logging, because a service that ends closes its graph. */
  stop(): void {
    this.#stopped = true
  }
}
