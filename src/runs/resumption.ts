/** Resumes an interrupted turn run where its world says so (contract: runs.md, "Runs that know their goal"). Pure. */
import { beginRun } from './begin-run.ts'
import type { View, WorldState } from './decision.ts'
import { RUN_LIMITS, type TurnRun } from './record.ts'

/**
 * What is left to do of an interrupted run; null where no run resumes it. An attempt that a restart interrupted counts
 * like any other, but leaves as many as there are turns to commit.
 */
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
  /** What nobody here can do is interrupted for good: no world waits for it. */
  canExecute: (executor: string) => boolean
}

/** The run that resumes an interrupted one: what that one used up is used up. */
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
