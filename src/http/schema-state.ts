// Knows whether the graph can be worked with, and says in the log when the store is away and back.
import { isAway, isDiskError, TurngraphError } from '../core/errors.ts'
import {
  loadMigrations,
  type MigrationStatus,
  migrate,
  migrationStatus,
  SchemaMismatch,
} from '../graph/migrations.ts'
import type { Graph } from '../graph/port.ts'
import { warmUp } from '../operations/warm-up.ts'
import type { Log } from '../platform/log.ts'

const RETRY_MS = 1_000
const REMEMBER_MS = 1_000
const REMEMBER_FOR_WRITES_MS = 5_000

/**
 * Whether the graph can be worked with: it answers, and its schema is current. A store that is away does
 * not keep the service from starting; it is asked again every second until its schema is current.
 */
export class SchemaState {
  readonly #graph: Graph
  readonly #log: Log
  readonly #watch: StoreWatch
  readonly #begin: () => Promise<void>
  readonly #migrations = loadMigrations()
  #current = false
  #warm = false
  #failure: TurngraphError | null = null
  #timer: NodeJS.Timeout | null = null
  #stopped = false
  #asked: Promise<void> | null = null
  #fits: Promise<void> | null = null

  /** @param begin what has to be done once the schema is current, before anything else runs */
  constructor(graph: Graph, log: Log, watch: StoreWatch, begin: () => Promise<void>) {
    this.#graph = graph
    this.#log = log
    this.#watch = watch
    this.#begin = begin
  }

  /** Migrates and warms up, or begins to try again and again. Rejects only where trying again would not help. */
  async bringUpToDate(): Promise<void> {
    try {
      const applied = await migrate(this.#graph, { migrations: this.#migrations })
      await this.#warmUp()
      await this.#begin()
      this.#current = true
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

  /** Without its constraints a graph would take two nodes for one key, so nothing runs before them. */
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
   * Rejects if a newer version has migrated the graph since this service started: old statements would write what the newer
   * schema does not have. Asked at most every five seconds.
   */
  refuseWritesIfOutdated(): Promise<void> {
    this.#fits ??= this.#askForMismatch()
    return this.#fits
  }

  /** Also rejects if the store is away: the write would wait for it once more, and nobody is answered within 5 s. */
  async #askForMismatch(): Promise<void> {
    let rememberMs = REMEMBER_FOR_WRITES_MS
    try {
      await migrationStatus(this.#graph, this.#migrations)
    } catch (error) {
      if (!(error instanceof SchemaMismatch)) rememberMs = 0
      throw error
    } finally {
      setTimeout(() => {
        this.#fits = null
      }, rememberMs).unref()
    }
  }

  /**
   * Resolves, or rejects. That it is ready is remembered for a second: probes cost the graph next to nothing. That it is
   * not is asked again: a store that is back is ready at once.
   */
  ready(): Promise<void> {
    if (this.#asked === null) {
      this.#asked = this.#ask()
      const forget = () => {
        this.#asked = null
      }
      this.#asked.then(() => setTimeout(forget, REMEMBER_MS).unref(), forget)
    }
    return this.#asked
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #warmUp(): Promise<void> {
    await warmUp(this.#graph)
    this.#warm = true
  }

  async #ask(): Promise<void> {
    this.refuseUnlessCurrent() // then the store is being asked anyway
    const { pending } = await this.#askGraph()
    if (pending.length === 0) {
      if (!this.#warm) await this.#warmUp()
      return
    }
    // Somebody put another graph in the place of ours.
    this.#current = false
    this.#tryLater()
    this.refuseUnlessCurrent()
  }

  async #askGraph(): Promise<MigrationStatus> {
    try {
      const [status] = await Promise.all([
        migrationStatus(this.#graph, this.#migrations),
        this.#graph.health(),
      ])
      this.#watch.reportReady()
      return status
    } catch (error) {
      this.#warm = false // a Neo4j that comes back has no plans
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

/** Says in the log that the store is away, once and when the reason changes, and once that it is back. */
export class StoreWatch {
  readonly #log: Log
  readonly #store: string
  #reason: string | null = null
  /** A full disk answers what is read: only a write, which `/readyz` tries, says that there is room again. */
  #untilWritten = false
  #wasReady = false
  #stopped = false

  /** @param store its name in the sentence "waiting for …" */
  constructor(log: Log, store: string) {
    this.#log = log
    this.#store = store
  }

  /** Without a stack: what broke is outside this process, and each request that meets it says the same. */
  reportAway(error: TurngraphError): void {
    const { code, message } = error
    if (this.#stopped || this.#reason === message) return
    this.#reason = message
    this.#untilWritten = isDiskError(error)
    this.#log.warn({ code, reason: message }, `waiting for ${this.#store}`)
  }

  reportReady(): void {
    if (this.#reason !== null) {
      // At the level of the other line: a log that shows one shows both.
      this.#log.warn(`${this.#store} is ${this.#wasReady ? 'back' : 'ready'}`)
    }
    this.#reason = null
    this.#wasReady = true
  }

  /** A statement was answered. Before the schema is current that does not make the store ready. */
  reportAnswer(): void {
    if (this.#wasReady && this.#reason !== null && !this.#untilWritten) this.reportReady()
  }

  /** A service that ends closes its graph: that is no news. */
  stop(): void {
    this.#stopped = true
  }
}
