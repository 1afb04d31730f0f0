// Runs queries of analysts, one at a time, in a separate process.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { hasCode, TurngraphError } from '../../core/errors.ts'
import type { Graph, GraphSource, Params } from '../../graph/port.ts'
import { BoundedQueue, type Limits } from '../bounded-queue.ts'
import { QueryProcess, tooLong } from './query-process.ts'
import type { Rows } from './reader.ts'
import { refuseByWords } from './refuse.ts'

export type Query = {
  query: string
  params: Params
  limit: number
  timeoutMs: number
  /** Aborted if the caller gives up. */
  signal?: AbortSignal | undefined
}
export type QueryRows = Rows & { elapsedMs: number }

const MAX_BYTES = 4 * 1024 * 1024
const MAX_WAITING = 32
const OPEN_TIMEOUT_MS = 30_000
const IDLE_MS = 30_000

/**
 * Runs anybody's Cypher without harm, in a separate process that ends when it has been idle for some time. On the embedded graph it
 * reads a copy of the current data. Queries run one at a time: each uses a whole core, and captures come first.
 *
 * @example
 * const queries = new Queries(graph)
 * await queries.ask({ query: 'MATCH (w:World) RETURN count(w) AS worlds', params: {}, limit: 10, timeoutMs: 10_000 })
 * // { columns: ['worlds'], rows: [[3]], truncated: false, elapsedMs: 4 }
 */
export class Queries {
  readonly #source: GraphSource
  readonly #queue = new BoundedQueue({
    atOnce: 1,
    mostWaiting: MAX_WAITING,
    noun: { one: 'query', many: 'queries' },
    tooLong,
    onIdle: () => {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
    },
  })
  #process: QueryProcess | null = null
  /** Revision of the graph that the process has opened. */
  #revision: number | null = null
  #idle: NodeJS.Timeout | null = null

  constructor({ source }: Pick<Graph, 'source'>) {
    this.#source = source
  }

  /**
   * Runs a query. The wait for a process and the query together take at most `timeoutMs`, plus 30 s if a copy must be made first.
   * If the caller gives up or the query takes too long, the query ends together with its process.
   *
   * @throws `invalid_request` if it is not a reading statement, `timeout`, `too_large` (memory),
   * `rate_limited` (too many wait), `store_unavailable`
   */
  async ask({ query, params, limit, timeoutMs, signal: caller }: Query): Promise<QueryRows> {
    const statement = refuseByWords(query, this.#source.engine)
    const run = async ({ leftMs, waitedMs, signal }: Limits) => {
      const process = await this.#openProcess()
      const bounds = { limit, maxBytes: MAX_BYTES, timeoutMs: leftMs }
      try {
        return await process.ask({ query: statement, params, bounds }, leftMs, signal, waitedMs)
      } catch (error) {
        // A login without an answer occupies the small connection pool of the driver. The next process has a new pool.
        if (hasCode(error, 'store_unavailable')) process.end()
        throw error
      }
    }
    const answer = await this.#queue.run(run, { timeoutMs, preparingMs: OPEN_TIMEOUT_MS, caller })
    if (!('answered' in answer)) throw new Error('a process of queries answered something else')
    return answer.answered
  }

  close(): void {
    this.#queue.close(new TurngraphError('store_unavailable', 'The graph is closed.'))
    this.#end()
  }

  async #openProcess(): Promise<QueryProcess> {
    clearTimeout(this.#idle ?? undefined)
    let process = this.#process
    if (process?.ended !== false) {
      process = new QueryProcess()
      this.#process = process
      this.#revision = null
    }
    const source = this.#source
    if (source.engine === 'embedded') await this.#openCopy(process, source)
    else if (this.#revision === null) {
      await process.ask({ open: { engine: 'neo4j', options: source.options } }, OPEN_TIMEOUT_MS)
      this.#revision = 0
    }
    return process
  }

  /** Opens a copy with all writes that were acknowledged before. */
  async #openCopy(
    process: QueryProcess,
    source: Extract<GraphSource, { engine: 'embedded' }>,
  ): Promise<void> {
    const revision = source.revision()
    if (this.#revision === revision) return
    const file = path.join(process.folder, 'copy.db')
    try {
      await source.copyTo(file)
      await process.ask({ open: { engine: 'embedded', file } }, OPEN_TIMEOUT_MS)
      this.#revision = revision
    } catch (error) {
      process.end() // its folder may be gone: the next query starts another process
      throw error
    } finally {
      await rm(file, { force: true })
    }
  }

  #end(): void {
    clearTimeout(this.#idle ?? undefined)
    this.#process?.end()
    this.#process = null
  }
}
