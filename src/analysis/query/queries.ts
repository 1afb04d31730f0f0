import { rm } from 'node:fs/promises'
import path from 'node:path'
import { TurngraphError } from '../../core/errors.ts'
import type { Graph, GraphSource, Params } from '../../graph/port.ts'
import { QueryProcess, tooLong } from './query-process.ts'
import type { Rows } from './reader.ts'
import { refuseByWords } from './refuse.ts'

export type Query = { query: string; params: Params; limit: number; timeoutMs: number }
export type QueryRows = Rows & { elapsedMs: number }

type Waiter = { take: () => void; refuse: (error: TurngraphError) => void }

const closed = (): TurngraphError => new TurngraphError('store_unavailable', 'The graph is closed.')

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
  readonly #waiting = new Set<Waiter>()
  #process: QueryProcess | null = null
  /** Of the graph that the process has opened. */
  #revision: number | null = null
  #idle: NodeJS.Timeout | null = null
  #busy = false
  #closed = false

  constructor({ source }: Pick<Graph, 'source'>) {
    this.#source = source
  }

  /**
   * Waiting for a process and the query together take `timeoutMs` at most; a copy that has to be made first, 30 s more.
   *
   * @throws `invalid_request` for what is no reading statement, `timeout`, `too_large` (memory), `rate_limited` (too many
   * wait), `store_unavailable`
   */
  async ask({ query, params, limit, timeoutMs }: Query): Promise<QueryRows> {
    const statement = refuseByWords(query)
    const asked = performance.now()
    await this.#turnWithin(timeoutMs)
    const leftMs = Math.max(1, Math.round(timeoutMs - (performance.now() - asked)))
    try {
      const process = await this.#opened()
      const bookmarks = this.#source.engine === 'neo4j' ? await this.#source.bookmarks() : []
      const bounds = { limit, maxBytes: MAX_BYTES, timeoutMs: leftMs, bookmarks }
      const answer = await process.ask({ query: statement, params, bounds }, leftMs)
      if ('answered' in answer) return answer.answered
      throw new Error('a process of queries answered something else')
    } finally {
      this.#passOn()
    }
  }

  close(): void {
    this.#closed = true
    this.#end()
    for (const waiter of this.#waiting) waiter.refuse(closed())
  }

  #turnWithin(timeoutMs: number): Promise<void> {
    if (this.#closed) throw closed()
    if (!this.#busy) {
      this.#busy = true
      return Promise.resolve()
    }
    if (this.#waiting.size >= MAX_WAITING) {
      throw new TurngraphError('rate_limited', `${MAX_WAITING} queries wait already.`, {
        hint: 'Try again when they are done.',
      })
    }
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
      }
      const waiter: Waiter = {
        take() {
          done()
          resolve()
        },
        refuse(error) {
          done()
          reject(error)
        },
      }
      const timer = setTimeout(() => waiter.refuse(tooLong(timeoutMs)), timeoutMs)
      this.#waiting.add(waiter)
    })
  }

  #passOn(): void {
    const [next] = this.#waiting
    if (this.#closed) this.#end()
    else if (next !== undefined) next.take()
    else {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
      this.#busy = false
    }
  }

  async #opened(): Promise<QueryProcess> {
    if (this.#closed) throw closed()
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
