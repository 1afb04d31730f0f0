/** Makes the record of a new turn run, either started by a caller or resuming another run. Pure. */
import type { View } from './decision.ts'
import type { RunCounts, TurnRun } from './record.ts'

export type BeginRun = RunCounts & { turnRunId: string; owner: string; at: string }

export const beginRun = ({ now, world }: View, { at, owner, ...request }: BeginRun): TurnRun => ({
  ...request,
  project: world.project,
  worldSlug: world.slug,
  status: 'running',
  startTurn: world.currentTurn,
  targetTurn: world.currentTurn + request.requestedTurnCount,
  committedTurnCount: 0,
  attemptCount: 0,
  failedAttemptCount: 0,
  interruptedAttemptCount: 0,
  activeAttemptId: null,
  lastAttemptId: null,
  lastAttemptStatus: null,
  cancelRequestedAt: null,
  cancelReason: null,
  stopReason: null,
  failureReason: null,
  nextAttemptAt: null,
  resumesRunId: null,
  resumption: 0,
  earlierMs: 0,
  failedInARow: 0,
  usedTokens: 0,
  enqueuedAt: at,
  startedAt: at,
  endedAt: null,
  fence: world.fence + 1,
  leaseOwner: owner,
  leaseUntil: now + world.leaseTtlMs,
})
