// Queues queries of analysts, and runs them one at a time in a process of their own.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import PQueue from 'p-queue'
import { TurngraphError } from '../../core/errors.ts'
import type { Graph, GraphSource, Params } from '../../graph/port.ts'
import { givenUp, QueryProcess, tooLong } from './query-process.ts'
import type { Rows } from './reader.ts'
import { refuseByWords } from './refuse.ts'

export type Query = {
  query: string
  params: Params
  limit: number
  timeoutMs: number
  /** Aborted where the caller gives up. */
  signal?: AbortSignal | undefined
  /** The engine's bookmarks that the caller brings, beside those of this process. */
  bookmarks?: readonly string[]
}
export type QueryRows = Rows & { elapsedMs: number }

const MAX_BYTES = 4 * 1024 * 1024
const MAX_WAITING = 32
const OPEN_TIMEOUT_MS = 30_000
const IDLE_MS = 30_000

/**
 * Runs anybody's Cypher without harm: in a process of its own, which ends when nobody asks any more. On the embedded
 * graph it reads a copy of what is stored by then. One at a time: each keeps a core busy, and captures come first.
 *
 * @example
 * const queries = new Queries(graph)
 * await queries.ask({ query: 'MATCH (w:World) RETURN count(w) AS worlds', params: {}, limit: 10, timeoutMs: 10_000 })
 * // { columns: ['worlds'], rows: [[3]], truncated: false, elapsedMs: 4 }
 */
export class Queries {
  readonly #source: GraphSource
  readonly #queue = new PQueue({ concurrency: 1 }).on('idle', () => {
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
  })
  readonly #closing = new AbortController()
  #process: QueryProcess | null = null
  /** Of the graph that the process has opened. */
  #revision: number | null = null
  #idle: NodeJS.Timeout | null = null

  constructor({ source }: Pick<Graph, 'source'>) {
    this.#source = source
  }

  /**
   * Waiting for a process and the query together take `timeoutMs` at most; a copy that has to be made first, 30 s more.
   * A query whose caller gives up ends with its process, as one does that takes too long.
   *
   * @throws `invalid_request` for what is no reading statement, `timeout`, `too_large` (memory), `rate_limited` (too many
   * wait), `store_unavailable`
   */
  async ask({
    query,
    params,
    limit,
    timeoutMs,
    bookmarks: brought = [],
    signal: caller,
  }: Query): Promise<QueryRows> {
    const statement = refuseByWords(query)
    if (this.#queue.size >= MAX_WAITING && !this.#closing.signal.aborted) {
      throw new TurngraphError('rate_limited', `${MAX_WAITING} queries wait already.`, {
        hint: 'Try again when they are done.',
      })
    }
    const asked = performance.now()
    const waiting = new AbortController()
    // Only while it waits: the queue would begin with the next query before this one has let go of the process.
    const stopWaiting = () => waiting.abort(givenUp())
    if (caller?.aborted) stopWaiting()
    caller?.addEventListener('abort', stopWaiting)
    const timer = setTimeout(() => waiting.abort(tooLong(timeoutMs)), timeoutMs)
    const signal = AbortSignal.any([waiting.signal, this.#closing.signal])
    const run = async () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', stopWaiting)
      const leftMs = Math.max(1, Math.round(timeoutMs - (performance.now() - asked)))
      const process = await this.#openProcess()
      const own = this.#source.engine === 'neo4j' ? await this.#source.bookmarks() : []
      const bookmarks = [...new Set([...own, ...brought])]
      const bounds = { limit, maxBytes: MAX_BYTES, timeoutMs: leftMs, bookmarks }
      return process.ask({ query: statement, params, bounds }, leftMs, caller)
    }
    const answer = await this.#queue.add(run, { signal }).finally(() => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', stopWaiting)
    })
    if ('answered' in answer) return answer.answered
    throw new Error('a process of queries answered something else')
  }

  close(): void {
    this.#closing.abort(new TurngraphError('store_unavailable', 'The graph is closed.'))
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

  /** Everything that was acknowledged before is in the copy. */
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
      process.end() // its folder may be gone: the next query begins with another one
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
