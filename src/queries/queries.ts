import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { TurngraphError } from '../errors.ts'
import type { Graph, GraphSource, Params } from '../graph/port.ts'
import { QueryProcess, tooLong } from './query-process.ts'
import type { Rows } from './reader.ts'
import { refuseByWords } from './refuse.ts'

export type Query = { query: string; params: Params; limit: number; timeoutMs: number }
export type QueryRows = Rows & { elapsedMs: number }

const MAX_BYTES = 4 * 1024 * 1024
const MAX_WAITING = 32
/** More would take from captures what a small server has: each query keeps a core of it busy. */
const AT_ONCE = 1
const OPEN_TIMEOUT_MS = 30_000
const IDLE_MS = 30_000

/** A process, and what it has opened. */
type Slot = { process: QueryProcess | null; revision: number | null; idle: NodeJS.Timeout | null }

/**
 * Runs anybody's Cypher without harm: one statement at a time, in a process of its own, which ends when nobody
 * asks any more. On the embedded graph they read a copy of what is stored by then.
 *
 * @example
 * const queries = new Queries(graph)
 * await queries.ask({ query: 'MATCH (w:World) RETURN count(w) AS worlds', params: {}, limit: 10, timeoutMs: 10_000 })
 * // { columns: ['worlds'], rows: [[3]], truncated: false, elapsedMs: 4 }
 */
export class Queries {
  readonly #source: GraphSource
  readonly #slots: Slot[]
  readonly #free: Slot[]
  readonly #waiting: ((slot: Slot) => void)[] = []
  #closed = false

  constructor({ source }: Pick<Graph, 'source'>) {
    this.#source = source
    this.#slots = Array.from({ length: AT_ONCE }, () => ({
      process: null,
      revision: null,
      idle: null,
    }))
    this.#free = [...this.#slots]
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
    const slot = await this.#slotWithin(timeoutMs)
    const leftMs = Math.max(1, Math.round(timeoutMs - (performance.now() - asked)))
    try {
      const process = await this.#opened(slot)
      const bookmarks = this.#source.engine === 'neo4j' ? await this.#source.bookmarks() : []
      const bounds = { limit, maxBytes: MAX_BYTES, timeoutMs: leftMs, bookmarks }
      const answer = await process.ask({ query: statement, params, bounds }, leftMs)
      if ('answered' in answer) return answer.answered
      throw new Error('a process of queries answered something else')
    } finally {
      this.#release(slot)
    }
  }

  close(): void {
    this.#closed = true
    for (const slot of this.#slots) endOf(slot)
  }

  #slotWithin(timeoutMs: number): Promise<Slot> {
    if (this.#closed) throw new TurngraphError('store_unavailable', 'The graph is closed.')
    const free = this.#free.pop()
    if (free !== undefined) return Promise.resolve(free)
    if (this.#waiting.length >= MAX_WAITING) {
      throw new TurngraphError('rate_limited', `${MAX_WAITING} queries wait already.`, {
        hint: 'Try again when they are done.',
      })
    }
    return new Promise((resolve, reject) => {
      const take = (slot: Slot) => {
        clearTimeout(timer)
        resolve(slot)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1)
        reject(tooLong(timeoutMs))
      }, timeoutMs)
      this.#waiting.push(take)
    })
  }

  #release(slot: Slot): void {
    const next = this.#waiting.shift()
    if (this.#closed) endOf(slot)
    else if (next !== undefined) next(slot)
    else {
      slot.idle = setTimeout(() => endOf(slot), IDLE_MS).unref()
      this.#free.push(slot)
    }
  }

  async #opened(slot: Slot): Promise<QueryProcess> {
    clearTimeout(slot.idle ?? undefined)
    if (slot.process?.ended !== false) {
      slot.process = new QueryProcess()
      slot.revision = null
    }
    const source = this.#source
    if (source.engine === 'embedded') await openCopy(slot, slot.process, source)
    else if (slot.revision === null) {
      await slot.process.ask({ open: { engine: 'neo4j', options: source.options } }, OPEN_TIMEOUT_MS)
      slot.revision = 0
    }
    return slot.process
  }
}

/** Everything that was acknowledged before is in the copy. */
async function openCopy(
  slot: Slot,
  process: QueryProcess,
  source: Extract<GraphSource, { engine: 'embedded' }>,
): Promise<void> {
  const revision = source.revision()
  if (slot.revision === revision) return
  const folder = await mkdtemp(path.join(os.tmpdir(), 'turngraph-query-'))
  try {
    const file = path.join(folder, 'copy.db')
    await source.copyTo(file)
    await process.ask({ open: { engine: 'embedded', file } }, OPEN_TIMEOUT_MS)
    slot.revision = revision
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function endOf(slot: Slot): void {
  clearTimeout(slot.idle ?? undefined)
  slot.process?.end()
  slot.process = null
}
