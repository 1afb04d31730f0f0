// Runs the turns of this process: starts and cancels runs, claims attempts, and ends abandoned ones.
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import type { Graph } from '../graph/port.ts'
import { getWorld, type World } from '../memory/worlds/worlds.ts'
import { type AttemptTurn, turnOfAttempt } from './attempt-turn.ts'
import { AttemptWatch } from './attempt-watch.ts'
import { Coordinator, logTrouble, type TurnRunsLog, type TurnRunsObserver } from './coordinator.ts'
import { Executors } from './executors.ts'
import { Aborted, LeaseKeeper } from './lease-keeper.ts'
import { type Attempt, isActiveRun, type RunCounts, type TurnRun } from './record.ts'
import {
  type AttemptRef,
  type Reconciled,
  type Resuming,
  type RunRef,
  TurnRunStore,
  type WorldRef,
} from './turn-run-store.ts'

export type TurnRunsOptions = {
  graph: Graph
  /** The name of this process in leases. It is the same after a restart with the same data folder. */
  instance: string
  /** False if another process can have the same name: runs of that name may be alive, so only their leases end them. Default: true. */
  isInstanceLocked?: boolean
  executors?: Executors
  log?: TurnRunsLog
  observer?: TurnRunsObserver
  store?: TurnRunStore
  /** The process that resumes interrupted runs: `later` for a process that ends soon. Default: this one. */
  resumes?: 'here' | 'later'
}

const SWEEP_MS = 1_000

/**
 * Runs turns: starts runs and single attempts, coordinates the runs that this process holds, and ends
 * abandoned runs and attempts. Source: seed 001, "Runtime changes"; leases and executors: contract runs.md.
 *
 * @example
 * const runs = new TurnRuns({ graph, instance, executors })
 * await runs.begin()
 * const run = await runs.startTurnRun({ project, worldSlug }, { requestedTurnCount: 3, maxAttempts: 9, … })
 * await runs.close()
 */
export class TurnRuns {
  readonly store: TurnRunStore
  readonly executors: Executors
  readonly #options: TurnRunsOptions & { log: TurnRunsLog; observer: TurnRunsObserver }
  readonly #coordinator: Coordinator
  readonly #watch: AttemptWatch
  /** The runs and single attempts that this process executes, by id. */
  readonly #executing = new Map<string, { keeper: LeaseKeeper; done: Promise<void> }>()
  #sweep: NodeJS.Timeout | undefined
  #sweeping: Promise<unknown> = Promise.resolve()
  #beginning: Promise<void> | null = null
  readonly #closing = new AbortController()

  constructor(options: TurnRunsOptions) {
    this.#options = { ...options, log: options.log ?? SILENT, observer: options.observer ?? UNOBSERVED }
    const { executors = new Executors(), store = new TurnRunStore(options.graph) } = options
    this.executors = executors
    this.store = store
    this.#watch = new AttemptWatch(store, (error) => this.#logTrouble(error, 'waiting for workers'))
    const [watch, closing] = [this.#watch, this.#closing.signal]
    this.#coordinator = new Coordinator({ ...this.#options, store, executors, watch, closing })
  }

  /** Ends once the runs that this instance left behind before its restart, then regularly all abandoned runs. */
  begin(): Promise<void> {
    this.#beginning ??= this.#begin().catch((error: unknown) => {
      this.#beginning = null
      throw error
    })
    return this.#beginning
  }

  async #begin(): Promise<void> {
    const found = await this.#reconcile(
      this.#options.isInstanceLocked === false ? null : this.#options.instance,
    )
    const away = found.errors.find(isAway)
    if (away !== undefined) throw away // nothing can start while the store is unavailable
    this.#report(found)
    const sweep = () => {
      this.#sweeping = this.#reconcile(null)
        .then((found) => this.#report(found))
        .catch((error: unknown) => this.#logTrouble(error, 'looking for expired leases'))
        .finally(() => later())
    }
    const later = () => {
      if (!this.#closing.signal.aborted) this.#sweep = setTimeout(sweep, SWEEP_MS).unref()
    }
    later()
  }

  #reconcile(formerLifeOf: string | null): Promise<Reconciled> {
    const here: Resuming = {
      workerId: this.#options.instance,
      canExecute: (executor) => this.executors.has(executor),
      coordinate: async (run) => {
        const { turnRunId, resumesRunId } = run
        this.#coordinate(run, await getWorld(this.#options.graph, run.project, run.worldSlug))
        this.#options.log.info({ turnRunId, resumesRunId }, 'resumes an interrupted turn run')
      },
    }
    const resuming = this.#options.resumes === 'later' ? 'later' : here
    return this.store.reconcileRunningAttempts(formerLifeOf, new Set(this.#executing.keys()), resuming)
  }

  #coordinate(run: TurnRun, world: World): void {
    const keeper = LeaseKeeper.ofRun(this.store, run, this.#coordinator.keeping(world))
    this.#hold(run.turnRunId, keeper, this.#coordinator.coordinate(run, world, keeper))
  }

  /** Starts a durable run of several attempts, coordinated by this process. @throws `busy`, `invalid_request` */
  async startTurnRun(ref: WorldRef, counts: RunCounts): Promise<TurnRun> {
    const world = await this.#worldToWorkIn(ref)
    const turnRunId = crypto.randomUUID()
    const run = await this.store
      .startTurnRun({ ...ref, ...counts, workerId: this.#options.instance }, turnRunId)
      .catch((error: unknown) => this.#endOrphan(error, world, () => this.#release({ ...ref, turnRunId })))
    if (this.#closing.signal.aborted) {
      await this.store.handBackTurnRun(run, run.fence ?? 0)
      throw serviceEnds()
    }
    this.#coordinate(run, world)
    return run
  }

  /** Starts one attempt at the next turn. @throws `busy`, `invalid_request` */
  async startAttempt(ref: WorldRef): Promise<Attempt> {
    const world = await this.#worldToWorkIn(ref)
    const attemptId = crypto.randomUUID()
    const attempt = await this.store
      .startAttempt(ref, this.#options.instance, attemptId)
      .catch((error: unknown) => this.#endOrphan(error, world, () => this.#interrupt({ ...ref, attemptId })))
    const executor = this.executors.find(attempt.executor)
    if (executor !== null) {
      if (this.#closing.signal.aborted) {
        await this.store.interruptAttempt(attempt, attempt.fence ?? 0)
        throw serviceEnds()
      }
      const keeper = LeaseKeeper.ofAttempt(this.store, attempt, this.#coordinator.keeping(world))
      const work = this.#coordinator.executeAlone(attempt, world, executor, keeper)
      this.#hold(attempt.attemptId, keeper, work)
    }
    return attempt
  }

  async cancelTurnRun(ref: RunRef, reason: string, abort: boolean): Promise<TurnRun> {
    const run = await this.store.requestTurnRunCancel(ref, reason, { abort })
    // Renews immediately, so that an active attempt learns of its abort, and a pausing run of its end.
    if (abort || !isActiveRun(run.status)) this.#executing.get(run.turnRunId)?.keeper.renewNow()
    return run
  }

  async commitAttempt(
    attempt: Attempt,
    fence: number,
    turn: AttemptTurn,
    options: { usedTokens: number; recordedBy?: string | null | undefined },
  ): Promise<Attempt> {
    const world = await getWorld(this.#options.graph, attempt.project, attempt.worldSlug)
    const request = turnOfAttempt(turn, { ...world, attemptedTurn: attempt.attemptedTurn })
    const committed = await this.store.commitAttempt(attempt, fence, request, options)
    this.#options.observer.turnCommitted(request)
    this.#watch.ended(attempt.attemptId)
    return committed
  }

  async failAttempt(
    attempt: AttemptRef,
    fence: number,
    reason: string,
    usedTokens: number,
  ): Promise<Attempt> {
    const failed = await this.store.failAttempt(attempt, fence, reason, usedTokens)
    this.#watch.ended(attempt.attemptId)
    return failed
  }

  /** Number of runs and single attempts that this process executes. */
  get executing(): number {
    return this.#executing.size
  }

  /** Resolves when this process executes nothing any more. */
  async idle(): Promise<void> {
    while (this.#executing.size > 0) await Promise.all([...this.#executing.values()].map(({ done }) => done))
  }

  /** Stops the current work and releases its runs, so that their worlds do not wait until the leases expire. */
  async close(): Promise<void> {
    this.#closing.abort(new Aborted('the service ends'))
    clearTimeout(this.#sweep)
    for (const { keeper } of this.#executing.values()) keeper.abort('the service ends')
    await this.#sweeping
    await this.idle()
  }

  async #worldToWorkIn(ref: WorldRef): Promise<World> {
    if (this.#closing.signal.aborted) throw serviceEnds()
    await this.begin()
    const world = await getWorld(this.#options.graph, ref.project, ref.worldSlug)
    this.executors.find(world.executor)
    return world
  }

  /** Ends a run whose caller got an error. Otherwise an unknown run would block the world until its lease expires. */
  #endOrphan(error: unknown, world: World, end: () => Promise<unknown>): never {
    if (isAway(error)) {
      this.#coordinator.persist(world, end).catch((cause: unknown) => {
        const absent = hasCode(cause, 'not_found')
        if (!absent)
          this.#logTrouble(cause, 'ending a run or attempt whose caller got an error; its lease will expire')
      })
    }
    throw error
  }

  async #release(ref: RunRef): Promise<void> {
    const { run } = await this.store.getTurnRunStatus(ref)
    await this.store.handBackTurnRun(ref, run.fence ?? 0)
  }

  async #interrupt(ref: AttemptRef): Promise<void> {
    const { fence } = await this.store.getAttempt(ref)
    if (fence !== null) await this.store.interruptAttempt(ref, fence)
  }

  #hold(id: string, keeper: LeaseKeeper, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => this.#logTrouble(error, `coordinating ${id}`))
      .finally(() => {
        keeper.stop()
        this.#executing.delete(id)
      })
    this.#executing.set(id, { keeper, done })
  }

  #logTrouble(error: unknown, during: string): void {
    logTrouble(this.#options.log, error, during)
  }

  #report({ runs, attempts, errors }: Reconciled): void {
    for (const error of errors) this.#logTrouble(error, 'ending abandoned runs and attempts')
    if (runs + attempts > 0)
      this.#options.log.info({ runs, attempts }, 'interrupted abandoned runs and attempts')
  }
}

const UNOBSERVED: TurnRunsObserver = {
  runEnded: () => {},
  leaseLost: () => {},
  turnCommitted: () => {},
}
const SILENT: TurnRunsLog = { info: () => {}, warn: () => {} }
const serviceEnds = (): TurngraphError =>
  new TurngraphError('store_unavailable', 'The service ends.', { hint: 'Try again when it is back.' })
