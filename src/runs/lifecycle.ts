// Decides every step of turn runs and attempts with pure functions. The input is the state of a world under its lock. The result is
// the records to write, or an error with the reason. The checks follow the order of seed 001. `turn-run-store.ts` reads and writes
// in one transaction. Ids, instants and the database's clock are parameters.
import { invalidField, TurngraphError } from '../core/errors.ts'
import { LIMITS } from '../core/fields.ts'
import { worldAtWork, worldDeleted } from '../memory/scope/world-errors.ts'
import type { StopReason } from '../rules/values.ts'
import { type BeginRun, beginRun } from './begin-run.ts'
import { type Change, type Decision, unchanged, type View, type WorldState } from './decision.ts'
import { type Attempt, isActiveRun, type TurnRun } from './record.ts'
import { countRemaining, type ResumeAs, resumeRun } from './resumption.ts'

export const EXHAUSTED = 'max_attempts exhausted before requested turn_count committed'
export const RESTARTED = 'process restart before turn run completed'
export const ATTEMPT_RESTARTED = 'process restart before attempt completed'
export const LEASE_EXPIRED = 'attempt lease expired'
export const NEVER_CLAIMED = 'attempt was never claimed'

/** The executor of turns whose work external workers do. Attempts of all other executors are claimed when they start. */
export const EXTERNAL = 'external'

export function startTurnRun(view: View, command: BeginRun): Decision<TurnRun> {
  const { world, run, attempt, askedRun } = view
  if (askedRun !== null) return unchanged(askedRun) // a repeated command whose reply was lost
  refuseDeleted(world)
  if (attempt !== null || run !== null) throw busy(world, run, attempt)
  refuseBeyondTheLastTurn(world, command.requestedTurnCount, 'turn_count')
  const started = beginRun(view, command)
  return { change: { run: started }, answer: started }
}

export type StartAttempt = { attemptId: string; owner: string; at: string }

/** Starts a single attempt that does not belong to a run. */
export function startAttempt(view: View, command: StartAttempt): Decision<Attempt> {
  const { world, run, attempt, askedAttempt } = view
  if (askedAttempt !== null) return unchanged(askedAttempt)
  refuseDeleted(world)
  if (attempt !== null || run !== null) throw busy(world, run, attempt)
  refuseBeyondTheLastTurn(world, 1, 'world_slug')
  const started = newAttempt(view, command, null)
  return { change: { attempt: started }, answer: started }
}

/** Starts the next attempt of a run, for the coordinator that holds its lease. */
export function startAttemptForTurnRun(
  view: View,
  { fence, ...command }: StartAttempt & { fence: number },
): Decision<Attempt> {
  const { world, run, attempt, askedRun, askedAttempt } = view
  if (askedAttempt !== null) return unchanged(askedAttempt)
  const asked = requireFound(askedRun, 'turn run')
  if (asked.status !== 'running') throw notRunning(asked)
  if (run?.turnRunId !== asked.turnRunId) throw busy(world, run, attempt)
  if (asked.fence !== fence) throw leaseLost(`Turn run ${asked.turnRunId} has another coordinator.`)
  if (attempt !== null) throw busy(world, run, attempt)
  if (asked.attemptCount >= asked.maxAttempts) throw notRunning(asked)
  refuseDeleted(world)
  const started = newAttempt(view, command, asked)
  const next: TurnRun = {
    ...asked,
    activeAttemptId: started.attemptId,
    lastAttemptId: started.attemptId,
    lastAttemptStatus: 'running',
    attemptCount: asked.attemptCount + 1,
    nextAttemptAt: null,
  }
  return { change: { run: next, attempt: started }, answer: started }
}

function newAttempt(
  { now, world }: View,
  { attemptId, owner, at }: StartAttempt,
  run: TurnRun | null,
): Attempt {
  // An external worker claims its attempt within the lease. All other attempts are active immediately.
  const claimed = world.executor !== EXTERNAL
  return {
    attemptId,
    project: world.project,
    worldSlug: world.slug,
    number: world.attemptCount + 1,
    status: 'running',
    turnBefore: world.currentTurn,
    attemptedTurn: world.currentTurn + 1,
    producedTurn: null,
    turnRunId: run?.turnRunId ?? null,
    turnRunSeq: run === null ? null : run.attemptCount + 1,
    executor: world.executor,
    failureReason: null,
    usedTokens: 0,
    startedAt: at,
    endedAt: null,
    abortRequested: false,
    digest: null,
    fence: claimed ? world.fence + 1 : null,
    leaseOwner: claimed ? owner : null,
    leaseUntil: now + world.leaseTtlMs,
  }
}

/** Gives an external attempt to a worker. A second claim of the same worker has the same result. */
export function claimAttempt({ now, world, run, askedAttempt }: View, workerId: string): Decision<Attempt> {
  const asked = requireFound(askedAttempt, 'attempt')
  if (asked.status !== 'running') throw leaseLost(`Attempt ${asked.attemptId} is ${asked.status}.`)
  if (asked.executor === EXTERNAL && asked.leaseOwner === workerId) return unchanged(asked)
  if (asked.fence !== null) throw busy(world, run, asked)
  const claimed: Attempt = {
    ...asked,
    fence: world.fence + 1,
    leaseOwner: workerId,
    leaseUntil: now + world.leaseTtlMs,
  }
  return { change: { attempt: claimed }, answer: claimed }
}

export type Renewed = { leaseUntil: number; cancelRequested: boolean; abortRequested: boolean }

/** Longest time between the clock of a transaction and its write. Another renewal may set a later lease in between. */
const CLOCK_TOLERANCE_MS = 30_000

/** A lease that ends later than its time to live was set before the clock jumped back, and was not renewed since. */
const isTooFarAway = (leaseUntil: number, now: number, ttlMs: number): boolean =>
  leaseUntil > now + ttlMs + CLOCK_TOLERANCE_MS

const isExpired = (leaseUntil: number, now: number, ttlMs: number): boolean =>
  leaseUntil <= now || isTooFarAway(leaseUntil, now, ttlMs)

/**
 * Checks the lease times that a world stores. If one may be due, its run and its attempt must be read. A
 * claimed external attempt has one additional lease time (dueAt).
 */
export const mayBeDue = (
  kept: { leaseUntil: number; leaseOwners: readonly string[]; leaseTtlMs: number; now: number },
  formerLifeOf: string | null,
): boolean =>
  isExpired(kept.leaseUntil, kept.now, 2 * kept.leaseTtlMs) ||
  kept.leaseOwners.some((owner) => owner === formerLifeOf)

const renewLease = (leaseUntil: number, now: number, ttlMs: number): number =>
  isTooFarAway(leaseUntil, now, ttlMs) ? now + ttlMs : Math.max(leaseUntil, now + ttlMs)

/** Renews the lease of an attempt for its owner. It never shortens the lease, because the clock may be old after a wait. */
export function heartbeatAttempt({ now, world, run, askedAttempt }: View, fence: number): Decision<Renewed> {
  const asked = requireOwnedAttempt(askedAttempt, fence)
  const leaseUntil = renewLease(asked.leaseUntil, now, world.leaseTtlMs)
  return {
    change: { attempt: { ...asked, leaseUntil } },
    answer: {
      leaseUntil,
      cancelRequested: run !== null && run.turnRunId === asked.turnRunId && run.status === 'cancel_requested',
      abortRequested: asked.abortRequested,
    },
  }
}

/**
 * Renews the lease of a run for its coordinator, and of the active attempt that the coordinator executes.
 * `ownsAttempt` is false if that attempt has ended.
 */
export function renewTurnRun(
  { now, world, attempt, askedRun }: View,
  { fence, attemptFence }: { fence: number; attemptFence: number | null },
): Decision<Renewed & { ownsAttempt: boolean }> {
  const asked = requireOwnedRun(askedRun, fence)
  const leaseUntil = renewLease(asked.leaseUntil, now, world.leaseTtlMs)
  const own = attempt !== null && attemptFence !== null && attempt.fence === attemptFence ? attempt : null
  return {
    change: {
      run: { ...asked, leaseUntil },
      ...(own !== null && {
        attempt: {
          ...own,
          leaseUntil: Math.max(leaseUntil, renewLease(own.leaseUntil, now, world.leaseTtlMs)),
        },
      }),
    },
    answer: {
      leaseUntil,
      cancelRequested: asked.status === 'cancel_requested',
      abortRequested: own?.abortRequested ?? false,
      ownsAttempt: own !== null,
    },
  }
}

export type Outcome =
  | { status: 'committed'; digest: string; usedTokens: number }
  | { status: 'failed'; reason: string; usedTokens: number }
  | { status: 'interrupted'; reason: string }

/**
 * Ends an attempt for its owner. An expired fence counts until another owner takes over: the fence decides
 * which result is valid, the clock only who continues. The same end again has the same result.
 */
export function endAttempt(
  { askedAttempt, run, world }: View,
  { fence, outcome, at }: { fence: number; outcome: Outcome; at: string },
): Decision<Attempt> {
  const asked = requireFound(askedAttempt, 'attempt')
  if (asked.fence === fence && asked.status === outcome.status) {
    if (outcome.status !== 'committed' || outcome.digest === asked.digest) return unchanged(asked)
    throw new TurngraphError('turn_conflict', `Attempt ${asked.attemptId} has committed another record.`, {
      hint: 'A commit may be repeated with the same record only.',
      details: { attempt_id: asked.attemptId, turn_number: asked.producedTurn },
    })
  }
  return settleAttempt(requireOwnedAttempt(asked, fence), { run, world }, outcome, at)
}

/** Rejects a turn number that the attempt did not try, because it would break the chain of turns. */
export function refuseOtherTurn({ attemptId, attemptedTurn }: Attempt, turnNumber: number): void {
  if (turnNumber === attemptedTurn) return
  throw invalidField('turn_number', `must be ${attemptedTurn}, the turn that attempt ${attemptId} tries`)
}

/** Ends an active attempt and counts it once in its run: `finish_turn_run_attempt` of seed 001, steps 5 to 10. */
function settleAttempt(
  attempt: Attempt,
  { run, world }: Pick<View, 'run' | 'world'>,
  outcome: Outcome,
  at: string,
): Decision<Attempt> {
  const ended: Attempt = {
    ...attempt,
    status: outcome.status,
    endedAt: at,
    producedTurn: outcome.status === 'committed' ? attempt.attemptedTurn : null,
    digest: outcome.status === 'committed' ? outcome.digest : null,
    failureReason: outcome.status === 'committed' ? null : outcome.reason,
    usedTokens: outcome.status === 'interrupted' ? 0 : outcome.usedTokens,
  }
  const ofRun = run !== null && run.turnRunId === attempt.turnRunId ? run : null
  const next = ofRun === null ? null : afterAttempt(countAttempt(ofRun, ended), world, at)
  return { change: { attempt: ended, ...(next !== null && { run: next }) }, answer: ended }
}

function countAttempt(run: TurnRun, { status, usedTokens }: Pick<Attempt, 'status' | 'usedTokens'>): TurnRun {
  return {
    ...run,
    activeAttemptId: null,
    lastAttemptStatus: status,
    committedTurnCount: run.committedTurnCount + (status === 'committed' ? 1 : 0),
    failedAttemptCount: run.failedAttemptCount + (status === 'failed' ? 1 : 0),
    interruptedAttemptCount: run.interruptedAttemptCount + (status === 'interrupted' ? 1 : 0),
    // An interruption is neither a failure nor a success.
    failedInARow: status === 'committed' ? 0 : run.failedInARow + (status === 'failed' ? 1 : 0),
    usedTokens: run.usedTokens + usedTokens,
  }
}

/**
 * Applies the seed's steps 7 to 10 in their order: a last commit completes a run even after a cancel. In a world with goals a run
 * stays active after its last attempt until its coordinator has checked the goals (`goals.ts`).
 */
function afterAttempt(run: TurnRun, { hasGoals }: WorldState, at: string): TurnRun {
  if (run.committedTurnCount === run.requestedTurnCount) return { ...run, status: 'completed', endedAt: at }
  if (run.status === 'cancel_requested') return { ...run, status: 'cancelled', endedAt: at }
  if (run.attemptCount >= run.maxAttempts && !hasGoals) {
    return { ...run, status: 'failed', endedAt: at, failureReason: EXHAUSTED }
  }
  return run
}

/** The seed's separate call. The end of an attempt already counted it, so this returns the run unchanged. */
export function finishTurnRunAttempt(run: TurnRun, attempt: Attempt): TurnRun {
  if (attempt.turnRunId !== run.turnRunId) throw noSuch('attempt')
  if (attempt.status !== 'running') return run
  throw new TurngraphError('busy', `Attempt ${attempt.attemptId} is still running.`, {
    hint: 'Commit it or fail it first.',
    details: { attempt_id: attempt.attemptId, turn_run_id: run.turnRunId },
  })
}

export type Cancel = { reason: string; stopReason: StopReason | null; abort: boolean; at: string }

/** Cancels a run: its attempt finishes or is aborted. The first reason is kept. */
export function requestTurnRunCancel({ askedRun, attempt, world }: View, cancel: Cancel): Decision<TurnRun> {
  const asked = requireFound(askedRun, 'turn run')
  if (!isActiveRun(asked.status)) return unchanged(asked)
  const own = attempt !== null && attempt.turnRunId === asked.turnRunId ? attempt : null
  const aborted =
    cancel.abort && own !== null && !own.abortRequested ? { ...own, abortRequested: true } : null
  const requested: TurnRun =
    asked.cancelRequestedAt === null
      ? {
          ...asked,
          status: 'cancel_requested',
          cancelRequestedAt: cancel.at,
          cancelReason: cancel.reason,
          stopReason: cancel.stopReason,
        }
      : asked
  if (cancel.abort && own !== null && own.fence === null) {
    // The attempt is not claimed, so the run need not wait for it.
    const { change } = settleAttempt(
      own,
      { run: requested, world },
      { status: 'interrupted', reason: NEVER_CLAIMED },
      cancel.at,
    )
    return { change, answer: change?.run ?? requested }
  }
  const next = own === null ? cancelRun(requested, cancel.at) : requested
  const change = { run: next, ...(aborted !== null && { attempt: aborted }) }
  return { change: next === asked && aborted === null ? null : change, answer: next }
}

export function finalizeCancelledTurnRunIfIdle({ askedRun }: View, at: string): Decision<TurnRun> {
  const asked = requireFound(askedRun, 'turn run')
  if (asked.status !== 'cancel_requested' || asked.activeAttemptId !== null) return unchanged(asked)
  const next = cancelRun(asked, at)
  return { change: { run: next }, answer: next }
}

const cancelRun = (run: TurnRun, at: string): TurnRun => ({
  ...run,
  status: 'cancelled',
  nextAttemptAt: null,
  endedAt: at,
})

/** Pauses a run after a failed attempt. Does nothing if the run has an active attempt. */
export function pauseTurnRun(
  { askedRun }: View,
  { fence, nextAttemptAt }: { fence: number; nextAttemptAt: string },
): Decision<TurnRun> {
  const asked = requireOwnedRun(askedRun, fence)
  if (asked.activeAttemptId !== null) return unchanged(asked)
  const next: TurnRun = { ...asked, nextAttemptAt }
  return { change: { run: next }, answer: next }
}

/** Fails a run whose coordinator cannot continue, because of a persistent store error. */
export function failTurnRun(
  { attempt, askedRun }: View,
  { fence, reason, at }: { fence: number; reason: string; at: string },
): Decision<TurnRun> {
  const asked = requireFound(askedRun, 'turn run')
  if (!isActiveRun(asked.status)) return unchanged(asked)
  return endRun(requireOwnedRun(asked, fence), attempt, { status: 'failed', reason }, at)
}

/** Interrupts the run of a coordinator that ends, so that its world does not wait until the lease expires. */
export function handBackTurnRun(
  { attempt, askedRun }: View,
  { fence, at }: { fence: number; at: string },
): Decision<TurnRun> {
  const asked = requireFound(askedRun, 'turn run')
  if (!isActiveRun(asked.status)) return unchanged(asked)
  return endRun(requireOwnedRun(asked, fence), attempt, { status: 'interrupted', reason: RESTARTED }, at)
}

/** Ends a run early, together with its active attempt, for the same reason. */
function endRun(
  run: TurnRun,
  attempt: Attempt | null,
  { status, reason }: { status: 'failed' | 'interrupted'; reason: string },
  at: string,
): Decision<TurnRun> {
  const own = attempt !== null && attempt.turnRunId === run.turnRunId ? attempt : null
  const gone: Attempt | null =
    own === null ? null : { ...own, status: 'interrupted', endedAt: at, failureReason: reason }
  const next: TurnRun = {
    ...(gone === null ? run : countAttempt(run, gone)),
    status,
    failureReason: reason,
    nextAttemptAt: null,
    endedAt: at,
  }
  return { change: { run: next, ...(gone !== null && { attempt: gone }) }, answer: next }
}

/**
 * Ends the lease of a coordinator that ends. In a world whose runs are resumed, the next process that checks
 * resumes the run. Any other run is interrupted.
 */
export function releaseTurnRun(view: View, command: { fence: number; at: string }): Decision<TurnRun> {
  const { now, world, askedRun } = view
  const asked = requireFound(askedRun, 'turn run')
  if (!isActiveRun(asked.status)) return unchanged(asked)
  const own = requireOwnedRun(asked, command.fence)
  const { change, answer: interrupted } = handBackTurnRun(view, command)
  if (countRemaining(world, own, interrupted) === null) return { change, answer: interrupted }
  const { status, failureReason, nextAttemptAt, endedAt } = own
  const released: TurnRun = { ...interrupted, status, failureReason, nextAttemptAt, endedAt, leaseUntil: now }
  return { change: { ...change, run: released }, answer: released }
}

export type Reconcile = {
  /** Set at start: the runs and attempts of this instance from before its restart have certainly ended. */
  formerLifeOf: string | null
  /** The ids of the runs and single attempts that this process executes. */
  executing: ReadonlySet<string>
  /** The process that resumes interrupted runs. `later`: another process, so the run is kept. Null: runs are not resumed. */
  resumeAs: ResumeAs | 'later' | null
  at: string
}

export type Reconciled = {
  interruptedRun: string | null
  interruptedAttempt: string | null
  resuming: TurnRun | null
}

const NOTHING_DUE: Reconciled = { interruptedRun: null, interruptedAttempt: null, resuming: null }

/** Ends abandoned runs and attempts. A lost run ends with its attempt; a lost worker loses only its attempt. */
export function reconcile(
  view: View,
  { formerLifeOf, executing, resumeAs, at }: Reconcile,
): Decision<Reconciled> {
  const { now, run, attempt } = view
  const isHere = resumeAs !== null && resumeAs !== 'later'
  if (run !== null && isHere && run.turnRunId === resumeAs.turnRunId)
    return unchanged({ ...NOTHING_DUE, interruptedRun: run.resumesRunId, resuming: run }) // a repeated command whose reply was lost
  const isExecuting = run !== null && executing.has(run.turnRunId)
  if (
    run !== null &&
    !isExecuting &&
    (isExpired(run.leaseUntil, now, view.world.leaseTtlMs) || run.leaseOwner === formerLifeOf)
  ) {
    const { change, answer } = endRun(run, attempt, { status: 'interrupted', reason: RESTARTED }, at)
    if (resumeAs === 'later' && countRemaining(view.world, run, answer) !== null)
      return unchanged(NOTHING_DUE)
    // In the same transaction as the interruption, so that a kill can neither lose nor duplicate the new run.
    const resuming = isHere ? resumeRun(view, run, answer, resumeAs, at) : null
    return {
      change: { ...change, ...(resuming !== null && { resuming }) },
      answer: {
        interruptedRun: run.turnRunId,
        interruptedAttempt: change?.attempt?.attemptId ?? null,
        resuming,
      },
    }
  }
  const executedHere =
    attempt?.executor !== EXTERNAL && (isExecuting || executing.has(attempt?.attemptId ?? ''))
  if (attempt === null || executedHere) return unchanged(NOTHING_DUE)
  const reason = overdueReason(attempt, view, formerLifeOf)
  if (reason === null) return unchanged(NOTHING_DUE)
  const { change } = settleAttempt(attempt, view, { status: 'interrupted', reason }, at)
  return { change, answer: { ...NOTHING_DUE, interruptedAttempt: attempt.attemptId } }
}

function overdueReason(attempt: Attempt, { now, world }: View, formerLifeOf: string | null): string | null {
  if (attempt.executor !== EXTERNAL && attempt.leaseOwner === formerLifeOf) return ATTEMPT_RESTARTED
  const isFarAway = isTooFarAway(attempt.leaseUntil, now, world.leaseTtlMs)
  if (dueAt(attempt, world) > now && !isFarAway) return null
  return attempt.fence === null ? NEVER_CLAIMED : LEASE_EXPIRED
}

/**
 * Computes when an attempt is interrupted, in epoch milliseconds. An external worker has one additional lease
 * time, so that a laptop that slept past its lease keeps its turn.
 */
const dueAt = ({ executor, fence, leaseUntil }: Attempt, { leaseTtlMs }: WorldState): number =>
  executor === EXTERNAL && fence !== null ? leaseUntil + leaseTtlMs : leaseUntil

/** Computes the values that a world stores about its run and attempt. They show in one read whether anything is due. */
export function worldAfter(
  { world, run, attempt }: Pick<View, 'world' | 'run' | 'attempt'>,
  change: NonNullable<Change>,
): {
  activeRunId: string | null
  activeAttemptId: string | null
  leased: boolean | null
  leaseUntil: number | null
  leaseOwners: string[] | null
  fence: number
  attemptCount: number
} {
  const nextRun = change.resuming ?? change.run ?? run
  const nextAttempt = change.attempt ?? attempt
  const active = [
    ...(nextRun !== null && isActiveRun(nextRun.status) ? [nextRun] : []),
    ...(nextAttempt?.status === 'running'
      ? [{ leaseOwner: nextAttempt.leaseOwner, leaseUntil: dueAt(nextAttempt, world) }]
      : []),
  ]
  const leased = active.length > 0
  return {
    activeRunId: nextRun !== null && isActiveRun(nextRun.status) ? nextRun.turnRunId : null,
    activeAttemptId: nextAttempt?.status === 'running' ? nextAttempt.attemptId : null,
    leased: leased || null,
    leaseUntil: leased ? Math.min(...active.map(({ leaseUntil }) => leaseUntil)) : null,
    leaseOwners: leased
      ? active.flatMap(({ leaseOwner }) => (leaseOwner === null ? [] : [leaseOwner]))
      : null,
    fence: Math.max(world.fence, nextRun?.fence ?? 0, nextAttempt?.fence ?? 0),
    attemptCount: Math.max(world.attemptCount, nextAttempt?.number ?? 0),
  }
}

function requireFound<T>(found: T | null, what: 'attempt' | 'turn run'): T {
  if (found === null) throw noSuch(what)
  return found
}

function requireOwnedAttempt(attempt: Attempt | null, fence: number): Attempt {
  const found = requireFound(attempt, 'attempt')
  if (found.status !== 'running') throw leaseLost(`Attempt ${found.attemptId} is ${found.status}.`)
  if (found.fence !== fence) throw leaseLost(`Attempt ${found.attemptId} is not held with fence ${fence}.`)
  return found
}

function requireOwnedRun(run: TurnRun | null, fence: number): TurnRun {
  const found = requireFound(run, 'turn run')
  if (!isActiveRun(found.status)) throw leaseLost(`Turn run ${found.turnRunId} is ${found.status}.`)
  if (found.fence !== fence) throw leaseLost(`Turn run ${found.turnRunId} has another coordinator.`)
  return found
}

const refuseDeleted = ({ deleted, slug }: WorldState): void => {
  if (deleted) throw worldDeleted(slug)
}

export const noSuch = (what: 'attempt' | 'turn run'): TurngraphError =>
  new TurngraphError('not_found', `There is no such ${what} here.`, {
    hint: 'Check its id, its world and the project of this connection; list_attempts lists the attempts of a world.',
  })

const leaseLost = (message: string): TurngraphError =>
  new TurngraphError('lease_lost', message, {
    hint: 'Stop: writes of this owner are not accepted any more.',
  })

function notRunning(run: TurnRun): TurngraphError {
  const { turnRunId, status, attemptCount, maxAttempts, activeAttemptId } = run
  const message =
    status === 'running'
      ? `Turn run ${turnRunId} has made ${maxAttempts === 1 ? 'its only attempt' : `all of its ${maxAttempts} attempts`} (${attemptCount}).`
      : `Turn run ${turnRunId} is ${status}: it starts no further attempt.`
  return new TurngraphError('busy', message, {
    hint: 'get_turn_run_status shows how it ended.',
    details: { attempt_id: activeAttemptId ?? turnRunId, turn_run_id: turnRunId },
  })
}

function refuseBeyondTheLastTurn({ currentTurn, slug }: WorldState, count: number, path: string): void {
  if (currentTurn + count <= LIMITS.turnNumber) return
  const message = `would go beyond turn ${LIMITS.turnNumber}: world ${slug} is at turn ${currentTurn}`
  throw invalidField(path, message, { hint: 'Create another world of the task.' })
}

const busy = ({ slug }: WorldState, run: TurnRun | null, attempt: Attempt | null): TurngraphError =>
  worldAtWork(slug, { activeRunId: run?.turnRunId ?? null, activeAttemptId: attempt?.attemptId ?? null })
