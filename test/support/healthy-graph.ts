import { setTimeout as sleep } from 'node:timers/promises'
import { inProcessClient } from '../../src/client/in-process.ts'
import type { Graph } from '../../src/graph/port.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { Executors } from '../../src/runs/executors.ts'
import type { TurnRun } from '../../src/runs/record.ts'
import { simulatedExecutor } from '../../src/runs/simulated-executor.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'
import { aTurn, clientOf, everyField, FEATURE, PROJECT, TASK, type TurnToSend } from './records.ts'
import { bytesOf, send, sessionOf, turn } from './transcript-import.ts'

const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']
const WORKER = 'w'

/** Transcript sessions of a separate graph: with failures, an agent, a desire and a turn of two sessions. */
const CONVERSATION = bytesOf(
  turn('c1', LONG, { errors: { 5: 'no such file' } }),
  turn('c2', LONG, { from: 20 }),
  turn('c3', [], { from: 40 }),
  turn('c4', ['Task', 'Read'], { from: 60, pending: [0] }),
  turn('c5', LONG, { from: 65 }).map((record) => ({ ...record, isSidechain: true, agentId: 'one' })),
)
const FORK = bytesOf(turn('c1', LONG, { errors: { 5: 'no such file' } }), turn('f1', LONG, { from: 100 }))

const text = (n: number) => `Criterion number ${n} holds for every request that is sent`

/** Makes a turn whose criteria progress with the turn number. */
export const judgedTurn = (turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend =>
  aTurn(turnNumber, {
    verifications: [1, 2, 3].map((n) => ({
      criterionId: `AC-${n}`,
      criterionText: text(n),
      status: n <= turnNumber ? ('verified' as const) : ('rejected' as const),
      evidence: `seen in turn ${turnNumber}`,
    })),
    promises: [{ criterionId: 'AC-1', criterionText: text(1), status: 'complete' }],
    issues: [{ severity: 'blocking', description: 'AC-3 is not met', criterionIds: ['AC-3'] }],
    gates: { tests: 'failed', coverage: 'passed' },
    transcriptSessionIds: [sessionOf(1)],
    ...more,
  })

/**
 * Declares a task whose second version rewords a criterion, removes one and adds one, with a turn between
 * both versions.
 */
export async function declareTask(client: ReturnType<typeof clientOf>): Promise<void> {
  const task = { featureId: FEATURE, taskId: 'TASK-9' }
  const first = [{ text: text(1) }, { text: text(2), kind: 'manual' as const }]
  await client.declareCriteria({ ...task, criteria: first, source: { path: 'tasks/TASK-9.md' } })
  await client.captureTurnState(judgedTurn(1, { ...task, worldSlug: 'declared' }))
  await client.declareCriteria({
    ...task,
    criteria: [
      { text: `${text(1)} again`, tests: ['* is retried'] },
      { text: 'An unknown host is told apart', command: 'npm test' },
    ],
  })
}

/** Stores every kind of data through Turngraph: late and superseded turns, merges, runs, transcripts. */
export async function fillHealthy(graph: Graph): Promise<void> {
  const client = clientOf(graph)
  for (const n of [1, 2, 4, 7]) await client.captureTurnState(judgedTurn(n, { worldSlug: 'main' }))
  await client.captureTurnState(judgedTurn(3, { worldSlug: 'main' })) // late
  for (const commit of ['a', 'b'])
    await client.captureTurnState(judgedTurn(2, { worldSlug: 'main', commit, onConflict: 'supersede' }))
  await client.captureTurnState({ ...everyField, createWorld: true })
  await declareTask(client)
  await merged(graph)
  await client.captureTurnState(aTurn(1, { worldSlug: 'marked', taskId: 'TASK-2' }))
  await client.deleteWorld({ worldSlug: 'marked' })
  await withdrawTurns(client)
  await client.createWorld({ featureId: 'FEAT-2/b', taskId: 'TASK-1%', worldSlug: 'empty' })
  await client.captureTurnState(judgedTurn(1, { project: 'other/project' }))
  await runs(graph)
  await send(client, sessionOf(1), CONVERSATION)
  await send(client, sessionOf(2), FORK)
  await send(client, sessionOf(3), FORK, { project: 'transcripts alone' })
}

/** Merges criteria: one is known only by its label until the Player's text shows that it is another one. */
async function merged(graph: Graph): Promise<void> {
  const client = clientOf(graph)
  const judged = (turnNumber: number, more: Partial<TurnToSend> = {}) =>
    aTurn(turnNumber, {
      worldSlug: 'merging',
      taskId: 'TASK-3',
      verifications: [{ criterionId: 'AC-1', status: 'verified' }],
      ...more,
    })
  const promised = { criterionId: 'AC-1', criterionText: text(1), status: 'complete' as const }
  await client.captureTurnState(judgedTurn(1, { worldSlug: 'worded', taskId: 'TASK-3' }))
  await client.captureTurnState(judged(1))
  await client.captureTurnState(judged(2, { promises: [promised] }))
}

/** Withdraws turns: one was replaced before, one is captured again. */
export async function withdrawTurns(client: ReturnType<typeof clientOf>): Promise<void> {
  const capture = (turnNumber: number, more: Partial<TurnToSend> = {}) =>
    client.captureTurnState(judgedTurn(turnNumber, { worldSlug: 'rolled-back', taskId: 'TASK-4', ...more }))
  for (const n of [1, 2, 3]) await capture(n)
  await capture(2, { commit: 'a', onConflict: 'supersede' })
  await client.rollbackWorld({ worldSlug: 'rolled-back', toTurn: 1, reason: 'wrong branch' })
  await capture(2, { commit: 'b' })
}

/** Makes an ended run with a failed attempt, a single attempt, and an active one. */
async function runs(graph: Graph): Promise<void> {
  const client = clientOf(graph)
  const store = new TurnRunStore(graph)
  const ref = { project: PROJECT, worldSlug: 'ran' }
  await client.createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'ran', executor: 'simulated' })
  const counts = { turnCountSource: 'explicit', maxAttemptsSource: 'default', workerId: WORKER } as const
  const start = () => store.startTurnRun({ ...ref, requestedTurnCount: 2, maxAttempts: 4, ...counts })
  const { project, ...record } = judgedTurn(1)
  const ended = await start()
  for (const outcome of ['committed', 'failed', 'committed']) {
    const attempt = await store.startAttemptForTurnRun(ended, WORKER, ended.fence ?? 0)
    const turnNumber = attempt.attemptedTurn
    if (outcome === 'failed') await store.failAttempt(attempt, attempt.fence ?? 0, 'it broke')
    else
      await store.commitAttempt(attempt, attempt.fence ?? 0, captureRequest.parse({ ...record, turnNumber }))
  }
  const single = await store.startAttempt(ref, WORKER)
  await store.commitAttempt(single, single.fence ?? 0, captureRequest.parse({ ...record, turnNumber: 3 }))
  await client.captureTurnState(judgedTurn(2, { worldSlug: 'ran', commit: 'c', onConflict: 'supersede' }))
  const active = await start()
  await store.startAttemptForTurnRun(active, WORKER, active.fence ?? 0)
}

/**
 * Makes runs and single attempts with every kind of end, only through operations, like the command line, REST
 * and MCP.
 */
export async function runThroughOperations(graph: Graph): Promise<void> {
  const executors = new Executors({
    trial: simulatedExecutor({ durationMs: 0, outcomes: ['failed', 'committed'], repeat: true }),
    failing: simulatedExecutor({ durationMs: 0, outcomes: ['failed'], repeat: true }),
  })
  const runs = new TurnRuns({ graph, instance: 'operations', executors })
  const client = inProcessClient({ graph, project: PROJECT, runs })
  const aWorld = (worldSlug: string, executor: string, settings: object = {}) =>
    client.createWorld({ featureId: FEATURE, taskId: TASK, worldSlug, executor, ...settings })
  for (const executor of ['trial', 'failing']) {
    await aWorld(executor, executor)
    await client.runTurn({ worldSlug: executor, turnCount: 2, maxAttempts: 4 })
    await runs.idle()
    await client.runTurn({ worldSlug: executor })
    await runs.idle()
  }
  await aWorld('goal', 'failing', {
    stopWhen: ['all_verified', 'budget'],
    budget: { minutes: 0.5, attemptsFailedInARow: 2, tokens: 1_000 },
  })
  await client.runTurn({ worldSlug: 'goal', turnCount: 3 })
  await runs.idle()
  await aWorld('worker', 'external', { backoff: { firstMs: 1, factor: 1.5, mostMs: 1 }, resume: 'auto' })
  await client.runTurn({ worldSlug: 'worker', turnCount: 1, maxAttempts: 3 })
  for (const outcome of ['failed', 'committed']) {
    const { attemptId, fence } = await claimNext(client, 'worker')
    await client.heartbeatAttempt({ attemptId, fence })
    const usage = { tokens: 7 }
    if (outcome === 'failed') await client.failAttempt({ attemptId, fence, reason: 'it broke', usage })
    else await client.commitAttempt({ attemptId, fence, turn: { playerSummary: 'Built it' }, usage })
  }
  await runs.idle()
  await aWorld('cancelled', 'external')
  const { turnRunId = '' } = await client.runTurn({ worldSlug: 'cancelled', turnCount: 3 })
  const { attemptId, fence } = await claimNext(client, 'cancelled')
  await client.cancelTurnRun({ turnRunId, reason: 'wrong branch' })
  await client.failAttempt({ attemptId, fence, reason: 'it broke' })
  await runs.idle()
  await aWorld('alone', 'external')
  await client.runTurn({ worldSlug: 'alone' })
  await aWorld('left', 'external')
  await client.runTurn({ worldSlug: 'left', turnCount: 2 })
  await claimNext(client, 'left')
  await aWorld('resumed', 'external', { resume: 'auto' })
  await client.runTurn({ worldSlug: 'resumed', turnCount: 2 })
  await claimNext(client, 'resumed')
  await runs.close() // releases the run, or leaves it to the process that resumes it
  const later = new TurnRunStore(graph, { skew: () => 120_000 })
  const coordinate = async (run: TurnRun) => void (await later.requestTurnRunCancel(run, 'enough'))
  await later.reconcileRunningAttempts(null, new Set(), {
    workerId: 'operations',
    canExecute: () => true,
    coordinate,
  })
}

/** Claims the next attempt. The coordinator starts it a moment after the end of the one before. */
async function claimNext(
  client: ReturnType<typeof inProcessClient>,
  worldSlug: string,
): Promise<{ attemptId: string; fence: number }> {
  for (;;) {
    const { activeAttemptId } = await client.getWorld({ worldSlug })
    if (activeAttemptId !== null)
      return client.claimAttempt({ attemptId: activeAttemptId, workerId: 'tests' })
    await sleep(10)
  }
}
