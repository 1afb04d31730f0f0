import { TurngraphError } from '../errors.ts'
import type { Attempt, TurnRun } from './record.ts'
import type { TurnRunStore } from './store.ts'

/** What an executor's signal is aborted with. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

type Task = { fence: number; abort: AbortController }

type Renew = (task: Task | null) => Promise<{ abortRequested: boolean; attemptHeld: boolean }>

export type KeeperOptions = {
  leaseTtlMs: number
  /** Runs a renewal in turn with those of other runs. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
  onError: (error: unknown) => void
}

const RETRY_MS = 1_000

/**
 * Renews the leases of one coordinator at a third of their time: of its run, and of the attempt that it executes
 * itself. A lost lease aborts what is under way, and is never asked for again.
 */
export class LeaseKeeper {
  readonly #renew: Renew
  readonly #options: KeeperOptions
  #task: Task | null = null
  #lost: TurngraphError | null = null
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #onLost: (() => void) | null = null

  private constructor(renew: Renew, options: KeeperOptions) {
    this.#renew = renew
    this.#options = options
    this.#schedule(options.leaseTtlMs / 3)
  }

  static ofRun(store: TurnRunStore, run: TurnRun, options: KeeperOptions): LeaseKeeper {
    return new LeaseKeeper((task) => store.renewTurnRun(run, run.fence ?? 0, task?.fence ?? null), options)
  }

  /** Of a single attempt, outside any run. */
  static ofAttempt(store: TurnRunStore, attempt: Attempt, options: KeeperOptions): LeaseKeeper {
    return new LeaseKeeper(async () => {
      const { abortRequested } = await store.heartbeatAttempt(attempt, attempt.fence ?? 0)
      return { abortRequested, attemptHeld: true }
    }, options)
  }

  get lost(): TurngraphError | null {
    return this.#lost
  }

  /** Called once, where the lease is lost. */
  onLost(listener: () => void): void {
    this.#onLost = listener
  }

  /** The attempt under way, until {@link settle}: its signal is aborted when its owner should stop. */
  begin(fence: number): AbortSignal {
    this.#task = { fence, abort: new AbortController() }
    if (this.#lost !== null) this.abort(this.#lost.message)
    return this.#task.abort.signal
  }

  /** From here on the attempt is being committed or failed: whether it is still active says nothing. */
  settle(): void {
    this.#task = null
  }

  abort(why: string): void {
    this.#task?.abort.abort(new Aborted(why))
  }

  /** Renews at once, to learn what others have asked for. */
  poke(): void {
    clearTimeout(this.#timer)
    this.#schedule(0)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(ms: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => void this.#tick(), ms).unref()
  }

  async #tick(): Promise<void> {
    const task = this.#task
    try {
      const { abortRequested, attemptHeld } = await this.#options.inTurn(() => this.#renew(task))
      if (task !== null && task === this.#task) {
        if (abortRequested) this.abort('the turn run was cancelled')
        else if (!attemptHeld) this.abort('the attempt was ended by somebody else')
      }
      this.#schedule(this.#options.leaseTtlMs / 3)
    } catch (error) {
      if (error instanceof TurngraphError && GONE.has(error.code)) return this.#lose(error)
      // The store is away, or slow: the lease may outlast that.
      this.#options.onError(error)
      this.#schedule(Math.min(RETRY_MS, this.#options.leaseTtlMs / 3))
    }
  }

  #lose(error: TurngraphError): void {
    if (this.#stopped) return
    this.#lost = error
    this.stop()
    this.abort(error.message)
    this.#onLost?.()
  }
}

/** Asking again would not help. */
const GONE = new Set(['lease_lost', 'not_found', 'unknown_world', 'world_deleted'])
