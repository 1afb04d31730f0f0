import type { ErrorCode } from '../../src/core/errors.ts'
import type { AttemptStatus, StopReason, TurnRunStatus } from '../../src/rules/values.ts'
import type { Attempt, TurnRun } from '../../src/runs/record.ts'

/**
 * A simple model of turn runs in memory, without goals (test/contract/run-goals.ts). Written from seed 001 and contract runs.md, and
 * not from src/runs: it stores no count and no status that follows from the events, and creates a row only when it is read.
 */

type OfWorld = { world: string }
type OfRun = OfWorld & { run: string }
type OfAttempt = OfWorld & { attempt: string }

export type Command =
  | (OfWorld & { do: 'startTurnRun'; id: string; owner: string; turns: number; maxAttempts: number })
  | (OfWorld & { do: 'startAttempt'; id: string; owner: string })
  | (OfRun & { do: 'startAttemptForTurnRun'; id: string; owner: string; fence: number })
  | (OfAttempt & { do: 'claimAttempt'; worker: string })
  | (OfAttempt & { do: 'heartbeatAttempt'; fence: number })
  | (OfRun & { do: 'renewTurnRun'; fence: number; attemptFence: number | null })
  | (OfAttempt & { do: 'commitAttempt'; fence: number; record: string; tokens?: number })
  | (OfAttempt & { do: 'failAttempt'; fence: number; reason: string; tokens?: number })
  | (OfAttempt & { do: 'interruptAttempt'; fence: number })
  | (OfRun & { do: 'finishTurnRunAttempt'; attempt: string })
  | (OfRun & {
      do: 'requestTurnRunCancel'
      reason: string
      abort: boolean
      stopReason: StopReason | null
    })
  | (OfRun & { do: 'finalizeCancelledTurnRunIfIdle' })
  | (OfRun & { do: 'handBackTurnRun'; fence: number })
  | (OfRun & { do: 'releaseTurnRun'; fence: number })
  | (OfRun & { do: 'pauseTurnRun'; fence: number; ms: number })
  | (OfRun & { do: 'failTurnRun'; fence: number; reason: string })
  /** `by` resumes interrupted runs, with `id`. `later`: another process resumes them. Null: they are not resumed. */
  | { do: 'reconcileRunningAttempts'; instance: string | null; held: string[]; by: string | null; id: string }
  | (OfWorld & { do: 'captureTurnState'; turn: number; record: string; supersede: boolean })
  | (OfWorld & { do: 'deleteWorld' })
  | (OfRun & { do: 'getTurnRunStatus' })
  | (OfRun & { do: 'listAttemptsOfRun'; limit: number; before: number })
  | (OfWorld & { do: 'listAttemptsOfWorld'; limit: number; before: number })
  | { do: 'pass'; ms: number }

/** `details` is omitted if no contract defines them. */
export type Answer = { said: unknown } | { refused: ErrorCode; details?: unknown }

export type WorldSettings = { project: string; slug: string; executor: string; leaseTtlMs: number } & {
  resume: 'never' | 'auto'
}

type RunOfModel = {
  id: string
  owner: string
  fence: number
  leaseUntil: number
  turns: number
  maxAttempts: number
  startTurn: number
  startedAt: string
  cancel: { at: string; reason: string; stopReason: StopReason | null } | null
  /** The run that it resumes. */
  resumes: string | null
  pausedUntil: string | null
  end: {
    at: string
    status: Exclude<TurnRunStatus, 'running' | 'cancel_requested'>
    reason: string | null
  } | null
}

type AttemptOfModel = {
  id: string
  run: string | null
  turn: number
  owner: string | null
  fence: number | null
  leaseUntil: number
  startedAt: string
  abort: boolean
  tokens: number
  record: string | null
  end: { at: string; status: Exclude<AttemptStatus, 'running'>; reason: string | null } | null
}

/** A world. Its runs and attempts are in the order of their start. */
type WorldOfModel = WorldSettings & {
  deleted: boolean
  /** The greatest fence that was ever issued. */
  fence: number
  /** The record of each turn. */
  turns: Map<number, string>
  runs: RunOfModel[]
  attempts: AttemptOfModel[]
}

/** The view of a world that callers get. */
export type WorldSeen = {
  currentTurn: number
  activeTurnRunId: string | null
  activeAttemptId: string | null
  runs: TurnRun[]
  /** Newest first. */
  attempts: Attempt[]
}

/** No subclass of Error: creating hundreds of thousands of unused stacks would double the time of the test. */
class Refusal {
  readonly code: ErrorCode
  readonly details: unknown
  constructor(code: ErrorCode, details?: unknown) {
    this.code = code
    this.details = details
  }
}

/** Contract turns.md, "Limits". */
export const LAST_TURN = 1_000_000

/** Start of the time of the model and the stores. */
export const BEGIN = Date.UTC(2026, 0, 1)

/** The clock of the services is an hour off, which must not affect leases. */
export const SERVICE_AHEAD_MS = 3_600_000
export const serviceClock = (now: number): Date => new Date(now + SERVICE_AHEAD_MS)
const instant = (now: number): string => serviceClock(now).toISOString().replace('.000Z', 'Z')

export class RunModel {
  now: number
  readonly worlds: WorldOfModel[]

  private constructor(now: number, worlds: WorldOfModel[]) {
    this.now = now
    this.worlds = worlds
  }

  static of(now: number, worlds: readonly WorldSettings[]): RunModel {
    const empty = () => ({ deleted: false, fence: 0, turns: new Map(), runs: [], attempts: [] })
    return new RunModel(
      now,
      worlds.map((settings) => ({ ...settings, ...empty() })),
    )
  }

  clone(): RunModel {
    return new RunModel(this.now, structuredClone(this.worlds))
  }

  answer(command: Command): Answer {
    try {
      return { said: this.#do(command) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { refused: error.code, ...(error.details !== undefined && { details: error.details }) }
    }
  }

  #do(command: Command): unknown {
    if (command.do === 'pass') {
      this.now += command.ms
      return null
    }
    if (command.do === 'reconcileRunningAttempts') return this.#reconcile(command)
    const world = this.#world(command.world)
    switch (command.do) {
      case 'startTurnRun':
        return this.#startTurnRun(world, command)
      case 'startAttempt':
        return this.#startAttempt(world, command)
      case 'captureTurnState':
        return this.#capture(world, command)
      case 'deleteWorld': {
        if (world.deleted) throw new Refusal('world_deleted')
        refuseAtWork(world)
        world.deleted = true
        return null
      }
      case 'listAttemptsOfWorld': {
        if (world.deleted) throw new Refusal('world_deleted')
        const numbered = world.attempts.map((attempt, i) => ({ attempt, number: i + 1 }))
        return this.#page(world, numbered, command)
      }
      case 'startAttemptForTurnRun':
        return this.#startAttemptForTurnRun(world, command)
      case 'claimAttempt':
      case 'heartbeatAttempt':
      case 'commitAttempt':
      case 'failAttempt':
      case 'interruptAttempt':
        return this.#onAttempt(world, attemptOf(world, command.attempt), command)
      case 'finishTurnRunAttempt': {
        const attempt = attemptOf(world, command.attempt)
        if (world.deleted) throw new Refusal('world_deleted')
        const run = runOf(world, command.run)
        if (attempt.run !== run.id) throw new Refusal('not_found')
        if (attempt.end === null)
          throw new Refusal('busy', { attempt_id: attempt.id, turn_run_id: attempt.run })
        return runRow(world, run)
      }
      default:
        return this.#onRun(world, runOf(world, command.run), command)
    }
  }

  /** Seed 001, `start_turn_run`. A repeated id returns the same run. */
  #startTurnRun(
    world: WorldOfModel,
    { id, owner, turns, maxAttempts }: Command & { do: 'startTurnRun' },
  ): TurnRun {
    const known = world.runs.find((run) => run.id === id)
    if (known !== undefined) return runRow(world, known)
    if (world.deleted) throw new Refusal('world_deleted')
    refuseAtWork(world)
    const startTurn = currentTurnOf(world)
    if (startTurn + turns > LAST_TURN) throw new Refusal('invalid_request')
    world.fence++
    const run: RunOfModel = {
      ...{ id, owner, turns, maxAttempts, startTurn },
      fence: world.fence,
      leaseUntil: this.now + world.leaseTtlMs,
      startedAt: instant(this.now),
      cancel: null,
      resumes: null,
      pausedUntil: null,
      end: null,
    }
    world.runs.push(run)
    return runRow(world, run)
  }

  /** Seed 001, "Existing start_attempt". */
  #startAttempt(world: WorldOfModel, { id, owner }: Command & { do: 'startAttempt' }): Attempt {
    const known = world.attempts.find((attempt) => attempt.id === id)
    if (known !== undefined) return attemptRow(world, known)
    if (world.deleted) throw new Refusal('world_deleted')
    refuseAtWork(world)
    if (currentTurnOf(world) === LAST_TURN) throw new Refusal('invalid_request')
    return this.#begin(world, null, id, owner)
  }

  /** Seed 001, `start_attempt_for_turn_run`, its steps 3, 5 and 6; the fence is the contract's. */
  #startAttemptForTurnRun(world: WorldOfModel, command: Command & { do: 'startAttemptForTurnRun' }): Attempt {
    const known = world.attempts.find((attempt) => attempt.id === command.id)
    if (known !== undefined) return attemptRow(world, known)
    const run = runOf(world, command.run)
    if (statusOf(run) !== 'running') throw new Refusal('busy')
    if (run.fence !== command.fence) throw new Refusal('lease_lost')
    if (activeAttempt(world) !== null) refuseAtWork(world)
    if (attemptsOf(world, run).length >= run.maxAttempts) throw new Refusal('busy')
    return this.#begin(world, run.id, command.id, command.owner)
  }

  /** Starts an attempt. With an external executor it waits for a worker; otherwise it has its owner from the start. */
  #begin(world: WorldOfModel, run: string | null, id: string, owner: string): Attempt {
    const waits = world.executor === 'external'
    if (!waits) world.fence++
    const attempt: AttemptOfModel = {
      ...{ id, run },
      turn: currentTurnOf(world) + 1,
      owner: waits ? null : owner,
      fence: waits ? null : world.fence,
      leaseUntil: this.now + world.leaseTtlMs,
      startedAt: instant(this.now),
      abort: false,
      tokens: 0,
      record: null,
      end: null,
    }
    const ofRun = world.runs.find((held) => held.id === run)
    if (ofRun !== undefined) ofRun.pausedUntil = null
    world.attempts.push(attempt)
    return attemptRow(world, attempt)
  }

  #onAttempt(
    world: WorldOfModel,
    attempt: AttemptOfModel,
    command: Command & {
      do: 'claimAttempt' | 'heartbeatAttempt' | 'commitAttempt' | 'failAttempt' | 'interruptAttempt'
    },
  ): unknown {
    if (command.do === 'claimAttempt') return this.#claim(world, attempt, command.worker)
    const held = attempt.end === null && attempt.fence === command.fence
    const mine = attempt.fence === command.fence ? (attempt.end?.status ?? null) : null
    if (command.do === 'heartbeatAttempt') {
      if (!held) throw new Refusal('lease_lost')
      attempt.leaseUntil = this.#renewed(attempt.leaseUntil, world)
      return {
        leaseUntil: attempt.leaseUntil,
        cancelRequested: world.runs.some((run) => run.id === attempt.run && run.cancel !== null),
        abortRequested: attempt.abort,
      }
    }
    if (command.do === 'commitAttempt') {
      if (mine === 'committed' && attempt.record !== command.record)
        throw new Refusal('turn_conflict', { attempt_id: attempt.id, turn_number: attempt.turn })
      if (mine === 'committed') return attemptRow(world, attempt)
      if (!held) throw new Refusal('lease_lost')
      world.turns.set(attempt.turn, command.record)
      attempt.record = command.record
      attempt.tokens = command.tokens ?? 0
      this.#endAttempt(world, attempt, 'committed', null)
      return attemptRow(world, attempt)
    }
    const status = command.do === 'failAttempt' ? 'failed' : 'interrupted'
    if (mine === status) return attemptRow(world, attempt)
    if (!held) throw new Refusal('lease_lost')
    const reason = command.do === 'failAttempt' ? command.reason : 'process restart before attempt completed'
    if (command.do === 'failAttempt') attempt.tokens = command.tokens ?? 0
    this.#endAttempt(world, attempt, status, reason)
    return attemptRow(world, attempt)
  }

  /** Contract, "Executors": "A second worker's claim is busy; the same worker's again is the same answer". */
  #claim(world: WorldOfModel, attempt: AttemptOfModel, worker: string): Attempt {
    if (attempt.end !== null) throw new Refusal('lease_lost')
    const again = world.executor === 'external' && attempt.owner === worker
    if (attempt.owner !== null && !again) refuseAtWork(world)
    if (attempt.owner === null) {
      world.fence++
      attempt.owner = worker
      attempt.fence = world.fence
      attempt.leaseUntil = this.now + world.leaseTtlMs
    }
    return attemptRow(world, attempt)
  }

  /** Seed 001, `finish_turn_run_attempt`, steps 7 to 10: their order decides. */
  #endAttempt(
    world: WorldOfModel,
    attempt: AttemptOfModel,
    status: Exclude<AttemptStatus, 'running'>,
    reason: string | null,
  ): void {
    const at = instant(this.now)
    attempt.end = { at, status, reason }
    const run = world.runs.find(({ id }) => id === attempt.run)
    if (run === undefined) return
    const attempts = attemptsOf(world, run)
    if (withStatus(attempts, 'committed') === run.turns) run.end = { at, status: 'completed', reason: null }
    else if (run.cancel !== null) run.end = { at, status: 'cancelled', reason: null }
    else if (attempts.length >= run.maxAttempts) run.end = { at, status: 'failed', reason: EXHAUSTED }
  }

  #onRun(
    world: WorldOfModel,
    run: RunOfModel,
    command: Command & {
      do:
        | 'renewTurnRun'
        | 'requestTurnRunCancel'
        | 'finalizeCancelledTurnRunIfIdle'
        | 'handBackTurnRun'
        | 'releaseTurnRun'
        | 'pauseTurnRun'
        | 'failTurnRun'
        | 'getTurnRunStatus'
        | 'listAttemptsOfRun'
    },
  ): unknown {
    switch (command.do) {
      case 'getTurnRunStatus':
        if (world.deleted) throw new Refusal('world_deleted')
        return { run: runRow(world, run), currentTurn: currentTurnOf(world) }
      case 'listAttemptsOfRun': {
        if (world.deleted) throw new Refusal('world_deleted')
        const numbered = attemptsOf(world, run).map((attempt, i) => ({ attempt, number: i + 1 }))
        return this.#page(world, numbered, command)
      }
      case 'renewTurnRun':
        return this.#renew(world, run, command)
      case 'requestTurnRunCancel':
        this.#cancel(world, run, command)
        return runRow(world, run)
      case 'finalizeCancelledTurnRunIfIdle':
        if (statusOf(run) === 'cancel_requested' && activeAttempt(world) === null)
          run.end = { at: instant(this.now), status: 'cancelled', reason: null }
        return runRow(world, run)
      case 'pauseTurnRun':
        if (run.end !== null || run.fence !== command.fence) throw new Refusal('lease_lost')
        if (activeAttempt(world) === null) run.pausedUntil = instant(this.now + command.ms)
        return runRow(world, run)
      case 'releaseTurnRun':
        if (run.end !== null) return runRow(world, run)
        if (run.fence !== command.fence) throw new Refusal('lease_lost')
        this.#release(world, run)
        return runRow(world, run)
      case 'handBackTurnRun':
      case 'failTurnRun': {
        if (run.end !== null) return runRow(world, run)
        if (run.fence !== command.fence) throw new Refusal('lease_lost')
        if (command.do === 'failTurnRun') this.#endRun(world, run, 'failed', command.reason)
        else this.#endRun(world, run, 'interrupted', RESTARTED)
        return runRow(world, run)
      }
    }
  }

  /** Contract hardening.md, "The rest": a lease that ends too late has expired. 30 s are added for a clock that waited. */
  #isFarAway(leaseUntil: number, { leaseTtlMs }: WorldOfModel): boolean {
    return leaseUntil - this.now > leaseTtlMs + 30_000
  }

  /** Checks the lease of the world that ends first, with the grace period of a claimed external attempt. */
  #mayBeDue(world: WorldOfModel, instance: string | null): boolean {
    const { leaseTtlMs, executor } = world
    const active = [activeRun(world), activeAttempt(world)].filter((each) => each !== null)
    const ends = active.map((each) => {
      const hasGrace = each === activeAttempt(world) && executor === 'external' && each.owner !== null
      return each.leaseUntil + (hasGrace ? leaseTtlMs : 0)
    })
    const first = Math.min(...ends)
    const isFarAway = first - this.now > 2 * leaseTtlMs + 30_000
    return first <= this.now || isFarAway || active.some(({ owner }) => owner !== null && owner === instance)
  }

  #renewed(leaseUntil: number, world: WorldOfModel): number {
    const fresh = this.now + world.leaseTtlMs
    return this.#isFarAway(leaseUntil, world) ? fresh : Math.max(leaseUntil, fresh)
  }

  #renew(
    world: WorldOfModel,
    run: RunOfModel,
    { fence, attemptFence }: Command & { do: 'renewTurnRun' },
  ): unknown {
    if (run.end !== null || run.fence !== fence) throw new Refusal('lease_lost')
    run.leaseUntil = this.#renewed(run.leaseUntil, world)
    const attempt = activeAttempt(world)
    const own = attempt !== null && attemptFence !== null && attempt.fence === attemptFence ? attempt : null
    // Executed by the coordinator itself, so it lives for as long as its run.
    if (own !== null) own.leaseUntil = Math.max(this.#renewed(own.leaseUntil, world), run.leaseUntil)
    return {
      leaseUntil: run.leaseUntil,
      cancelRequested: run.cancel !== null,
      abortRequested: own?.abort ?? false,
      ownsAttempt: own !== null,
    }
  }

  /** Seed 001, `request_turn_run_cancel`; "the first cancel_reason stays"; `abort` also ends the active attempt. */
  #cancel(
    world: WorldOfModel,
    run: RunOfModel,
    { reason, abort, stopReason }: { reason: string; abort: boolean; stopReason: StopReason | null },
  ): void {
    if (run.end !== null) return
    const at = instant(this.now)
    run.cancel ??= { at, reason, stopReason }
    const attempt = activeAttempt(world)
    if (attempt === null) run.end = { at, status: 'cancelled', reason: null }
    else if (abort && attempt.fence === null)
      this.#endAttempt(world, attempt, 'interrupted', 'attempt was never claimed')
    else if (abort) attempt.abort = true
  }

  /** A run that ends early also ends its attempt, for the same reason. */
  #endRun(world: WorldOfModel, run: RunOfModel, status: 'failed' | 'interrupted', reason: string): boolean {
    const at = instant(this.now)
    const attempt = activeAttempt(world)
    run.end = { at, status, reason }
    if (attempt === null) return false
    attempt.end = { at, status: 'interrupted', reason }
    return true
  }

  /** A normal restart: the run waits for the process that resumes it. If it cannot be resumed, it is interrupted immediately. */
  #release(world: WorldOfModel, run: RunOfModel): void {
    if (leftOf(world, run) === null) {
      this.#endRun(world, run, 'interrupted', RESTARTED)
      return
    }
    const attempt = activeAttempt(world)
    if (attempt !== null) attempt.end = { at: instant(this.now), status: 'interrupted', reason: RESTARTED }
    run.leaseUntil = this.now
  }

  /** Contract, "Runs that know their goal", `resume`: a new run for the remaining turns, linked to the interrupted one. */
  #resume(world: WorldOfModel, run: RunOfModel, id: string, owner: string): void {
    const left = leftOf(world, run)
    if (left === null) return
    world.fence++
    world.runs.push({
      ...{ id, owner, ...left },
      fence: world.fence,
      leaseUntil: this.now + world.leaseTtlMs,
      startTurn: currentTurnOf(world),
      startedAt: instant(this.now),
      cancel: null,
      resumes: run.id,
      pausedUntil: run.pausedUntil,
      end: null,
    })
  }

  /** Contract truth.md, "Runs": a claimed external attempt has a grace of one lease. Contract, "Ownership". An attempt of the asking process is late, not lost. This does not apply to an external worker. */
  #reconcile({ instance, held, by, id }: Command & { do: 'reconcileRunningAttempts' }): {
    runs: number
    attempts: number
  } {
    const found = { runs: 0, attempts: 0 }
    for (const world of this.worlds) {
      const run = activeRun(world)
      const inHand = run !== null && held.includes(run.id)
      if (!this.#mayBeDue(world, instance)) continue
      const isDue =
        run !== null &&
        (run.leaseUntil <= this.now || this.#isFarAway(run.leaseUntil, world) || run.owner === instance)
      if (run !== null && !inHand && isDue && by === 'later' && leftOf(world, run) !== null) continue
      if (run !== null && !inHand && isDue) {
        found.runs++
        if (this.#endRun(world, run, 'interrupted', RESTARTED)) found.attempts++
        if (by !== null) this.#resume(world, run, id, by)
        continue
      }
      const attempt = activeAttempt(world)
      if (attempt === null) continue
      const outside = world.executor === 'external'
      if (!outside && (inHand || held.includes(attempt.id))) continue
      const left = !outside && attempt.owner === instance
      const grace = outside && attempt.owner !== null ? world.leaseTtlMs : 0
      const isHeld = attempt.leaseUntil + grace > this.now && !this.#isFarAway(attempt.leaseUntil, world)
      if (!left && isHeld) continue
      const expired = attempt.owner === null ? 'attempt was never claimed' : 'attempt lease expired'
      const reason = left ? 'process restart before attempt completed' : expired
      this.#endAttempt(world, attempt, 'interrupted', reason)
      found.attempts++
    }
    return found
  }

  /** Contract turns.md, "Errors": a run or an attempt reserves the turns above the current one. */
  #capture(
    world: WorldOfModel,
    { turn, record, supersede }: Command & { do: 'captureTurnState' },
  ): { created: boolean; superseded: boolean } {
    if (world.deleted) throw new Refusal('world_deleted')
    const stands = world.turns.get(turn)
    if (stands === record) return { created: false, superseded: false }
    if (stands !== undefined && !supersede) throw new Refusal('turn_conflict')
    if (turn > currentTurnOf(world)) refuseAtWork(world)
    world.turns.set(turn, record)
    return { created: true, superseded: stands !== undefined }
  }

  #page(
    world: WorldOfModel,
    numbered: readonly { attempt: AttemptOfModel; number: number }[],
    { limit, before }: { limit: number; before: number },
  ): { attempts: Attempt[]; next: number | null } {
    const page = numbered
      .toReversed()
      .filter(({ number }) => number < before)
      .slice(0, limit)
    const last = page.at(-1)?.number ?? 1
    return {
      attempts: page.map(({ attempt }) => attemptRow(world, attempt)),
      next: last > 1 ? last : null,
    }
  }

  #world(slug: string): WorldOfModel {
    const world = this.worlds.find((held) => held.slug === slug)
    if (world === undefined) throw new Refusal('unknown_world')
    return world
  }

  /** Returns the view of a world that callers get, or null after its deletion. */
  seen(slug: string): WorldSeen | null {
    const world = this.#world(slug)
    if (world.deleted) return null
    return {
      currentTurn: currentTurnOf(world),
      activeTurnRunId: activeRun(world)?.id ?? null,
      activeAttemptId: activeAttempt(world)?.id ?? null,
      runs: world.runs.map((run) => runRow(world, run)),
      attempts: world.attempts.map((attempt) => attemptRow(world, attempt)).reverse(),
    }
  }
}

const EXHAUSTED = 'max_attempts exhausted before requested turn_count committed'
const RESTARTED = 'process restart before turn run completed'

const currentTurnOf = ({ turns }: WorldOfModel): number => Math.max(0, ...turns.keys())
const activeRun = ({ runs }: WorldOfModel): RunOfModel | null => runs.find(({ end }) => end === null) ?? null
const activeAttempt = ({ attempts }: WorldOfModel): AttemptOfModel | null =>
  attempts.find(({ end }) => end === null) ?? null
const attemptsOf = ({ attempts }: WorldOfModel, run: RunOfModel): AttemptOfModel[] =>
  attempts.filter((attempt) => attempt.run === run.id)
const withStatus = (attempts: readonly AttemptOfModel[], status: AttemptStatus): number =>
  attempts.filter(({ end }) => end?.status === status).length

/** A clock that steps back does not shorten the time. */
const msBetween = (a: RunOfModel, b: RunOfModel): number =>
  Math.max(0, Date.parse(b.startedAt) - Date.parse(a.startedAt))

/** Counts the failed attempts since the newest commit, without interrupted ones. */
const failedInARow = (attempts: readonly AttemptOfModel[]): number =>
  withStatus(attempts.slice(attempts.findLastIndex(({ end }) => end?.status === 'committed') + 1), 'failed')

/** Returns the chain of the run, oldest first, with the run itself at the end. */
function chainOf({ runs }: WorldOfModel, run: RunOfModel): RunOfModel[] {
  const chain = [run]
  for (let at = run.resumes; at !== null; at = chain[0]?.resumes ?? null)
    chain.unshift(...runs.filter(({ id }) => id === at))
  return chain
}

/** "What is left of `turn_count` and `max_attempts`, at most 5 in a chain". An interrupted attempt does not count. */
function leftOf(world: WorldOfModel, run: RunOfModel): { turns: number; maxAttempts: number } | null {
  const attempts = attemptsOf(world, run)
  const turns = run.turns - withStatus(attempts, 'committed')
  const canSuffice = run.maxAttempts - withStatus(attempts, 'failed') >= run.turns
  const mayGoOn = world.resume === 'auto' && run.cancel === null && chainOf(world, run).length <= 5
  return mayGoOn && canSuffice
    ? { turns, maxAttempts: Math.max(turns, run.maxAttempts - attempts.length) }
    : null
}

const statusOf = ({ cancel, end }: RunOfModel): TurnRunStatus =>
  end?.status ?? (cancel === null ? 'running' : 'cancel_requested')

/** "`attempt_id` is the active attempt's id, or the run's where no attempt is active". */
function refuseAtWork(world: WorldOfModel): void {
  const run = activeRun(world)?.id ?? null
  const attempt = activeAttempt(world)?.id ?? null
  if (run === null && attempt === null) return
  throw new Refusal('busy', { attempt_id: attempt ?? run, turn_run_id: run })
}

function runOf(world: WorldOfModel, id: string): RunOfModel {
  const run = world.runs.find((held) => held.id === id)
  if (run === undefined) throw new Refusal('not_found')
  return run
}

function attemptOf(world: WorldOfModel, id: string): AttemptOfModel {
  const attempt = world.attempts.find((held) => held.id === id)
  if (attempt === undefined) throw new Refusal('not_found')
  return attempt
}

function runRow(world: WorldOfModel, run: RunOfModel): TurnRun {
  const attempts = attemptsOf(world, run)
  const chain = chainOf(world, run)
  const ofChain = chain.flatMap((one) => attemptsOf(world, one))
  const last = attempts.at(-1)
  return {
    turnRunId: run.id,
    project: world.project,
    worldSlug: world.slug,
    status: statusOf(run),
    requestedTurnCount: run.turns,
    maxAttempts: run.maxAttempts,
    turnCountSource: 'explicit',
    maxAttemptsSource: 'explicit',
    startTurn: run.startTurn,
    targetTurn: run.startTurn + run.turns,
    committedTurnCount: withStatus(attempts, 'committed'),
    attemptCount: attempts.length,
    failedAttemptCount: withStatus(attempts, 'failed'),
    interruptedAttemptCount: withStatus(attempts, 'interrupted'),
    activeAttemptId: attempts.find(({ end }) => end === null)?.id ?? null,
    lastAttemptId: last?.id ?? null,
    lastAttemptStatus: last === undefined ? null : (last.end?.status ?? 'running'),
    cancelRequestedAt: run.cancel?.at ?? null,
    cancelReason: run.cancel?.reason ?? null,
    stopReason: run.cancel?.stopReason ?? null,
    failureReason: run.end?.reason ?? null,
    nextAttemptAt: run.end === null ? run.pausedUntil : null,
    resumesRunId: run.resumes,
    resumption: chain.length - 1,
    earlierMs: chain.reduce((ms, one, i) => ms + msBetween(chain[i - 1] ?? one, one), 0),
    failedInARow: failedInARow(ofChain),
    usedTokens: ofChain.reduce((sum, { tokens }) => sum + tokens, 0),
    enqueuedAt: run.startedAt,
    startedAt: run.startedAt,
    endedAt: run.end?.at ?? null,
    fence: run.fence,
    leaseOwner: run.owner,
    leaseUntil: run.leaseUntil,
  }
}

function attemptRow(world: WorldOfModel, attempt: AttemptOfModel): Attempt {
  const { id, run, turn, record, end } = attempt
  const siblings = world.attempts.filter((other) => other.run === run)
  return {
    attemptId: id,
    project: world.project,
    worldSlug: world.slug,
    number: world.attempts.indexOf(attempt) + 1,
    status: end?.status ?? 'running',
    turnBefore: turn - 1,
    attemptedTurn: turn,
    producedTurn: end?.status === 'committed' ? turn : null,
    turnRunId: run,
    turnRunSeq: run === null ? null : siblings.indexOf(attempt) + 1,
    executor: world.executor,
    failureReason: end?.reason ?? null,
    usedTokens: attempt.tokens,
    startedAt: attempt.startedAt,
    endedAt: end?.at ?? null,
    abortRequested: attempt.abort,
    digest: record,
    fence: attempt.fence,
    leaseOwner: attempt.owner,
    leaseUntil: attempt.leaseUntil,
  }
}
