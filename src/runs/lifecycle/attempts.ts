/** Decides each step of an attempt: its start, claim, renewal and end, which it counts in its run. Pure. */
import { TurngraphError } from '../../core/errors.ts'
import { type Decision, unchanged, type View, type WorldState } from '../decision.ts'
import { type Attempt, EXHAUSTED, EXTERNAL, type TurnRun } from '../record.ts'
import { type Renewed, renewLease } from './leases.ts'
import {
  busy,
  leaseLost,
  noSuch,
  notRunning,
  refuseBeyondTheLastTurn,
  refuseDeleted,
  requireFound,
  requireOwnedAttempt,
} from './refusals.ts'

export type StartAttempt = { attemptId: string; owner: string; at: string }

export function startAttempt(view: View, command: StartAttempt): Decision<Attempt> {
  const { world, run, attempt, askedAttempt } = view
  if (askedAttempt !== null) return unchanged(askedAttempt)
  refuseDeleted(world)
  if (attempt !== null || run !== null) throw busy(world, run, attempt)
  refuseBeyondTheLastTurn(world, 1, 'world_slug')
  const started = newAttempt(view, command, null)
  return { change: { attempt: started }, answer: started }
}

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

export type Outcome =
  | { status: 'committed'; digest: string; usedTokens: number }
  | { status: 'failed'; reason: string; usedTokens: number }
  | { status: 'interrupted'; reason: string }

/** Ends an attempt. The fence decides if the result is valid, the clock only who continues. The same end may be repeated. */
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

/** Ends an active attempt and counts it once in its run: `finish_turn_run_attempt` of seed 001, steps 5 to 10. */
export function settleAttempt(
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

export function countAttempt(
  run: TurnRun,
  { status, usedTokens }: Pick<Attempt, 'status' | 'usedTokens'>,
): TurnRun {
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

/** Applies the end of an attempt. A last commit completes a run even after a cancel. With goals, the coordinator ends the run. */
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
