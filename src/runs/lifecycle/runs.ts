/** Decides each step of a turn run: its start, renewal, pause, cancellation and early end. Pure. */
import type { StopReason } from '../../rules/values.ts'
import { type BeginRun, beginRun } from '../begin-run.ts'
import { type Decision, unchanged, type View } from '../decision.ts'
import { type Attempt, isActiveRun, NEVER_CLAIMED, RESTARTED, type TurnRun } from '../record.ts'
import { countRemaining } from '../resumption.ts'
import { countAttempt, settleAttempt } from './attempts.ts'
import { type Renewed, renewLease } from './leases.ts'
import { busy, refuseBeyondTheLastTurn, refuseDeleted, requireFound, requireOwnedRun } from './refusals.ts'

export function startTurnRun(view: View, command: BeginRun): Decision<TurnRun> {
  const { world, run, attempt, askedRun } = view
  if (askedRun !== null) return unchanged(askedRun) // a repeated command whose reply was lost
  refuseDeleted(world)
  if (attempt !== null || run !== null) throw busy(world, run, attempt)
  refuseBeyondTheLastTurn(world, command.requestedTurnCount, 'turn_count')
  const started = beginRun(view, command)
  return { change: { run: started }, answer: started }
}

/** Renews the leases of a coordinator. `ownsAttempt` is false if its active attempt has ended. */
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

/** End of a run before all its turns are committed. */
type EarlyEnd = { status: 'failed' | 'interrupted'; reason: string }

/** Ends a run whose coordinator cannot continue, so that its world does not wait until the lease expires. */
export function endTurnRun(
  { attempt, askedRun }: View,
  { fence, at, ...end }: EarlyEnd & { fence: number; at: string },
): Decision<TurnRun> {
  const asked = requireFound(askedRun, 'turn run')
  return isActiveRun(asked.status)
    ? endRun(requireOwnedRun(asked, fence), attempt, end, at)
    : unchanged(asked)
}

/** Ends a run early, together with its active attempt, for the same reason. */
export function endRun(
  run: TurnRun,
  attempt: Attempt | null,
  { status, reason }: EarlyEnd,
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
 * Ends the lease of a coordinator. The next process that checks resumes the run if the world allows it; otherwise it is
 * interrupted.
 */
export function releaseTurnRun(
  { now, world, attempt, askedRun }: View,
  { fence, at }: { fence: number; at: string },
): Decision<TurnRun> {
  const asked = requireFound(askedRun, 'turn run')
  if (!isActiveRun(asked.status)) return unchanged(asked)
  const own = requireOwnedRun(asked, fence)
  const end = { status: 'interrupted', reason: RESTARTED } as const
  const { change, answer: interrupted } = endRun(own, attempt, end, at)
  if (countRemaining(world, own, interrupted) === null) return { change, answer: interrupted }
  const { status, failureReason, nextAttemptAt, endedAt } = own
  const released: TurnRun = { ...interrupted, status, failureReason, nextAttemptAt, endedAt, leaseUntil: now }
  return { change: { ...change, run: released }, answer: released }
}
