// Executes the attempts of turn runs, and single attempts.
import PQueue from 'p-queue'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import { parseWire } from '../core/wire-form.ts'
import type { Graph } from '../graph/port.ts'
import { loadTurnContinuationContext } from '../memory/context/context.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { CaptureRequest } from '../memory/record/record.ts'
import { getWorld, type World } from '../memory/worlds/worlds.ts'
import { logRecovery } from '../rules/notes.ts'
import { type TurnRunStatus, WITHOUT_RECORD } from '../rules/values.ts'
import { executedTurn, turnOfAttempt } from './attempt-turn.ts'
import type { AttemptWatch } from './attempt-watch.ts'
import { pauseMs } from './backoff.ts'
import type { AttemptOutcome, Executor } from './executor.ts'
import type { Executors } from './executors.ts'
import { endAtGoal } from './goals.ts'
import { Aborted, type KeeperOptions, type LeaseKeeper } from './lease-keeper.ts'
import type { Attempt, TurnRun } from './record.ts'
import type { TurnRunStore } from './turn-run-store.ts'

export type CoordinatorParts = {
  graph: Graph
  store: TurnRunStore
  executors: Executors
  watch: AttemptWatch
  /** The name of this process in leases. */
  instance: string
  /** Aborted when this process ends. */
  closing: AbortSignal
  log: TurnRunsLog
  observer: TurnRunsObserver
}

/** Receives the end of runs, lost leases and committed turns of this process. */
export type TurnRunsObserver = {
  runEnded: (status: TurnRunStatus) => void
  leaseLost: () => void
  turnCommitted: (turn: CaptureRequest) => void
}

export type TurnRunsLog = {
  info: (fields: object, message: string) => void
  warn: (fields: object, message: string) => void
}

export function logTrouble(log: TurnRunsLog, error: unknown, during: string): void {
  // The service logs once that the store is unavailable (schema-state.ts). Leases are renewed about every second.
  if (hasCode(error, 'store_unavailable'))
    log.info({ reason: error.message }, `the graph was unavailable while ${during}`)
  else log.warn({ err: error }, `trouble while ${during}`)
}

/** Maximum number of parallel store operations of coordinators. More would wait for connections and time out there. */
const AT_ONCE = 16
/** Renewals have a separate queue. After the operations of a thousand runs they would come too late. */
const RENEWALS_AT_ONCE = 4
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 2_000

/**
 * Executes the attempts of runs one after another, and single attempts. The callers hold the leases with a
 * keeper. The result of each attempt is stored in the graph. Source: seed 001, "Runtime changes".
 */
export class Coordinator {
  readonly #parts: CoordinatorParts
  readonly #inTurn = new PQueue({ concurrency: AT_ONCE })
  readonly #renewing = new PQueue({ concurrency: RENEWALS_AT_ONCE })

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
  }

  /** Executes one attempt after another, whatever their results, until the run has ended. */
  async coordinate(started: TurnRun, world: World, keeper: LeaseKeeper): Promise<void> {
    try {
      // The last attempt of the resumed run may have reached a goal.
      let run =
        started.resumesRunId === null ? started : await this.#prepareNextAttempt(started, world, keeper)
      while (run.status === 'running') {
        this.#refuseToGoOn(keeper)
        const attemptId = crypto.randomUUID()
        const attempt = await this.persist(world, () =>
          this.#parts.store.startAttemptForTurnRun(run, this.#parts.instance, run.fence ?? 0, attemptId),
        ).catch((error: unknown) => stoppedMeanwhile(error))
        if (attempt === null) {
          run = (await this.persist(world, () => this.#parts.store.getTurnRunStatus(run))).run
          if (run.status === 'running')
            throw new TurngraphError('lease_lost', 'Another process holds the world.')
          continue
        }
        const lost = await this.#execute(attempt, world, keeper)
        run = await this.persist(world, () => this.#parts.store.finishTurnRunAttempt(run, attempt.attemptId))
        if (lost !== null && run.status === 'interrupted') throw lost // the run was interrupted together with its attempt
        run = await this.#prepareNextAttempt(run, world, keeper)
      }
      if (run.status === 'cancel_requested') {
        run = await this.persist(world, () => this.#parts.store.finalizeCancelledTurnRunIfIdle(run))
      }
      if (run.status === 'interrupted') {
        throw new TurngraphError(
          'lease_lost',
          `Turn run ${run.turnRunId} was interrupted by another process.`,
        )
      }
      this.#parts.observer.runEnded(run.status)
    } catch (error) {
      await this.#abandon(started, world, error)
    }
  }

  async #prepareNextAttempt(run: TurnRun, world: World, keeper: LeaseKeeper): Promise<TurnRun> {
    if (run.status !== 'running') return run
    const next = await this.#endAtGoal(run, world)
    const paused = next.status === 'running' ? await this.#schedulePause(next, world) : null
    if (paused === null) return next
    await this.#untilDue(paused, keeper)
    return this.#endAtGoal(paused, world)
  }

  #endAtGoal(run: TurnRun, world: World): Promise<TurnRun> {
    return this.persist(world, () => endAtGoal(this.#parts.graph, this.#parts.store, run))
  }

  /** Stores the time of the next attempt. Returns null if the last attempt did not fail, or if no pause is configured. */
  async #schedulePause(run: TurnRun, world: World): Promise<TurnRun | null> {
    if (run.nextAttemptAt !== null) return run // set by the resumed run
    if (run.lastAttemptStatus !== 'failed') return null
    return this.persist(world, async () => {
      const { backoff, executor } = await getWorld(this.#parts.graph, run.project, run.worldSlug)
      const said = backoff ?? this.#parts.executors.find(executor)?.backoff
      const ms = said === undefined ? 0 : pauseMs(said, run.failedInARow, Math.random())
      return ms === 0 ? null : this.#parts.store.pauseTurnRun(run, run.fence ?? 0, ms)
    })
  }

  /** Waits until the next attempt is due. Stops early if the lease is lost, for example by a cancel, or if this process ends. */
  async #untilDue({ nextAttemptAt }: TurnRun, keeper: LeaseKeeper): Promise<void> {
    this.#refuseToGoOn(keeper)
    const ms = Date.parse(nextAttemptAt ?? '') - this.#parts.store.now().getTime()
    let timer: NodeJS.Timeout | undefined
    let stop = () => {}
    await new Promise<void>((resolve) => {
      stop = resolve
      timer = setTimeout(stop, Math.max(0, ms))
      keeper.onLost(stop)
      this.#parts.closing.addEventListener('abort', stop)
    })
    clearTimeout(timer)
    this.#parts.closing.removeEventListener('abort', stop)
    this.#refuseToGoOn(keeper)
  }

  /** Executes an attempt. Returns the error if another process has ended the attempt. */
  async #execute(attempt: Attempt, world: World, keeper: LeaseKeeper): Promise<TurngraphError | null> {
    this.#refuseToGoOn(keeper)
    const executor = this.#parts.executors.find(attempt.executor)
    if (executor === null) {
      await this.#untilEnded(attempt, keeper)
      return null
    }
    const outcome = await this.#awaitOutcome(executor, attempt, world, keeper)
    // A finished turn is committed even if the service ends.
    if ('failed' in outcome || keeper.lost !== null) this.#refuseToGoOn(keeper)
    keeper.settle()
    const lost = await this.#end(attempt, world, outcome)
    keeper.end()
    return lost
  }

  async executeAlone(attempt: Attempt, world: World, executor: Executor, keeper: LeaseKeeper): Promise<void> {
    const outcome = await this.#awaitOutcome(executor, attempt, world, keeper)
    keeper.stop()
    const cut = this.#parts.closing.aborted && 'failed' in outcome
    if (cut) await this.#parts.store.interruptAttempt(attempt, attempt.fence ?? 0)
    else if (keeper.lost === null) await this.#end(attempt, world, outcome)
  }

  /** Runs the executor. An error that it throws is the reason why the attempt failed. */
  async #awaitOutcome(
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
        continuation: async () => {
          const continuation = await this.persist(world, () =>
            loadContinuation(this.#parts.graph, attempt, world),
          )
          const { worldSlug, attemptId } = attempt
          logRecovery(
            (message) => this.#parts.log.info({ worldSlug, attemptId }, message),
            continuation.coach,
          )
          return continuation
        },
        isRetry: async () => {
          const before = () => this.#parts.store.listAttemptsOfWorld(attempt, 1, attempt.number)
          const { attempts } = await this.persist(world, before)
          const last = attempts[0]
          return last?.attemptedTurn === attempt.attemptedTurn && WITHOUT_RECORD.has(last.status)
        },
        signal,
      })
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error
      return { failed: reason instanceof Error ? reason.message : String(reason) }
    }
  }

  /** Stores the result of an attempt. If another process has ended the attempt, keeps that result and returns the error. */
  async #end(attempt: Attempt, world: World, outcome: AttemptOutcome): Promise<TurngraphError | null> {
    const fence = attempt.fence ?? 0
    const written = this.#toRequest(attempt, world, outcome)
    const { usedTokens } = written
    const fail = (reason: string) =>
      this.#parts.store.failAttempt(attempt, fence, limitReason(reason), usedTokens)
    try {
      if ('failed' in written) await this.persist(world, () => fail(written.failed))
      else {
        await this.persist(
          world,
          () => this.#parts.store.commitAttempt(attempt, fence, written.request, { usedTokens }),
          CROWDED,
        )
        this.#parts.observer.turnCommitted(written.request)
      }
    } catch (error) {
      if (!(error instanceof TurngraphError)) throw error
      if (error.code === 'lease_lost') {
        logTrouble(this.#parts.log, error, `ending attempt ${attempt.attemptId}`)
        return error
      }
      // A record that cannot be stored makes the attempt a failed one, like any other failure.
      if (!NOT_STORABLE.has(error.code)) throw error
      await this.persist(world, () => fail(error.message))
    }
    return null
  }

  /** Converts the executor's result to the record of its turn, or returns the reason why it is not a valid record. */
  #toRequest(
    { attemptedTurn }: Attempt,
    world: World,
    outcome: AttemptOutcome,
  ): ({ request: CaptureRequest } | { failed: string }) & { usedTokens: number } {
    if ('failed' in outcome) return { usedTokens: 0, ...outcome }
    try {
      const { usage, ...given } = parseWire(executedTurn, outcome.turn, 'turn')
      const { tokens, ...agents } = usage ?? {}
      const turn = { ...given, ...(Object.keys(agents).length > 0 && { usage: agents }) }
      return { request: turnOfAttempt(turn, { ...world, attemptedTurn }), usedTokens: tokens ?? 0 }
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error), usedTokens: 0 }
    }
  }

  #untilEnded(attempt: Attempt, keeper: LeaseKeeper): Promise<void> {
    const stop = () => this.#parts.watch.ended(attempt.attemptId)
    keeper.onLost(stop)
    this.#parts.closing.addEventListener('abort', stop, { once: true })
    return this.#parts.watch
      .until(attempt)
      .finally(() => this.#parts.closing.removeEventListener('abort', stop))
      .then(() => this.#refuseToGoOn(keeper))
  }

  #refuseToGoOn(keeper: LeaseKeeper): void {
    if (keeper.lost !== null) throw keeper.lost
    this.#parts.closing.throwIfAborted()
  }

  /** Ends the run after an error, so that it does not block its world. A run with a lost lease belongs to another process. */
  async #abandon(run: TurnRun, world: World, error: unknown): Promise<void> {
    if (hasCode(error, 'lease_lost')) return this.#lost(run, world, error)
    const fence = run.fence ?? 0
    try {
      // While the service closes, a store that is away is no failure of the run.
      if (error instanceof Aborted || (this.#parts.closing.aborted && isAway(error))) {
        const { status } = await this.#inTurn.add(() => this.#parts.store.releaseTurnRun(run, fence))
        if (status === 'interrupted') this.#parts.observer.runEnded(status)
        return this.#parts.log.info({ turnRunId: run.turnRunId }, 'the turn run was handed back')
      }
      this.#parts.log.warn({ turnRunId: run.turnRunId, err: error }, 'the turn run cannot go on')
      const reason = error instanceof Error ? error.message : String(error)
      await this.persist(world, () => this.#parts.store.failTurnRun(run, fence, limitReason(reason)))
      this.#parts.observer.runEnded('failed')
    } catch (cause) {
      logTrouble(this.#parts.log, cause, `ending turn run ${run.turnRunId}; its lease will expire`)
    }
  }

  /** Reports a lost lease. If the run was cancelled while no attempt was active, reports the end of the run instead. */
  async #lost(run: TurnRun, world: World, error: TurngraphError): Promise<void> {
    const { turnRunId } = run
    const ended = await this.persist(world, () => this.#parts.store.getTurnRunStatus(run)).catch(() => null)
    if (ended?.run.status === 'cancelled') {
      this.#parts.observer.runEnded('cancelled')
      return this.#parts.log.info({ turnRunId }, 'the turn run was cancelled')
    }
    this.#parts.observer.leaseLost()
    this.#parts.log.warn({ turnRunId, err: error }, 'the turn run belongs to another process now')
  }

  /** Retries while the store is unavailable (or `also` returns true), until the lease expires, so that no finished work is lost. */
  persist<T>(
    { leaseTtlMs }: World,
    work: () => Promise<T>,
    also: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    return retry(() => this.#inTurn.add(work), {
      when: (error) => (isAway(error) || also(error)) && !this.#parts.closing.aborted,
      until: performance.now() + leaseTtlMs,
      firstPauseMs: FIRST_RETRY_MS,
      longestPauseMs: MAX_RETRY_MS,
    })
  }

  keeping({ leaseTtlMs }: World): KeeperOptions {
    return {
      leaseTtlMs,
      closing: this.#parts.closing,
      inTurn: <T>(work: () => Promise<T>): Promise<T> => this.#renewing.add(work),
      onError: (error: unknown) => logTrouble(this.#parts.log, error, 'renewing a lease'),
    }
  }
}

/** Other worlds of the task may add criteria during a commit. A retry resolves this only kind of `busy` of a capture. */
const CROWDED = (error: unknown): boolean => hasCode(error, 'busy')

const NOT_STORABLE = new Set(['invalid_request', 'too_large', 'turn_conflict', 'world_conflict'])

/** Returns null if the run was cancelled or has ended since it was last read. */
function stoppedMeanwhile(error: unknown): null {
  if (hasCode(error, 'busy')) return null
  throw error
}

function limitReason(given: string): string {
  const reason = scrubText(given) // a secret that is cut would not be recognized
  return reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON - 1)}…`
}

/** Maximum length of a reason: up to 4 KiB of the end of a command's standard error, and a description before it. */
const MAX_REASON = 5_000

/** Loads the context of an attempt's turn for both roles. The world provides the task. */
export async function loadContinuation(
  graph: Graph,
  { project, worldSlug, attemptedTurn }: Attempt,
  { featureId, taskId }: Pick<World, 'featureId' | 'taskId'>,
): Promise<{ player: ContinuationContext; coach: ContinuationContext }> {
  const request = {
    project,
    featureId,
    taskId,
    worldSlug,
    currentTurn: attemptedTurn,
    tokenBudget: 2_000,
    perspectiveReset: false,
    policy: 'sticky' as const,
    elsewhere: 'earlier' as const,
    asOf: 'now' as const,
  }
  const [player, coach] = await Promise.all([
    loadTurnContinuationContext(graph, { ...request, role: 'player' }),
    loadTurnContinuationContext(graph, { ...request, role: 'coach' }),
  ])
  return { player, coach }
}
