// Declares the records of turn runs and attempts, and their rules. Source: seed 001, `turn_runs`.
import * as z from 'zod'
import { rowShape } from '../graph/model/derived.ts'
import { nodes } from '../graph/model/nodes.ts'
import { count } from '../graph/model/properties.ts'
import type { TurnRunStatus } from '../rules/values.ts'

export const RUN_LIMITS = {
  turnCount: 100_000,
  maxAttempts: 1_000_000,
  reasonCharacters: 2_000,
  waitMs: 30_000,
  usedTokens: 1_000_000_000_000,
  /** Maximum number of runs in a row that resume one another. */
  resumptions: 5,
} as const

/** The executor of turns whose work external workers do. Attempts of all other executors are claimed when they start. */
export const EXTERNAL = 'external'

/** Failure reasons of the lifecycle. */
export const EXHAUSTED = 'max_attempts exhausted before requested turn_count committed'
export const RESTARTED = 'process restart before turn run completed'
export const ATTEMPT_RESTARTED = 'process restart before attempt completed'
export const LEASE_EXPIRED = 'attempt lease expired'
export const NEVER_CLAIMED = 'attempt was never claimed'

/** The id of a run or an attempt. */
export const recordId = z.uuid('must be a UUID').toLowerCase()

/** A sum of 0 is not stored. */
const sum = count.nullish().transform((stored) => stored ?? 0)

/** Run in the form of a row, without checks of its rules: a reader may see half of a commit, and then reads again. */
export const seenRun = z.object({
  ...rowShape(
    nodes.TurnRun.properties.omit({ key: true, activeWorldKey: true, changedAt: true, changedIn: true })
      .shape,
  ),
  /** Number of interrupted runs before this one, each resumed by the next. */
  resumption: sum,
  /** Duration of those runs in milliseconds. */
  earlierMs: sum,
  /** Failed attempts since the newest commit, including those of the resumed runs. */
  failedInARow: sum,
  usedTokens: sum,
})

export const runRow = seenRun.superRefine((run, context) => {
  for (const message of brokenRules(run)) context.addIssue({ code: 'custom', message })
})

export type TurnRun = z.output<typeof seenRun>

/** The number of turns to commit and of attempts, and whether the caller set them. */
export type RunCounts = Pick<
  TurnRun,
  'requestedTurnCount' | 'maxAttempts' | 'turnCountSource' | 'maxAttemptsSource'
>

/** An attempt, in the same form as {@link seenRun}. */
export const seenAttempt = z.object({
  ...rowShape(
    nodes.Attempt.properties.omit({ key: true, worldSeqKey: true, runSeqKey: true, activeWorldKey: true })
      .shape,
  ),
  usedTokens: sum,
})

export const attemptRow = seenAttempt.superRefine((attempt, context) => {
  for (const message of brokenAttemptRules(attempt)) context.addIssue({ code: 'custom', message })
})

export type Attempt = z.output<typeof seenAttempt>

export const isActiveRun = (status: TurnRunStatus): boolean =>
  status === 'running' || status === 'cancel_requested'

/** Lists the broken CHECK constraints of the seed's table, by their names there. */
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
