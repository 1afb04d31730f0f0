/** Collects the facts of a session from which its outcome follows. */
import * as z from 'zod'
import { compareInstants } from '../../core/instants.ts'
import type { SessionFacts } from '../../rules/session-outcome.ts'
import { promisedNotCounted } from '../../rules/specified-states.ts'
import { findBlockingGate } from '../../rules/stall.ts'
import {
  type CoachDecision,
  columns,
  optionalNumber,
  STOP_REASONS,
  TURN_RUN_STATUSES,
} from '../../rules/values.ts'
import type { Snapshot } from '../criteria/snapshot.ts'
import type { CriterionState, Stall } from '../criteria/views.ts'
import { instantRow } from '../record/rows.ts'
import type { World } from './worlds.ts'

export type NewestState = {
  world: World
  /** Decision of the newest turn; null before the first turn. */
  lastDecision: CoachDecision | null
  snapshot: Snapshot
  states: CriterionState[]
}

/** Columns of `worlds/_progress` that show how a session ended. A newer session with damaged values counts as not approved. */
export const endColumns = {
  newer: z.array(
    columns({
      ordinal: z.number(),
      worldSlug: z.string().catch(''),
      currentTurn: z.number().catch(0),
      judgedTurn: optionalNumber.catch(null),
      turnsSinceApproval: optionalNumber.catch(null),
    }),
  ),
  endedRuns: z.array(
    columns({
      enqueuedAt: instantRow,
      status: z.enum(TURN_RUN_STATUSES),
      stopReason: z.enum(STOP_REASONS).nullable(),
      attemptCount: z.number(),
      maxAttempts: z.number(),
    }),
  ),
}

type Ends = z.output<z.ZodObject<typeof endColumns>>

/** @param stall the analysis without regard to newer sessions */
export function toSessionFacts(
  { world, lastDecision, snapshot, states }: NewestState,
  { newer, endedRuns, lastActivity }: Ends & { lastActivity: string },
  stall: Stall,
): SessionFacts {
  const { project, featureId, taskId, worldSlug, currentTurn } = world
  const lastJudged = snapshot.outcomes.at(-1)
  return {
    project,
    featureId,
    taskId,
    worldSlug,
    currentTurn,
    lastDecision,
    lastActivity,
    isActive: world.activeTurnRunId !== null || world.activeAttemptId !== null,
    hasNewer: newer.length > 0,
    supersededBy: findNewestApproved(newer),
    endedRun: findNewestRun(endedRuns),
    stall,
    blockingGate: findBlockingGate(snapshot.outcomes),
    failedGates: lastJudged?.turn === currentTurn ? lastJudged.failedGates : [],
    criteria: states,
    isDeclared: snapshot.specifiedAfter.length > 0,
    promisedNotJudged: promisedNotCounted(snapshot).length,
  }
}

function findNewestApproved(newer: Ends['newer']): string | null {
  const approved = newer.filter(
    ({ currentTurn, judgedTurn, turnsSinceApproval }) =>
      judgedTurn === currentTurn && turnsSinceApproval === 0,
  )
  return approved.sort((a, b) => b.ordinal - a.ordinal)[0]?.worldSlug ?? null
}

function findNewestRun(runs: Ends['endedRuns']): SessionFacts['endedRun'] {
  const newest = runs.toSorted((a, b) => compareInstants(b.enqueuedAt ?? '', a.enqueuedAt ?? ''))[0]
  if (newest === undefined) return null
  const { status, stopReason, attemptCount, maxAttempts } = newest
  return { status, stopReason, isExhausted: attemptCount >= maxAttempts }
}
