// Ends a turn run at a goal, a used-up budget or its last attempt (runs.md, "Runs that know their goal"; truth.md, "Runs").

import { recordKey, worldKey } from '../core/keys.ts'
import type { Graph } from '../graph/port.ts'
import { readStates } from '../memory/criteria/read-states.ts'
import { stallAfter } from '../memory/criteria/stall-analysis.ts'
import type { NewestState } from '../memory/worlds/session-facts.ts'
import { readTurnTokens, sumTurnTokens } from '../memory/worlds/turn-tokens.ts'
import { readNewestState } from '../memory/worlds/world-progress.ts'
import { getWorld, type World } from '../memory/worlds/worlds.ts'
import { isAllObserved, isAllVerified, isRequired } from '../rules/criterion-states.ts'
import { describeFailures, describeGoal, describeMinutes, describeTokens } from '../rules/goal-words.ts'
import { promisedNotCounted } from '../rules/specified-states.ts'
import { totalTokens } from '../rules/turn-tokens.ts'
import type { StopReason } from '../rules/values.ts'
import { EXHAUSTED, type TurnRun } from './record.ts'
import type { TurnRunStore } from './turn-run-store.ts'

type ReachedGoal = { stopReason: StopReason; cancelReason: string }

/** Ends a run that has reached a goal. A run that made its last attempt without reaching a goal has failed. */
export async function endAtGoal(graph: Graph, store: TurnRunStore, run: TurnRun): Promise<TurnRun> {
  if (run.status !== 'running') return run
  const goal = await findReachedGoal(graph, store, run)
  if (goal !== null) return store.requestTurnRunCancel(run, goal.cancelReason, goal)
  const isExhausted = run.activeAttemptId === null && run.attemptCount >= run.maxAttempts
  return isExhausted ? store.failTurnRun(run, run.fence ?? 0, EXHAUSTED) : run
}

/** Returns the first true condition of the world's `stopWhen`, in the order of the contract; null if all are false. */
async function findReachedGoal(graph: Graph, store: TurnRunStore, run: TurnRun): Promise<ReachedGoal | null> {
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
  if (!stopWhen.includes('budget') || budget === undefined) return null
  const unreported = budget.tokens === undefined ? 0 : await countUnreportedTokens(graph, store, run)
  const used = usedBudget(budget, { ...run, usedTokens: run.usedTokens + unreported }, store.now())
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
    ? describeGoal(states.filter(isRequired).length, 'observed', world.currentTurn)
    : null
}

/** Without declared criteria, a promise that was never judged counts as not proven (contract: turns.md). */
function allVerified({ world, snapshot, states }: NewestState): string | null {
  return isAllVerified(states, promisedNotCounted(snapshot))
    ? describeGoal(states.filter(isRequired).length, 'verified', world.currentTurn)
    : null
}

/** Maximum number of attempts of a run whose tokens are looked up, newest first. */
const MAX_LOOKED_UP_ATTEMPTS = 1_000

/** Adds up the tokens of turns whose attempts reported none. Includes those of interrupted runs that the run resumes. */
async function countUnreportedTokens(graph: Graph, store: TurnRunStore, run: TurnRun): Promise<number> {
  const turns = new Set<number>()
  for (let each: TurnRun | undefined = run; each !== undefined; each = await readResumedRun(store, each)) {
    const { attempts } = await store.listAttemptsOfRun(each, MAX_LOOKED_UP_ATTEMPTS)
    for (const { producedTurn, usedTokens } of attempts)
      if (producedTurn !== null && usedTokens === 0) turns.add(producedTurn)
  }
  if (turns.size === 0) return 0
  const key = worldKey(run.project, run.worldSlug)
  const tokens = (await readTurnTokens(graph, [key])).get(key) ?? []
  const sum = sumTurnTokens(tokens.filter(({ number }) => turns.has(number)))
  return sum === null ? 0 : totalTokens(sum)
}

async function readResumedRun(
  store: TurnRunStore,
  { project, resumesRunId }: TurnRun,
): Promise<TurnRun | undefined> {
  if (resumesRunId === null) return undefined
  const [found] = await store.readTurnRuns([recordKey(project, resumesRunId)])
  return found?.run
}

function usedBudget(
  { minutes, attemptsFailedInARow, tokens }: NonNullable<World['budget']>,
  { startedAt, earlierMs, failedInARow, usedTokens }: TurnRun,
  now: Date,
): string | null {
  const ms = earlierMs + now.getTime() - Date.parse(startedAt)
  if (minutes !== undefined && ms >= minutes * 60_000) return describeMinutes(minutes)
  if (attemptsFailedInARow !== undefined && failedInARow >= attemptsFailedInARow)
    return describeFailures(attemptsFailedInARow)
  return tokens !== undefined && usedTokens >= tokens ? describeTokens(tokens) : null
}
