import type { TurngraphClient } from '../../../src/client/client.ts'
import type { OperationOutput } from '../../../src/operations/table.ts'
import { allPages } from './pages.ts'
import { type RunStatus, type RunWorld, startRun, untilRunEnded } from './run-world.ts'
import { holds } from './scenario.ts'

export const RESTARTED = 'process restart before turn run completed'

type Attempt = OperationOutput<'listAttempts'>['items'][number]

export type RunHistory = { turns: number; attempts: Attempt[]; runs: Map<string, RunStatus> }

/**
 * Reads all turns, attempts and runs of a world, and checks that they are consistent: no turn lost or stored
 * twice, every attempt counted once, every end with its reason. `known` are runs that need not have an
 * attempt.
 */
export async function checkHistory(
  client: TurngraphClient,
  world: RunWorld,
  known: Iterable<string> = [],
): Promise<RunHistory> {
  const { currentTurn } = await client.getWorld(world)
  const attempts = await allAttempts(client, world)
  const numbers = await turnNumbers(client, world)
  holds(isOneToN(numbers) && numbers.length === currentTurn, 'turns are 1 to n', { world, numbers })

  const produced = attempts.flatMap(({ producedTurn }) => (producedTurn === null ? [] : [producedTurn]))
  holds(
    String(produced.toReversed()) === String(numbers),
    'each turn was produced by one attempt, in order',
    {
      world,
      produced,
      numbers,
    },
  )
  const ids = new Set([...known, ...attempts.flatMap(({ turnRunId }) => turnRunId ?? [])])
  const runs = new Map<string, RunStatus>()
  for (const turnRunId of ids) {
    const run = await client.getTurnRunStatus({ ...world, turnRunId })
    checkRun(
      run,
      attempts.filter((attempt) => attempt.turnRunId === turnRunId),
    )
    runs.set(turnRunId, run)
  }
  const alone = attempts.filter(
    ({ turnRunId, status }) => turnRunId === null && status === 'committed',
  ).length
  const committed = [...runs.values()].reduce((sum, run) => sum + run.committedTurnCount, alone)
  holds(committed === currentTurn, 'the committed turns of all runs are the turns of the world', {
    world,
    committed,
    currentTurn,
  })
  return { turns: numbers.length, attempts, runs }
}

function checkRun(run: RunStatus, attempts: readonly Attempt[]): void {
  const counted = (status: Attempt['status']) => attempts.filter((held) => held.status === status).length
  const about = { run, attempts }
  holds(run.attemptCount === attempts.length, 'a run counts its attempts', about)
  holds(run.committedTurnCount === counted('committed'), 'a run counts its commits', about)
  holds(run.failedAttemptCount === counted('failed'), 'a run counts its failures', about)
  holds(
    run.interruptedAttemptCount === counted('interrupted'),
    'a run counts its interrupted attempts',
    about,
  )
  holds(
    counted('running') === (run.activeAttemptId === null ? 0 : 1),
    'a run names its active attempt',
    about,
  )
  const seqs = attempts.map(({ turnRunSeq }) => turnRunSeq ?? 0).toReversed()
  holds(isOneToN(seqs), 'the attempts of a run are numbered 1 to n', about)
  const reasoned = run.status === 'failed' || run.status === 'interrupted'
  holds(reasoned === (run.failureReason !== null), 'an end before the target has a reason', about)
  if (run.status === 'completed')
    holds(run.committedTurnCount === run.requestedTurnCount, 'a completed run has all requested turns', about)
}

/**
 * Checks that no work is stuck: work left by a restart has ended with the contract's reason, and a new run
 * can start.
 */
export async function checkFree(client: TurngraphClient, world: RunWorld): Promise<void> {
  const { activeTurnRunId, activeAttemptId } = await client.getWorld(world)
  const idle = activeTurnRunId === null && activeAttemptId === null
  holds(idle, 'no world is stuck', { world, activeTurnRunId, activeAttemptId })
  const { runs } = await checkHistory(client, world)
  for (const run of runs.values()) {
    holds(run.status !== 'interrupted' || run.failureReason === RESTARTED, 'a restart is the reason', run)
  }
}

export async function checkTakesRuns(client: TurngraphClient, world: RunWorld): Promise<void> {
  const turnRunId = await startRun(client, world, { turnCount: 1, maxAttempts: 3 })
  const run = await untilRunEnded(client, world, turnRunId)
  holds(run.status === 'completed', 'the world takes a new run', run)
}

const isOneToN = (numbers: readonly number[]): boolean => numbers.every((number, i) => number === i + 1)

/** Returns all attempts, newest first. */
async function allAttempts(client: TurngraphClient, world: RunWorld): Promise<Attempt[]> {
  return allPages((cursor) => client.listAttempts({ ...world, limit: 500, cursor }))
}

async function turnNumbers(client: TurngraphClient, world: RunWorld): Promise<number[]> {
  const turns = await allPages((cursor) => client.listTurns({ ...world, limit: 500, cursor }))
  return turns.map(({ turnNumber }) => turnNumber)
}
