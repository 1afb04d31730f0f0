// Declares the records of turn runs and attempts, and the rules that they keep. Source: seed 001, `turn_runs`.
import * as z from 'zod'
import {
  ATTEMPT_STATUSES,
  COUNT_SOURCES,
  STOP_REASONS,
  TURN_RUN_STATUSES,
  type TurnRunStatus,
} from '../graph/model/values.ts'

export const RUN_LIMITS = {
  turnCount: 100_000,
  maxAttempts: 1_000_000,
  reasonCharacters: 2_000,
  usedTokens: 1_000_000_000_000,
  /** How many runs may resume one another in a row. */
  resumptions: 5,
} as const

/** Names a run or an attempt. */
export const recordId = z.uuid('must be a UUID').toLowerCase()

const count = z.number().int().min(0)
/** Not stored where it is 0. */
const sum = count.nullable().transform((stored) => stored ?? 0)
const instant = z.string()
const optionalInstant = instant.nullable()

/** Who may write, until when. `until` is of the database's clock, in epoch milliseconds. */
const lease = {
  /** Only rises in its world: a later owner has a greater one. Null before the first owner. */
  fence: z.number().int().min(1).nullable(),
  leaseOwner: z.string().nullable(),
  leaseUntil: z.number(),
}

export const turnRun = z
  .object({
    turnRunId: z.string(),
    project: z.string(),
    worldSlug: z.string(),
    status: z.enum(TURN_RUN_STATUSES),
    requestedTurnCount: z.number().int().min(1),
    maxAttempts: z.number().int().min(1),
    turnCountSource: z.enum(COUNT_SOURCES),
    maxAttemptsSource: z.enum(COUNT_SOURCES),
    startTurn: count,
    targetTurn: z.number().int().min(1),
    committedTurnCount: count,
    attemptCount: count,
    failedAttemptCount: count,
    interruptedAttemptCount: count,
    activeAttemptId: z.string().nullable(),
    lastAttemptId: z.string().nullable(),
    lastAttemptStatus: z.enum(ATTEMPT_STATUSES).nullable(),
    cancelRequestedAt: optionalInstant,
    cancelReason: z.string().nullable(),
    /** What of its world's `stopWhen` came true. */
    stopReason: z.enum(STOP_REASONS).nullable(),
    failureReason: z.string().nullable(),
    /** Until when it pauses after a failed attempt. */
    nextAttemptAt: optionalInstant,
    /** The interrupted run that it resumes. */
    resumesRunId: z.string().nullable(),
    /** How many runs before it were interrupted, each resumed by the next. */
    resumption: sum,
    /** How many milliseconds those took. */
    earlierMs: sum,
    /** Failed attempts since the newest commit, those of the runs before it included. */
    failedInARow: sum,
    usedTokens: sum,
    enqueuedAt: instant,
    startedAt: instant,
    endedAt: optionalInstant,
    ...lease,
  })
  .superRefine((run, context) => {
    for (const message of brokenRules(run)) context.addIssue({ code: 'custom', message })
  })

export type TurnRun = z.output<typeof turnRun>

/** How many turns a run is to commit in how many attempts, and whether the caller said so. */
export type RunCounts = Pick<
  TurnRun,
  'requestedTurnCount' | 'maxAttempts' | 'turnCountSource' | 'maxAttemptsSource'
>

export const attempt = z
  .object({
    attemptId: z.string(),
    project: z.string(),
    worldSlug: z.string(),
    /** Counts the attempts of the world, from 1. */
    number: z.number().int().min(1),
    status: z.enum(ATTEMPT_STATUSES),
    turnBefore: count,
    attemptedTurn: z.number().int().min(1),
    producedTurn: z.number().int().nullable(),
    turnRunId: z.string().nullable(),
    turnRunSeq: z.number().int().min(1).nullable(),
    executor: z.string(),
    failureReason: z.string().nullable(),
    usedTokens: sum,
    startedAt: instant,
    endedAt: optionalInstant,
    abortRequested: z.boolean(),
    /** Of the record that was committed: the same commit again is answered alike. */
    digest: z.string().nullable(),
    ...lease,
  })
  .superRefine((attempt, context) => {
    for (const message of brokenAttemptRules(attempt)) context.addIssue({ code: 'custom', message })
  })

export type Attempt = z.output<typeof attempt>

export const isActiveRun = (status: TurnRunStatus): boolean =>
  status === 'running' || status === 'cancel_requested'

/** The CHECK constraints of the seed's table, by their names there. Empty where all hold. */
export function brokenRules(run: TurnRun): string[] {
  const active = isActiveRun(run.status)
  const cancelled = run.status === 'cancel_requested' || run.status === 'cancelled'
  const failed = run.status === 'failed' || run.status === 'interrupted'
  const ended = run.committedTurnCount + run.failedAttemptCount + run.interruptedAttemptCount
  const rules: [string, boolean][] = [
    ['turn_runs_target_check', run.targetTurn === run.startTurn + run.requestedTurnCount],
    ['turn_runs_max_attempts_check', run.maxAttempts >= run.requestedTurnCount],
    ['turn_runs_terminal_time_check', active === (run.endedAt === null)],
    ['turn_runs_cancel_check', !cancelled || run.cancelRequestedAt !== null],
    ['turn_runs_failure_check', !failed || run.failureReason !== null],
    ['turn_runs_attempts_check', run.attemptCount <= run.maxAttempts],
    ['turn_runs_counters_check', ended + (run.activeAttemptId === null ? 0 : 1) === run.attemptCount],
    ['turn_runs_idle_check', active || run.activeAttemptId === null],
  ]
  return rules.filter(([, holds]) => !holds).map(([name]) => name)
}

/** What must hold of an attempt. Empty where it does. */
export function brokenAttemptRules(attempt: Attempt): string[] {
  const ended = attempt.status !== 'running'
  const reasoned = attempt.status === 'failed' || attempt.status === 'interrupted'
  const rules: [string, boolean][] = [
    ['attempts_turn_run_pair_check', (attempt.turnRunId === null) === (attempt.turnRunSeq === null)],
    ['attempts_terminal_time_check', ended === (attempt.endedAt !== null)],
    ['attempts_failure_check', reasoned === (attempt.failureReason !== null)],
    ['attempts_turn_check', attempt.attemptedTurn === attempt.turnBefore + 1],
    [
      'attempts_produced_check',
      attempt.producedTurn === (attempt.status === 'committed' ? attempt.attemptedTurn : null),
    ],
    ['attempts_lease_check', (attempt.fence === null) === (attempt.leaseOwner === null)],
  ]
  return rules.filter(([, holds]) => !holds).map(([name]) => name)
}
