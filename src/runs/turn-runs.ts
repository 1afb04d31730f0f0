import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { isAway, TurngraphError } from '../errors.ts'
import type { Graph } from '../graph/port.ts'
import { loadTurnContinuationContext } from '../turns/context.ts'
import type { ContinuationContext } from '../turns/continuation.ts'
import type { CaptureRequest } from '../turns/record.ts'
import { getWorld, type World } from '../turns/worlds.ts'
import { parseWire } from '../wire.ts'
import { type AttemptTurn, attemptTurn, turnOfAttempt } from './attempt-turn.ts'
import { AttemptWatch } from './attempt-watch.ts'
import type { AttemptOutcome, Executor } from './executor.ts'
import { Executors } from './executors.ts'
import { Aborted, LeaseKeeper } from './lease-keeper.ts'
import { type Attempt, type CountSource, isActiveRun, RUN_LIMITS, type TurnRun } from './record.ts'
import { type AttemptRef, type Reconciled, type RunRef, TurnRunStore, type WorldRef } from './store.ts'

export type TurnRunsOptions = {
  graph: Graph
  /** Names this process in leases: the same after a restart on the same data folder. */
  instance: string
  executors?: Executors
  log?: TurnRunsLog
  store?: TurnRunStore
}

export type TurnRunsLog = {
  info: (fields: object, message: string) => void
  warn: (fields: object, message: string) => void
}

/** So many store operations of coordinators at once: more would wait for connections, and time out there. */
const AT_ONCE = 16
/** Renewals go past all other work: behind a thousand runs they would come too late. */
const RENEWALS_AT_ONCE = 4
const SWEEP_MS = 1_000
const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 2_000

/**
 * Runs turns: starts runs and single attempts, coordinates the runs that this process holds, and ends what nobody
 * works on any more. Source: seed 001, "Runtime changes"; leases and executors: contract runs.md.
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
  readonly #graph: Graph
  readonly #instance: string
  readonly #log: TurnRunsLog
  readonly #inTurn = pLimit(AT_ONCE)
  readonly #renewing = pLimit(RENEWALS_AT_ONCE)
  readonly #watch: AttemptWatch
  /** What this process coordinates or executes, by the id of the run or of the single attempt. */
  readonly #held = new Map<string, { keeper: LeaseKeeper; done: Promise<void> }>()
  #sweep: NodeJS.Timeout | undefined
  #sweeping: Promise<unknown> = Promise.resolve()
  #begun: Promise<void> | null = null
  #closing: AbortController = new AbortController()

  constructor({ graph, instance, executors = new Executors(), log = SILENT, store }: TurnRunsOptions) {
    this.#graph = graph
    this.#instance = instance
    this.executors = executors
    this.#log = log
    this.store = store ?? new TurnRunStore(graph)
    this.#watch = new AttemptWatch(this.store, (error) => this.#trouble(error, 'waiting for workers'))
  }

  /** Ends what an earlier life of this instance left behind, once, and from then on what anybody left behind. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin().catch((error: unknown) => {
      this.#begun = null
      throw error
    })
    return this.#begun
  }

  async #begin(): Promise<void> {
    const found = await this.store.reconcileRunningAttempts(this.#instance)
    const away = found.errors.find(isAway)
    if (away !== undefined) throw away // the rest has to wait for it
    this.#report(found)
    const sweep = () => {
      this.#sweeping = this.store
        .reconcileRunningAttempts(null, new Set(this.#held.keys()))
        .then((found) => this.#report(found))
        .catch((error: unknown) => this.#trouble(error, 'looking for expired leases'))
        .finally(() => {
          later()
        })
    }
    const later = () => {
      if (!this.#closing.signal.aborted) this.#sweep = setTimeout(sweep, SWEEP_MS).unref()
    }
    later()
  }

  /** A durable run of several attempts, coordinated by this process. @throws `busy`, `invalid_request` */
  async startTurnRun(
    ref: WorldRef,
    counts: {
      requestedTurnCount: number
      maxAttempts: number
      turnCountSource: CountSource
      maxAttemptsSource: CountSource
    },
  ): Promise<TurnRun> {
    const world = await this.#worldToWorkIn(ref)
    const turnRunId = crypto.randomUUID()
    const run = await this.store
      .startTurnRun({ ...ref, ...counts, workerId: this.#instance }, turnRunId)
      .catch((error: unknown) => this.#disown(error, world, () => this.#handBack({ ...ref, turnRunId })))
    if (this.#closing.signal.aborted) {
      await this.store.handBackTurnRun(run, run.fence ?? 0)
      throw serviceEnds()
    }
    this.#hold(run.turnRunId, LeaseKeeper.ofRun(this.store, run, this.#keeping(world)), (keeper) =>
      this.#coordinate(run, world, keeper),
    )
    return run
  }

  /** One attempt at the next turn. @throws `busy`, `invalid_request` */
  async startAttempt(ref: WorldRef): Promise<Attempt> {
    const world = await this.#worldToWorkIn(ref)
    const attemptId = crypto.randomUUID()
    const attempt = await this.store
      .startAttempt(ref, this.#instance, attemptId)
      .catch((error: unknown) => this.#disown(error, world, () => this.#interrupt({ ...ref, attemptId })))
    const executor = this.executors.find(attempt.executor)
    if (executor !== null) {
      if (this.#closing.signal.aborted) {
        await this.store.interruptAttempt(attempt, attempt.fence ?? 0)
        throw serviceEnds()
      }
      const keeper = LeaseKeeper.ofAttempt(this.store, attempt, this.#keeping(world))
      this.#hold(attempt.attemptId, keeper, () => this.#executeAlone(attempt, world, executor, keeper))
    }
    return attempt
  }

  async cancelTurnRun(ref: RunRef, reason: string, abort: boolean): Promise<TurnRun> {
    const run = await this.store.requestTurnRunCancel(ref, reason, { abort })
    if (abort) this.#held.get(run.turnRunId)?.keeper.poke()
    return run
  }

  /** A worker's turn record for its attempt. */
  async commitAttempt(attempt: Attempt, fence: number, turn: AttemptTurn): Promise<Attempt> {
    const world = await getWorld(this.#graph, attempt.project, attempt.worldSlug)
    const request = turnOfAttempt(turn, { ...world, attemptedTurn: attempt.attemptedTurn })
    const committed = await this.store.commitAttempt(attempt, fence, request)
    this.#watch.ended(attempt.attemptId)
    return committed
  }

  async failAttempt(attempt: AttemptRef, fence: number, reason: string): Promise<Attempt> {
    const failed = await this.store.failAttempt(attempt, fence, reason)
    this.#watch.ended(attempt.attemptId)
    return failed
  }

  /** What the turn of an attempt needs to know, for both roles. */
  async continuationOf({
    project,
    worldSlug,
    attemptedTurn,
  }: Attempt): Promise<{ player: ContinuationContext; coach: ContinuationContext }> {
    const { featureId, taskId } = await getWorld(this.#graph, project, worldSlug)
    const request = {
      project,
      featureId,
      taskId,
      worldSlug,
      currentTurn: attemptedTurn,
      tokenBudget: 2_000,
      perspectiveReset: false,
      policy: 'sticky' as const,
    }
    const [player, coach] = await Promise.all([
      loadTurnContinuationContext(this.#graph, { ...request, role: 'player' }),
      loadTurnContinuationContext(this.#graph, { ...request, role: 'coach' }),
    ])
    return { player, coach }
  }

  /** Resolves when this process holds nothing any more. */
  async idle(): Promise<void> {
    while (this.#held.size > 0) await Promise.all([...this.#held.values()].map(({ done }) => done))
  }

  /** Stops what is under way, and hands its runs back: no world waits for a lease of a process that is gone. */
  async close(): Promise<void> {
    this.#closing.abort(new Aborted('the service ends'))
    clearTimeout(this.#sweep)
    for (const { keeper } of this.#held.values()) keeper.abort('the service ends')
    await this.#sweeping
    await this.idle()
  }

  async #worldToWorkIn(ref: WorldRef): Promise<World> {
    if (this.#closing.signal.aborted) throw serviceEnds()
    await this.begin()
    const world = await getWorld(this.#graph, ref.project, ref.worldSlug)
    this.executors.find(world.executor)
    return world
  }

  /** What was started though its caller got an error belongs to nobody: it must not hold the world for a lease. */
  #disown(error: unknown, world: World, end: () => Promise<unknown>): never {
    if (isAway(error)) {
      this.#persist(world, end).catch((cause: unknown) => {
        const absent = cause instanceof TurngraphError && cause.code === 'not_found'
        if (!absent) this.#trouble(cause, 'ending what nobody asked for any more; its lease will expire')
      })
    }
    throw error
  }

  async #handBack(ref: RunRef): Promise<void> {
    const { run } = await this.store.getTurnRunStatus(ref)
    await this.store.handBackTurnRun(ref, run.fence ?? 0)
  }

  async #interrupt(ref: AttemptRef): Promise<void> {
    const { fence } = await this.store.getAttempt(ref)
    if (fence !== null) await this.store.interruptAttempt(ref, fence)
  }

  #hold(id: string, keeper: LeaseKeeper, work: (keeper: LeaseKeeper) => Promise<void>): void {
    const done = work(keeper)
      .catch((error: unknown) => this.#trouble(error, `coordinating ${id}`))
      .finally(() => {
        keeper.stop()
        this.#held.delete(id)
      })
    this.#held.set(id, { keeper, done })
  }

  /** Seed 001, "Runtime changes": one attempt after another, whatever becomes of each, until the run has ended. */
  async #coordinate(started: TurnRun, world: World, keeper: LeaseKeeper): Promise<void> {
    try {
      let run = started
      while (run.status === 'running') {
        this.#refuseToGoOn(keeper)
        const attemptId = crypto.randomUUID()
        const attempt = await this.#persist(world, () =>
          this.store.startAttemptForTurnRun(run, this.#instance, run.fence ?? 0, attemptId),
        ).catch((error: unknown) => stoppedMeanwhile(error))
        if (attempt === null) {
          run = (await this.#persist(world, () => this.store.getTurnRunStatus(run))).run
          if (run.status === 'running')
            throw new TurngraphError('lease_lost', 'The world is held by somebody else.')
          continue
        }
        await this.#execute(attempt, world, keeper)
        run = await this.#persist(world, () => this.store.finishTurnRunAttempt(run, attempt.attemptId))
      }
      if (isActiveRun(run.status))
        await this.#persist(world, () => this.store.finalizeCancelledTurnRunIfIdle(run))
    } catch (error) {
      await this.#giveUp(started, world, error)
    }
  }

  async #execute(attempt: Attempt, world: World, keeper: LeaseKeeper): Promise<void> {
    this.#refuseToGoOn(keeper)
    const executor = this.executors.find(attempt.executor)
    if (executor === null) return this.#untilEnded(attempt, keeper)
    const outcome = await this.#outcomeOf(executor, attempt, world, keeper)
    this.#refuseToGoOn(keeper)
    keeper.settle()
    await this.#end(attempt, world, outcome)
    keeper.end()
  }

  async #executeAlone(
    attempt: Attempt,
    world: World,
    executor: Executor,
    keeper: LeaseKeeper,
  ): Promise<void> {
    const outcome = await this.#outcomeOf(executor, attempt, world, keeper)
    keeper.stop()
    if (this.#closing.signal.aborted) await this.store.interruptAttempt(attempt, attempt.fence ?? 0)
    else if (keeper.lost === null) await this.#end(attempt, world, outcome)
  }

  /** What an executor throws is how its attempt failed. */
  async #outcomeOf(
    executor: Executor,
    attempt: Attempt,
    world: World,
    keeper: LeaseKeeper,
  ): Promise<AttemptOutcome> {
    const signal = keeper.begin(attempt.fence ?? 0)
    try {
      return await executor({
        worldSlug: attempt.worldSlug,
        attemptId: attempt.attemptId,
        attemptedTurn: attempt.attemptedTurn,
        sequence: attempt.turnRunSeq ?? attempt.number,
        continuation: () => this.#persist(world, () => this.continuationOf(attempt)),
        signal,
      })
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error
      return { failed: reason instanceof Error ? reason.message : String(reason) }
    }
  }

  /**
   * Writes how an attempt ended. Where somebody else has ended it meanwhile, that stays: what became of its run is
   * seen next.
   */
  async #end(attempt: Attempt, world: World, outcome: AttemptOutcome): Promise<void> {
    const fence = attempt.fence ?? 0
    const written = this.#requestOf(attempt, world, outcome)
    const fail = (reason: string) => this.store.failAttempt(attempt, fence, bounded(reason))
    try {
      if ('failed' in written) await this.#persist(world, () => fail(written.failed))
      else
        await this.#persist(world, () => this.store.commitAttempt(attempt, fence, written.request), CROWDED)
    } catch (error) {
      if (!(error instanceof TurngraphError)) throw error
      if (error.code === 'lease_lost') this.#trouble(error, `ending attempt ${attempt.attemptId}`)
      // A record that cannot be stored is a failed attempt, like any other.
      else if (NOT_STORABLE.has(error.code)) await this.#persist(world, () => fail(error.message))
      else throw error
    }
  }

  /** What the executor gave, as the record of its turn; or why it is none. */
  #requestOf(
    { attemptedTurn }: Attempt,
    world: World,
    outcome: AttemptOutcome,
  ): { request: CaptureRequest } | { failed: string } {
    if ('failed' in outcome) return outcome
    try {
      const turn = parseWire(attemptTurn, outcome.turn, 'turn')
      return { request: turnOfAttempt(turn, { ...world, attemptedTurn }) }
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) }
    }
  }

  #untilEnded(attempt: Attempt, keeper: LeaseKeeper): Promise<void> {
    const stop = () => this.#watch.ended(attempt.attemptId)
    keeper.onLost(stop)
    this.#closing.signal.addEventListener('abort', stop, { once: true })
    return this.#watch
      .until(attempt)
      .finally(() => this.#closing.signal.removeEventListener('abort', stop))
      .then(() => this.#refuseToGoOn(keeper))
  }

  #refuseToGoOn(keeper: LeaseKeeper): void {
    if (keeper.lost !== null) throw keeper.lost
    this.#closing.signal.throwIfAborted()
  }

  /** A lost lease is somebody else's run by now. Anything else ends it here, so that no world waits for us. */
  async #giveUp(run: TurnRun, world: World, error: unknown): Promise<void> {
    if (error instanceof TurngraphError && error.code === 'lease_lost') {
      return this.#log.warn(
        { turnRunId: run.turnRunId, err: error },
        'the turn run has passed to somebody else',
      )
    }
    const fence = run.fence ?? 0
    try {
      if (error instanceof Aborted) {
        await this.#inTurn(() => this.store.handBackTurnRun(run, fence))
        return this.#log.info({ turnRunId: run.turnRunId }, 'the turn run was handed back')
      }
      this.#log.warn({ turnRunId: run.turnRunId, err: error }, 'the turn run cannot go on')
      const reason = error instanceof Error ? error.message : String(error)
      await this.#persist(world, () => this.store.failTurnRun(run, fence, bounded(reason)))
    } catch (cause) {
      this.#trouble(cause, `ending turn run ${run.turnRunId}; its lease will expire`)
    }
  }

  /**
   * Tries again while the store is away (or `also` says so), for as long as the lease lasts: nothing that was done is
   * thrown away.
   */
  async #persist<T>(
    { leaseTtlMs }: World,
    work: () => Promise<T>,
    also: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const until = performance.now() + leaseTtlMs
    for (let pause = FIRST_RETRY_MS; ; pause = Math.min(2 * pause, MAX_RETRY_MS)) {
      try {
        return await this.#inTurn(work)
      } catch (error) {
        if (
          !(isAway(error) || also(error)) ||
          performance.now() + pause > until ||
          this.#closing.signal.aborted
        )
          throw error
        await sleep(pause * (0.5 + Math.random() / 2))
      }
    }
  }

  #keeping({ leaseTtlMs }: World) {
    return {
      leaseTtlMs,
      closing: this.#closing.signal,
      inTurn: <T>(work: () => Promise<T>): Promise<T> => this.#renewing(work),
      onError: (error: unknown) => this.#trouble(error, 'renewing a lease'),
    }
  }

  #report({ runs, attempts, errors }: Reconciled): void {
    for (const error of errors) this.#trouble(error, 'ending what nobody works on any more')
    if (runs + attempts > 0) this.#log.info({ runs, attempts }, 'interrupted what nobody worked on any more')
  }

  #trouble(error: unknown, while_: string): void {
    this.#log.warn({ err: error }, `trouble while ${while_}`)
  }
}

const SILENT: TurnRunsLog = { info: () => {}, warn: () => {} }
const serviceEnds = (): TurngraphError =>
  new TurngraphError('store_unavailable', 'The service ends.', { hint: 'Try again when it is back.' })

/** Other worlds of the task add criteria under a commit: a capture's one `busy`, which another try settles. */
const CROWDED = (error: unknown): boolean => error instanceof TurngraphError && error.code === 'busy'

const NOT_STORABLE = new Set(['invalid_request', 'too_large', 'turn_conflict', 'world_conflict'])

/** The run was cancelled, or has ended, between two looks at it: null. */
function stoppedMeanwhile(error: unknown): null {
  if (error instanceof TurngraphError && error.code === 'busy') return null
  throw error
}

const bounded = (reason: string): string =>
  reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON - 1)}…`

/** The end of a command's standard error, 4 KiB, and what was wrong. */
const MAX_REASON = 3 * RUN_LIMITS.reasonCharacters
