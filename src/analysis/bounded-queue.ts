// Queues the work of analysts. A few jobs run at the same time; the others, and their callers, wait in order.
import PQueue from 'p-queue'
import { TurngraphError } from '../core/errors.ts'
import { rejectOnAbort } from '../core/join-signals.ts'

export type Limits = {
  leftMs: number
  /** Time that the work has spent in the queue. */
  waitedMs: number
  /** Aborted if no caller waits for the answer anymore. The reason is the error that the caller received. */
  signal: AbortSignal
}

export type Request = {
  /** Time limit for the wait and the work together. */
  timeoutMs: number
  /** Additional time for the preparation of work that has started. */
  preparingMs?: number
  caller?: AbortSignal | undefined
}

type QueueOptions = {
  atOnce: number
  mostWaiting: number
  /** Noun for the queued work, for errors. */
  noun: { one: string; many: string }
  tooLong: (timeoutMs: number, waitedMs: number) => TurngraphError
  onIdle?: () => void
}

/**
 * Limits how many jobs run and wait. A caller that gives up or runs out of time is answered at once. Waiting
 * work leaves the queue. Running work keeps its place until the engine is done: if the engine cannot be
 * interrupted, giving up does not make room for another job.
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

  /** @throws `rate_limited` if too many jobs wait, `timeout`, and the errors of `work` */
  async run<T>(
    work: (allowance: Limits) => Promise<T>,
    { timeoutMs, preparingMs = 0, caller }: Request,
  ): Promise<T> {
    this.#closing.signal.throwIfAborted()
    if (caller?.aborted) throw this.#givenUp()
    if (this.#queue.size >= this.#options.mostWaiting) throw this.#tooManyWait()
    const arrivedAt = performance.now()
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, this.#closing.signal])
    let begunAt: number | null = null
    const measureWait = () => Math.round((begunAt ?? performance.now()) - arrivedAt)
    const endAfter = (ms: number) =>
      setTimeout(() => ending.abort(this.#options.tooLong(timeoutMs, measureWait())), ms)
    const giveUp = () => ending.abort(this.#givenUp())
    let timer = endAfter(timeoutMs)
    const answered = new AbortController() // removes all listeners, which would keep the answer in memory
    const listening = { signal: answered.signal }
    caller?.addEventListener('abort', giveUp, listening)
    const waiting = new AbortController() // only for waiting work: the queue would free the place of running work
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
      return await rejectOnAbort(this.#queue.add(begin, { signal: waiting.signal }), signal)
    } finally {
      clearTimeout(timer)
      answered.abort()
    }
  }

  /** Answers all waiting and all future work with this error. */
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
