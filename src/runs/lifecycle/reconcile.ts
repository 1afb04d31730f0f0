/** Ends runs and attempts after a restart or the loss of a worker, and computes the values of their world. Pure. */
import { type Change, type Decision, unchanged, type View } from '../decision.ts'
import {
  ATTEMPT_RESTARTED,
  type Attempt,
  EXTERNAL,
  isActiveRun,
  LEASE_EXPIRED,
  NEVER_CLAIMED,
  RESTARTED,
  type TurnRun,
} from '../record.ts'
import { countRemaining, type ResumeAs, resumeRun } from '../resumption.ts'
import { settleAttempt } from './attempts.ts'
import { dueAt, isExpired, isTooFarAway } from './leases.ts'
import { endRun } from './runs.ts'

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
