// Ends a turn run that has reached a goal of its world, has used its budget, or has made its last attempt
// (contracts: runs.md, "Runs that know their goal"; truth.md, "Runs").

import type { Graph } from '../graph/port.ts'
import { readStates } from '../memory/criteria/read-states.ts'
import { stallAfter } from '../memory/criteria/stall-analysis.ts'
import type { NewestState } from '../memory/worlds/session-facts.ts'
import { readNewestState } from '../memory/worlds/world-progress.ts'
import { getWorld, type World } from '../memory/worlds/worlds.ts'
import { isAllObserved, isAllVerified, isRequired } from '../rules/criterion-states.ts'
import { promisedNotCounted } from '../rules/specified-states.ts'
import type { StopReason } from '../rules/values.ts'
import { EXHAUSTED } from './lifecycle.ts'
import type { TurnRun } from './record.ts'
import type { TurnRunStore } from './turn-run-store.ts'

type ReachedGoal = { stopReason: StopReason; cancelReason: string }

/**
 * Ends a run that has reached a goal. A run that made its last attempt without reaching a goal has failed.
 */
export async function endAtGoal(graph: Graph, store: TurnRunStore, run: TurnRun): Promise<TurnRun> {
  if (run.status !== 'running') return run
  const goal = await findReachedGoal(graph, run, store.now())
  if (goal !== null) return store.requestTurnRunCancel(run, goal.cancelReason, goal)
  const isExhausted = run.activeAttemptId === null && run.attemptCount >= run.maxAttempts
  return isExhausted ? store.failTurnRun(run, run.fence ?? 0, EXHAUSTED) : run
}

/**
 * Returns the first true condition of the world's `stopWhen`, in the order of the contract; null if all are
 * false.
 */
async function findReachedGoal(graph: Graph, run: TurnRun, now: Date): Promise<ReachedGoal | null> {
  const { project, worldSlug } = run
  // Read each time, because the settings of a world may change during a run.
  const { stopWhen = [], budget } = await getWorld(graph, project, worldSlug)
  if (stopWhen.some((reason) => reason !== 'budget')) {
    const state = await readNewestState(graph, project, worldSlug)
    for (const [stopReason, check] of GOALS) {
      const cancelReason = stopWhen.includes(stopReason) ? await check(state, graph) : null
      if (cancelReason !== null) return { stopReason, cancelReason }
    }
  }
  const used = stopWhen.includes('budget') && budget !== undefined ? usedBudget(budget, run, now) : null
  return used === null ? null : { stopReason: 'budget', cancelReason: `stopped: budget of ${used} used` }
}

type Check = (state: NewestState, graph: Graph) => Promise<string | null> | string | null

const GOALS: readonly [StopReason, Check][] = [
  [
    'approved',
    ({ world, lastDecision }) =>
      lastDecision === 'approved' ? `goal reached: approved in turn ${world.currentTurn}` : null,
  ],
  ['all_verified', allVerified],
  ['all_observed', allObserved],
  [
    'stalled',
    async ({ world, snapshot, states }, graph) => {
      const stall = await stallAfter(graph, { ...world, policy: 'sticky' }, snapshot, states, false)
      return stall.shouldStop ? `stopped: ${stall.reason}` : null
    },
  ],
]

async function allObserved({ world, snapshot }: NewestState, graph: Graph): Promise<string | null> {
  const states = await readStates(graph, snapshot, 'observed')
  return isAllObserved(states, promisedNotCounted(snapshot))
    ? `goal reached: all ${states.filter(isRequired).length} criteria observed in turn ${world.currentTurn}`
    : null
}

/** Without declared criteria, a promise that was never judged counts as not proven (contract: turns.md). */
function allVerified({ world, snapshot, states }: NewestState): string | null {
  return isAllVerified(states, promisedNotCounted(snapshot))
    ? `goal reached: all ${states.filter(isRequired).length} criteria verified in turn ${world.currentTurn}`
    : null
}

function usedBudget(
  { minutes, attemptsFailedInARow, tokens }: NonNullable<World['budget']>,
  { startedAt, earlierMs, failedInARow, usedTokens }: TurnRun,
  now: Date,
): string | null {
  const ms = earlierMs + now.getTime() - Date.parse(startedAt)
  if (minutes !== undefined && ms >= minutes * 60_000) return `${minutes} minutes`
  if (attemptsFailedInARow !== undefined && failedInARow >= attemptsFailedInARow)
    return `${attemptsFailedInARow} attempts failed in a row`
  return tokens !== undefined && usedTokens >= tokens ? `${tokens} tokens` : null
}
