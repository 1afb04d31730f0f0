// Queues the work of analysts: a few are at work at once, and the others wait in order while their callers do.
import PQueue from 'p-queue'
import { TurngraphError } from '../core/errors.ts'

/** What work may take once it has begun. */
export type Allowance = {
  leftMs: number
  /** How much of its time went by in the queue. */
  waitedMs: number
  /** Aborted where nobody waits for the answer any more, with the error that the caller was answered. */
  signal: AbortSignal
}

export type Wish = {
  /** For the wait and the work together. */
  timeoutMs: number
  /** What the work may take beside that, to prepare itself once it has begun. */
  preparingMs?: number
  /** Aborted where the caller gives up. */
  caller?: AbortSignal | undefined
}

type QueueOptions = {
  atOnce: number
  mostWaiting: number
  /** What is queued, for errors. */
  noun: { one: string; many: string }
  tooLong: (timeoutMs: number, waitedMs: number) => TurngraphError
  onIdle?: () => void
}

/**
 * A caller that gives up, or whose time is over, is answered at once. What waits leaves the queue; what has begun keeps its
 * place until the engine is done: where that cannot be interrupted, giving up makes no room for yet another one.
 *
 * @example
 * const rows = await queue.run(({ signal }) => read(signal), { timeoutMs: 25_000, caller: request.signal })
 */
export class BoundedQueue {
  readonly #options: QueueOptions
  readonly #queue: PQueue
  readonly #closing = new AbortController()

  constructor(options: QueueOptions) {
    this.#options = options
    this.#queue = new PQueue({ concurrency: options.atOnce })
    if (options.onIdle !== undefined) this.#queue.on('idle', options.onIdle)
  }

  /** @throws `rate_limited` where too many wait, `timeout`, and what `work` throws */
  async run<T>(
    work: (allowance: Allowance) => Promise<T>,
    { timeoutMs, preparingMs = 0, caller }: Wish,
  ): Promise<T> {
    this.#closing.signal.throwIfAborted()
    if (caller?.aborted) throw this.#givenUp()
    if (this.#queue.size >= this.#options.mostWaiting) throw this.#tooManyWait()
    const asked = performance.now()
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, this.#closing.signal])
    let begunAt: number | null = null
    const measureWait = () => Math.round((begunAt ?? performance.now()) - asked)
    const endAfter = (ms: number) =>
      setTimeout(() => ending.abort(this.#options.tooLong(timeoutMs, measureWait())), ms)
    const giveUp = () => ending.abort(this.#givenUp())
    let timer = endAfter(timeoutMs)
    const answered = new AbortController() // lets go of all listeners, which would keep the answer
    const listening = { signal: answered.signal }
    caller?.addEventListener('abort', giveUp, listening)
    const waiting = new AbortController() // of the queue, which would free the place of what has begun
    const begin = () => {
      signal.removeEventListener('abort', leave)
      begunAt = performance.now()
      const waitedMs = measureWait()
      const leftMs = Math.max(1, timeoutMs - waitedMs)
      clearTimeout(timer)
      timer = endAfter(leftMs + preparingMs)
      return work({ leftMs, waitedMs, signal })
    }
    const leave = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', leave, listening)
    try {
      return await Promise.race([
        this.#queue.add(begin, { signal: waiting.signal }),
        rejectedBy(signal, listening),
      ])
    } finally {
      clearTimeout(timer)
      answered.abort()
    }
  }

  /** All that waits, and all that is asked from now on, is answered this error. */
  close(error: TurngraphError): void {
    this.#closing.abort(error)
  }

  #givenUp(): TurngraphError {
    const { noun } = this.#options
    return new TurngraphError('timeout', `The caller gave up on the ${noun.one}.`, { hint: 'Ask again.' })
  }

  #tooManyWait(): TurngraphError {
    const { noun, mostWaiting } = this.#options
    return new TurngraphError('rate_limited', `${mostWaiting} ${noun.many} wait already.`, {
      hint: 'Try again when they are done.',
    })
  }
}

const rejectedBy = (signal: AbortSignal, listening: { signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    // Work that begins at once may have aborted it.
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, listening)
  })
