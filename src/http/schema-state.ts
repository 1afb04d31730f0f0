import { TurngraphError } from '../errors.ts'
import { loadMigrations, migrate, migrationStatus } from '../graph/migrations.ts'
import type { Graph } from '../graph/port.ts'
import type { Log } from '../log.ts'

const RETRY_MS = 1_000
const REMEMBER_MS = 1_000

/**
 * Whether the graph can be worked with: it answers, and its schema is current. A store that is away does
 * not keep the service from starting; it is asked again every second until its schema is current.
 */
export class SchemaState {
  readonly #graph: Graph
  readonly #log: Log
  readonly #migrations = loadMigrations()
  #current = false
  #failure: TurngraphError | null = null
  #timer: NodeJS.Timeout | null = null
  #stopped = false
  #asked: { at: number; answer: Promise<string> } | null = null

  constructor(graph: Graph, log: Log) {
    this.#graph = graph
    this.#log = log
  }

  /** Migrates, or begins to try again and again. Rejects only where trying again would not help. */
  async bringUpToDate(): Promise<void> {
    try {
      const applied = await migrate(this.#graph, { migrations: this.#migrations })
      this.#current = true
      this.#failure = null
      if (applied.length > 0) this.#log.info({ applied }, 'schema migrated')
    } catch (error) {
      if (!isAway(error)) throw error
      if (this.#failure?.message !== error.message) this.#log.warn({ err: error }, 'the graph is away')
      this.#failure = error
      this.#tryLater()
    }
  }

  /** Without its constraints a graph would take two nodes for one key, so nothing runs before them. */
  refuseUnlessCurrent(): void {
    if (this.#current) return
    throw new TurngraphError('store_unavailable', this.#failure?.message ?? 'The graph is being prepared.', {
      hint: this.#failure?.hint ?? 'Try again in a moment.',
      cause: this.#failure,
    })
  }

  /** Answers the engine's name, or rejects. Remembered for a second: probes cost the graph next to nothing. */
  ready(): Promise<string> {
    const now = performance.now()
    if (this.#asked === null || now - this.#asked.at > REMEMBER_MS) {
      this.#asked = { at: now, answer: this.#ask() }
      this.#asked.answer.catch(() => {}) // whoever asked hears of it; nobody may have waited
    }
    return this.#asked.answer
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #ask(): Promise<string> {
    const { engine } = await this.#graph.health()
    this.refuseUnlessCurrent()
    const { pending } = await migrationStatus(this.#graph, this.#migrations)
    if (pending.length > 0) {
      // Somebody put another graph in the place of ours.
      this.#current = false
      this.#tryLater()
      this.refuseUnlessCurrent()
    }
    return engine
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

const isAway = (error: unknown): error is TurngraphError =>
  error instanceof TurngraphError && (error.code === 'store_unavailable' || error.code === 'timeout')
