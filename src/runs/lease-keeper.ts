// Renews the lease of a run or an attempt until it ends or is lost.
import { TurngraphError } from '../core/errors.ts'
import type { Attempt, TurnRun } from './record.ts'
import type { TurnRunStore } from './turn-run-store.ts'

/** The reason of an executor's aborted signal. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

/** `settling`: the end of the attempt is being written, so a renewal cannot show whether it is still active. */
type Task = { fence: number; abort: AbortController; settling: boolean }

type Renew = (task: Task | null) => Promise<{ abortRequested: boolean; ownsAttempt: boolean }>

export type KeeperOptions = {
  leaseTtlMs: number
  /** Aborted when this process ends. An attempt that begins later is aborted immediately. */
  closing: AbortSignal
  /** Queues a renewal together with those of other runs. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
  onError: (error: unknown) => void
}

const RETRY_MS = 1_000
/** Longest interval of renewals, otherwise a third of the lease. A renewal also learns of cancels by others. */
const RENEWS_WITHIN_MS = 20_000

/** Renews leases after each third of their time. A lost lease aborts the current attempt and is not renewed again. */
export class LeaseKeeper {
  readonly #renew: Renew
  readonly #options: KeeperOptions
  #task: Task | null = null
  #lost: TurngraphError | null = null
  #timer: NodeJS.Timeout | undefined
  #renewing = false
  #again = false
  #stopped = false
  #onLost: (() => void) | null = null

  private constructor(renew: Renew, options: KeeperOptions) {
    this.#renew = renew
    this.#options = options
    this.#schedule(this.#interval)
  }

  static ofRun(store: TurnRunStore, run: TurnRun, options: KeeperOptions): LeaseKeeper {
    return new LeaseKeeper((task) => store.renewTurnRun(run, run.fence ?? 0, task?.fence ?? null), options)
  }

  /** Keeps the lease of a single attempt that does not belong to a run. */
  static ofAttempt(store: TurnRunStore, attempt: Attempt, options: KeeperOptions): LeaseKeeper {
    return new LeaseKeeper(async () => {
      const { abortRequested } = await store.heartbeatAttempt(attempt, attempt.fence ?? 0)
      return { abortRequested, ownsAttempt: true }
    }, options)
  }

  /** Keeps the lease of an attempt that this program holds through a client. */
  static by(renew: () => Promise<{ abortRequested: boolean }>, options: KeeperOptions): LeaseKeeper {
    return new LeaseKeeper(async () => ({ ...(await renew()), ownsAttempt: true }), options)
  }

  get #interval(): number {
    return Math.min(this.#options.leaseTtlMs / 3, RENEWS_WITHIN_MS)
  }

  get lost(): TurngraphError | null {
    return this.#lost
  }

  /** Registers a listener, called once if the lease is lost. */
  onLost(listener: () => void): void {
    this.#onLost = listener
  }

  /** Begins an attempt, which lasts until {@link end}. Its signal is aborted when its owner should stop. */
  begin(fence: number): AbortSignal {
    this.#task = { fence, abort: new AbortController(), settling: false }
    if (this.#lost !== null) this.abort(this.#lost.message)
    else if (this.#options.closing.aborted) this.#task.abort.abort(this.#options.closing.reason)
    return this.#task.abort.signal
  }

  /** Marks that the end of the attempt is being written. Its lease is still renewed. */
  settle(): void {
    if (this.#task !== null) this.#task.settling = true
  }

  end(): void {
    this.#task = null
  }

  abort(why: string): void {
    this.#task?.abort.abort(new Aborted(why))
  }

  /** Renews immediately, to learn of requests by others. */
  renewNow(): void {
    this.#again = this.#renewing
    if (!this.#renewing) this.#schedule(0)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#tick(), ms).unref()
  }

  async #tick(): Promise<void> {
    const task = this.#task
    this.#renewing = true
    let next = this.#interval
    try {
      const { abortRequested, ownsAttempt } = await this.#options.inTurn(() => this.#renew(task))
      if (task !== null && task === this.#task && !task.settling) {
        if (abortRequested) this.abort('the turn run was cancelled')
        else if (!ownsAttempt) this.abort('another process ended the attempt')
      }
    } catch (error) {
      if (error instanceof TurngraphError && GONE.has(error.code)) return this.#lose(error)
      // The store is unavailable or slow. The lease may last longer than that.
      if (!this.#stopped) this.#options.onError(error)
      next = Math.min(RETRY_MS, next)
    } finally {
      this.#renewing = false
    }
    this.#schedule(this.#again ? 0 : next)
    this.#again = false
  }

  #lose(error: TurngraphError): void {
    if (this.#stopped) return
    this.#lost = error
    this.stop()
    this.abort(error.message)
    this.#onLost?.()
  }
}

/** Errors after which another renewal would fail again. */
const GONE = new Set(['lease_lost', 'not_found', 'unknown_world', 'world_deleted'])
