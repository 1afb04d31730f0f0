// Converts turn runs and attempts to answers for callers, with the fields and sentences of seed 001.

import * as z from 'zod'
import { toInstant } from '../core/instants.ts'
import { page } from '../core/pages.ts'
import { plural } from '../core/plural.ts'
import { type ContinuationContext, continuationContext } from '../memory/context/continuation.ts'
import { cutLine } from '../rules/cut-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { ATTEMPT_STATUSES, COUNT_SOURCES, STOP_REASONS, TURN_RUN_STATUSES } from '../rules/values.ts'
import type { Renewed } from './lifecycle/leases.ts'
import { type Attempt, isActiveRun, type RunCounts, type TurnRun } from './record.ts'

const pollAttempt = z.object({
  tool: z.literal('get_turn_status'),
  args: z.object({ worldSlug: z.string(), attemptId: z.string() }),
})
const ofRun = z.object({ worldSlug: z.string(), turnRunId: z.string() })
const pollRun = z.object({ tool: z.literal('get_turn_run_status'), args: ofRun })
const listAttempts = z.object({ tool: z.literal('list_attempts'), args: ofRun })

/** The answer of `run_turn`: an `attemptId` if it started a single attempt, a `turnRunId` if it started a run. */
export const runTurnAnswer = z.object({
  runMode: z.enum(['single_attempt', 'turn_run']),
  message: z.string(),
  worldSlug: z.string(),
  attemptId: z.string().optional(),
  turnRunId: z.string().optional(),
  status: z.string(),
  turnBefore: z.number().optional(),
  attemptedTurn: z.number().optional(),
  turnCount: z.number(),
  turnCountSource: z.enum(COUNT_SOURCES),
  turnCountHint: z.string(),
  maxAttempts: z.number(),
  maxAttemptsSource: z.enum(COUNT_SOURCES),
  maxAttemptsHint: z.string(),
  startTurn: z.number().optional(),
  targetTurn: z.number().optional(),
  pollWith: z.object({
    tool: z.enum(['get_turn_status', 'get_turn_run_status']),
    args: z.object({
      worldSlug: z.string(),
      attemptId: z.string().optional(),
      turnRunId: z.string().optional(),
    }),
  }),
  listAttemptsWith: listAttempts.optional(),
})

export type RunTurnAnswer = z.output<typeof runTurnAnswer>

export type Counts = Omit<RunCounts, 'requestedTurnCount'> & { turnCount: number }

export function singleAttemptAnswer(attempt: Attempt, counts: Counts): RunTurnAnswer {
  const { attemptId, worldSlug, status, turnBefore, attemptedTurn } = attempt
  return {
    runMode: 'single_attempt',
    message: `Started one attempt at turn ${attemptedTurn} of world ${worldSlug}.`,
    worldSlug,
    attemptId,
    status,
    turnBefore,
    attemptedTurn,
    ...counts,
    turnCountHint:
      counts.turnCountSource === 'default'
        ? 'No turn_count was supplied; run_turn defaulted to turn_count=1 and started one single-turn attempt.'
        : 'turn_count was supplied as 1; run_turn started one single-turn attempt.',
    maxAttemptsHint: maxAttemptsHint(counts),
    pollWith: pollAttemptWith(worldSlug, attemptId),
  }
}

type StartedRun = Pick<TurnRun, 'turnRunId' | 'worldSlug' | 'status' | 'startTurn' | 'targetTurn'>

export function turnRunAnswer(run: StartedRun, counts: Counts): RunTurnAnswer {
  const { turnRunId, worldSlug, status, startTurn, targetTurn } = run
  const target = `started a turn run targeting ${counts.turnCount} committed turn(s).`
  return {
    runMode: 'turn_run',
    message: `Started a turn run of world ${worldSlug}, from turn ${startTurn} to turn ${targetTurn}.`,
    worldSlug,
    turnRunId,
    status,
    ...counts,
    turnCountHint:
      counts.turnCountSource === 'default'
        ? `No turn_count was supplied; run_turn defaulted to turn_count=1 and ${target}`
        : `turn_count was supplied as ${counts.turnCount}; run_turn ${target}`,
    maxAttemptsHint: maxAttemptsHint(counts),
    startTurn,
    targetTurn,
    pollWith: { tool: 'get_turn_run_status', args: { worldSlug, turnRunId } },
    listAttemptsWith: listAttemptsWith(run),
  }
}

const maxAttemptsHint = ({ turnCount, maxAttempts, maxAttemptsSource }: Counts): string =>
  maxAttemptsSource === 'default'
    ? `No max_attempts was supplied; max_attempts defaulted to turn_count (${turnCount}).`
    : `max_attempts was supplied as ${maxAttempts}; the turn run will stop after at most ${maxAttempts} attempt(s).`

const pollAttemptWith = (worldSlug: string, attemptId: string) => ({
  tool: 'get_turn_status' as const,
  args: { worldSlug, attemptId },
})

const listAttemptsWith = ({ worldSlug, turnRunId }: Pick<TurnRun, 'worldSlug' | 'turnRunId'>) => ({
  tool: 'list_attempts' as const,
  args: { worldSlug, turnRunId },
})

export const attemptSummary = z.object({
  attemptId: z.string(),
  turnRunId: z.string().nullable(),
  turnRunSeq: z.number().nullable(),
  status: z.enum(ATTEMPT_STATUSES),
  turnBefore: z.number(),
  attemptedTurn: z.number(),
  producedTurn: z.number().nullable(),
  failureReason: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
})

export const summarizeAttempt = (attempt: Attempt): z.output<typeof attemptSummary> =>
  attemptSummary.parse(attempt)

export const attemptList = page(attemptSummary).describe('newest first')

/** Answer of `list_attempts` in MCP, with the keys of seed 001. */
export const attemptsOfTool = z.object({
  worldSlug: z.string(),
  turnRunId: z.string().nullable(),
  attempts: z.array(attemptSummary).describe('newest first'),
})

const leaseEnd = z.iso.datetime()
const toLeaseEnd = (epochMs: number): string => toInstant(new Date(epochMs))

const lease = z.object({
  owner: z.string().nullable().describe('the worker; null if the attempt is not claimed yet'),
  until: leaseEnd.describe(
    "by the database's clock; then the run or attempt is interrupted unless it is renewed; an external attempt one lease time later",
  ),
  fence: z.number().nullable().describe('only of an attempt, and only for the worker that claimed it'),
})

const viewLease = ({ leaseOwner, leaseUntil, fence }: Attempt | TurnRun): z.output<typeof lease> => ({
  owner: leaseOwner,
  until: toLeaseEnd(leaseUntil),
  fence,
})

export const turnStatus = z.object({
  message: z.string(),
  worldSlug: z.string(),
  ...attemptSummary.shape,
  executor: z.string(),
  lease: lease.nullable().describe('null once the attempt has ended'),
  pollWith: pollAttempt.nullable().describe('null once the attempt has ended'),
})

/** Shows an attempt. Only the `worker` that holds it sees the fence, with which the worker can end it. */
export function viewTurnStatus(attempt: Attempt, worker: string | null = null): z.output<typeof turnStatus> {
  const { worldSlug, attemptId, status, attemptedTurn, failureReason, executor } = attempt
  const ownFence = worker !== null && worker === attempt.leaseOwner ? attempt.fence : null
  const how = failureReason === null ? '' : `: ${shorten(failureReason)}`
  const is = status === 'running' ? 'is running' : `${status === 'committed' ? 'has ' : 'was '}${status}`
  return {
    ...summarizeAttempt(attempt),
    message: `The attempt at turn ${attemptedTurn} of world ${worldSlug} ${status === 'failed' ? 'has failed' : is}${how}.`,
    worldSlug,
    executor,
    lease: status === 'running' ? { ...viewLease(attempt), fence: ownFence } : null,
    pollWith: status === 'running' ? pollAttemptWith(worldSlug, attemptId) : null,
  }
}

export const turnRunStatus = z.object({
  message: z.string(),
  worldSlug: z.string(),
  turnRunId: z.string(),
  status: z.enum(TURN_RUN_STATUSES),
  requestedTurnCount: z.number(),
  maxAttempts: z.number(),
  turnCountSource: z.enum(COUNT_SOURCES),
  maxAttemptsSource: z.enum(COUNT_SOURCES),
  startTurn: z.number(),
  targetTurn: z.number(),
  currentTurn: z.number(),
  committedTurnCount: z.number(),
  remainingCommittedTurns: z.number(),
  attemptCount: z.number(),
  failedAttemptCount: z.number(),
  interruptedAttemptCount: z.number(),
  activeAttemptId: z.string().nullable(),
  lastAttemptId: z.string().nullable(),
  lastAttemptStatus: z.enum(ATTEMPT_STATUSES).nullable(),
  progress: z.string(),
  cancelRequestedAt: z.string().nullable(),
  cancelReason: z.string().nullable(),
  stopReason: z
    .enum(STOP_REASONS)
    .nullable()
    .describe("the condition of the world's stop_when that ended the run"),
  failureReason: z.string().nullable(),
  lastAttemptFailureReason: z
    .string()
    .nullable()
    .describe('of a failed run: why its last attempt failed; null if it committed'),
  nextAttemptAt: z.string().nullable().describe('the end of the pause after a failed attempt'),
  usedTokens: z.number().describe('the sum of the usage that its attempts reported'),
  lease: lease.nullable().describe('null once the run has ended'),
  resumes: z
    .object({ turnRunId: z.string() })
    .nullable()
    .describe('the interrupted run that this run resumes'),
  enqueuedAt: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  pollActiveAttemptWith: pollAttempt.nullable(),
  pollWith: pollRun.nullable().describe('null once the run has ended'),
  listAttemptsWith: listAttempts,
  recentAttempts: z.array(attemptSummary).optional().describe('newest first'),
})

export function viewTurnRunStatus(
  run: TurnRun,
  currentTurn: number,
  lastFailures: ReadonlyMap<string, string>,
  recentAttempts?: readonly Attempt[],
): z.output<typeof turnRunStatus> {
  const {
    fence,
    leaseOwner,
    leaseUntil,
    project,
    resumesRunId,
    resumption,
    earlierMs,
    failedInARow,
    ...shown
  } = run
  const { worldSlug, turnRunId, activeAttemptId } = run
  const progress = describeProgress(run)
  return {
    ...shown,
    message: `The turn run of world ${worldSlug} ${describeState(run)}: ${progress}.`,
    currentTurn,
    lease: isActiveRun(run.status) ? viewLease(run) : null,
    resumes: resumesRunId === null ? null : { turnRunId: resumesRunId },
    lastAttemptFailureReason: lastFailures.get(turnRunId) ?? null,
    remainingCommittedTurns: run.requestedTurnCount - run.committedTurnCount,
    progress,
    pollActiveAttemptWith: activeAttemptId === null ? null : pollAttemptWith(worldSlug, activeAttemptId),
    pollWith: isActiveRun(run.status)
      ? { tool: 'get_turn_run_status', args: { worldSlug, turnRunId } }
      : null,
    listAttemptsWith: listAttemptsWith(run),
    ...(recentAttempts !== undefined && { recentAttempts: recentAttempts.map(summarizeAttempt) }),
  }
}

const STATES: Record<TurnRun['status'], string> = {
  running: 'is running',
  cancel_requested: 'ends with the attempt that is under way, as it was cancelled',
  completed: 'is completed',
  failed: 'has failed',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted',
}

function describeState({ status, failureReason, stopReason, cancelReason }: TurnRun): string {
  const reason = failureReason ?? (status === 'cancelled' && stopReason !== null ? cancelReason : null)
  return reason === null ? STATES[status] : `${STATES[status]} (${shorten(reason)})`
}

/** Maximum number of characters of a reason in a message. The field of the reason has all of them. */
const MAX_REASON = 200

const shorten = (reason: string): string => cutLine(toOneLine(reason), MAX_REASON)

function describeProgress(run: TurnRun): string {
  const { attemptCount, failedAttemptCount, interruptedAttemptCount } = run
  const turns = `${run.committedTurnCount} of ${plural(run.requestedTurnCount, 'turn')} committed`
  const interrupted = interruptedAttemptCount === 0 ? '' : `, ${interruptedAttemptCount} interrupted`
  return `${turns} after ${plural(attemptCount, 'attempt')} (${failedAttemptCount} failed${interrupted})`
}

export const claimAnswer = z.object({
  attemptId: z.string(),
  worldSlug: z.string(),
  attemptedTurn: z.number(),
  fence: z.number().describe('required in every further call of this worker'),
  leaseUntil: leaseEnd.describe("by the database's clock; send a heartbeat at a third of the lease"),
  continuation: z.object({ player: continuationContext, coach: continuationContext }).nullable(),
})

export const nextAttemptAnswer = z.object({
  claim: claimAnswer.nullable().describe('null if no attempt was open during the wait; ask again'),
})

export const heartbeatAnswer = z.object({
  leaseUntil: leaseEnd,
  cancelRequested: z.boolean().describe('the run ends with this attempt'),
  abortRequested: z.boolean().describe('stop now, and fail the attempt'),
})

export const viewHeartbeat = ({ leaseUntil, ...requested }: Renewed): z.output<typeof heartbeatAnswer> => ({
  leaseUntil: toLeaseEnd(leaseUntil),
  ...requested,
})

export const viewClaim = (
  { attemptId, worldSlug, attemptedTurn, fence, leaseUntil }: Attempt,
  continuation: { player: ContinuationContext; coach: ContinuationContext } | null,
): z.output<typeof claimAnswer> => ({
  attemptId,
  worldSlug,
  attemptedTurn,
  fence: fence ?? 0,
  leaseUntil: toLeaseEnd(leaseUntil),
  continuation,
})
