/** Resumes an interrupted turn run if its world allows it (contract: runs.md, "Runs that know their goal"). Pure. */
import { beginRun } from './begin-run.ts'
import type { View, WorldState } from './decision.ts'
import { RUN_LIMITS, type TurnRun } from './record.ts'

/** Counts what remains. An attempt that a restart interrupted counts, too, but each turn to commit keeps at least one attempt. */
export function countRemaining(
  { resume, deleted }: WorldState,
  before: TurnRun,
  { requestedTurnCount, maxAttempts, attemptCount, ...run }: TurnRun,
): { requestedTurnCount: number; maxAttempts: number } | null {
  const turns = requestedTurnCount - run.committedTurnCount
  const attempts = maxAttempts - run.committedTurnCount - run.failedAttemptCount
  const isWanted = resume === 'auto' && !deleted && before.status === 'running'
  if (!isWanted || run.resumption >= RUN_LIMITS.resumptions || attempts < turns) return null
  return { requestedTurnCount: turns, maxAttempts: Math.max(turns, maxAttempts - attemptCount) }
}

export type ResumeAs = {
  turnRunId: string
  owner: string
  /** A run whose executor is missing here is interrupted without a resumption, so that it does not block its world. */
  canExecute: (executor: string) => boolean
}

/** Makes the run that resumes an interrupted one. The usage of the interrupted run still counts. */
export function resumeRun(
  view: View,
  before: TurnRun,
  interrupted: TurnRun,
  { turnRunId, owner, canExecute }: ResumeAs,
  at: string,
): TurnRun | null {
  const remaining = countRemaining(view.world, before, interrupted)
  if (remaining === null || !canExecute(view.world.executor)) return null
  const { turnCountSource, maxAttemptsSource, failedInARow, usedTokens } = interrupted
  return {
    ...beginRun(view, { turnRunId, owner, ...remaining, turnCountSource, maxAttemptsSource, at }),
    nextAttemptAt: before.nextAttemptAt,
    resumesRunId: interrupted.turnRunId,
    resumption: interrupted.resumption + 1,
    earlierMs: interrupted.earlierMs + Math.max(0, Date.parse(at) - Date.parse(interrupted.startedAt)),
    failedInARow,
    usedTokens,
  }
}
