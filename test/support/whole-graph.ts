import type { Graph } from '../../src/graph/port.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import type { Attempt, TurnRun } from '../../src/runs/record.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { declareTask, withdrawTurns } from './healthy-graph.ts'
import { aTurn, clientOf, everyField, FEATURE, PROJECT, TASK, type TurnToSend } from './records.ts'
import { bytesOf, send, sessionOf, turn } from './transcript-import.ts'
import { instant, linesOf, result } from './written-transcript.ts'

/** Makes a graph with every kind of content: every label, every relationship, names of every kind. */

/** Names that a key, a file or a sort order might handle wrongly. */
export const OTHER_PROJECTS = ['a/b', 'a%2Fb', 'zwei \u{1f9e9}', 'zwei \uffee', 'transcripts alone']

const [S1, S2, S3, S4] = [1, 2, 3, 4].map(sessionOf) as [string, string, string, string]
const AGENT = `${S1}/a1`
const NAMES = ['Grep', 'Read', 'Read', 'Edit', 'Bash', 'Edit', 'Bash']

export async function fillWithEverything(graph: Graph): Promise<void> {
  await fillTurns(graph)
  await declareTask(clientOf(graph))
  await withdrawTurns(clientOf(graph))
  await fillRuns(graph)
  await fillTranscripts(graph)
  await fillOtherProjects(graph)
}

const criterion = (id: string, words: string) => ({ criterionId: id, criterionText: words })

/**
 * Writes turns with all parts, in any order, with gaps; superseded ones; a deleted world and one without
 * turns.
 */
async function fillTurns(graph: Graph): Promise<void> {
  const client = clientOf(graph)
  const capture = (turn: TurnToSend) => client.captureTurnState(turn)
  await capture(everyField)
  const worldSlug = 'w'
  const judged = (turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend =>
    aTurn(turnNumber, {
      worldSlug,
      verifications: [
        { ...criterion('AC-001', 'It answers with 404'), status: turnNumber > 2 ? 'rejected' : 'verified' },
        { criterionId: 'the label alone', status: 'unknown' },
      ],
      promises: [{ ...criterion('AC-002', 'It keeps a log of all requests'), status: 'complete' }],
      issues: [{ severity: 'must_fix', description: 'No log', criterionIds: ['AC-002'] }],
      gates: { tests: 'failed' },
      filesModified: ['src/log.ts'],
      judge: { agent: 'coach', model: 'model-1' },
      player: { agent: 'player', model: 'model-1' },
      ...more,
    })
  for (const number of [1, 4, 2, 7]) await capture(judged(number))
  for (const summary of ['Again', 'And again']) {
    await capture(
      judged(2, {
        playerSummary: summary,
        onConflict: 'supersede',
        extra: { summary },
        transcriptSessionIds: ['s-0'],
      }),
    )
  }
  // A later text belongs to a criterion that was known only by its label.
  await capture(
    judged(8, {
      verifications: [
        { ...criterion('the label alone', 'It shows who asked, and when'), status: 'verified' },
      ],
    }),
  )
  await capture(aTurn(1, { worldSlug: 'gone', verifications: [{ criterionId: 'AC-9', status: 'verified' }] }))
  await client.deleteWorld({ worldSlug: 'gone' })
  await client.createWorld(
    {
      ...{ featureId: FEATURE, taskId: 'TASK-2', executor: 'simulated', leaseTtlMs: 5_000 },
      stopWhen: ['approved', 'budget'],
      budget: { minutes: 0.5, attemptsFailedInARow: 3, tokens: 200_000 },
      backoff: { firstMs: 500, factor: 1.5, mostMs: 9_000 },
      resume: 'auto',
    },
    { idempotencyKey: 'made once' },
  )
}

/** Writes runs and attempts with every kind of end, and a produced turn that was superseded later. */
async function fillRuns(graph: Graph): Promise<void> {
  const client = clientOf(graph)
  const runs = new TurnRunStore(graph)
  const worldSlug = 'runs'
  await client.createWorld({ featureId: FEATURE, taskId: TASK, worldSlug, executor: 'simulated' })
  const world = { project: PROJECT, worldSlug }
  const start = (requestedTurnCount: number, maxAttempts: number): Promise<TurnRun> =>
    runs.startTurnRun({
      ...world,
      workerId: 'tests',
      requestedTurnCount,
      maxAttempts,
      turnCountSource: 'explicit',
      maxAttemptsSource: 'default',
    })
  const begin = (run: TurnRun) => runs.startAttemptForTurnRun(run, 'tests', run.fence ?? 0)
  const fail = (held: Attempt) => runs.failAttempt(held, held.fence ?? 0, 'it broke')
  const commit = (held: Attempt) => {
    const { project, ...record } = aTurn(held.attemptedTurn, { gates: { tests: 'passed' } })
    return runs.commitAttempt(held, held.fence ?? 0, captureRequest.parse(record))
  }
  await fail(await runs.startAttempt(world, 'tests'))
  const first = await start(2, 3)
  for (const end of [commit, fail, commit]) await end(await begin(first))
  const second = await start(3, 9)
  await begin(second)
  await runs.handBackTurnRun(second, second.fence ?? 0)
  await runs.requestTurnRunCancel(await start(1, 1), 'enough')
  await client.captureTurnState(
    aTurn(1, { worldSlug, playerSummary: 'Mended by hand', onConflict: 'supersede' }),
  )
}

/**
 * Writes agents, forks, failures, an open turn, turns of a captured session, and a pattern worth a better
 * tool.
 */
async function fillTranscripts(graph: Graph): Promise<void> {
  const client = clientOf(graph)
  const named = {
    ...result('p.1', {}, { toolUseResult: { agentId: 'a1' } }),
    uuid: 'named p.1',
    timestamp: instant(90),
  }
  const worktree = `/srv/.guard/worktrees/${TASK}`
  const parent = [
    ...turn('p', ['Read', 'Task'], {
      pending: [1],
      ends: false,
      errors: { 0: 'File /a/b.ts is 12 lines long' },
    }),
    named,
  ].map((record) => ({ ...record, cwd: worktree, version: '2.1.0' }))
  await send(client, S1, linesOf(parent))
  await send(
    client,
    AGENT,
    linesOf(turn('c', ['Grep', 'Read'], { from: 3 }).map((record) => ({ ...record, isSidechain: true }))),
  )
  const journey = (id: string, from: number) => turn(id, ['Grep', ...Array(4).fill('Read'), 'Edit'], { from })
  const shared = (calls: number) => turn('shared', NAMES.slice(0, calls), { from: 400, ends: false })
  await send(client, S2, bytesOf(journey('j1', 100), journey('j2', 200), journey('j3', 300), shared(3)))
  await send(client, S3, bytesOf(journey('j4', 1_000), shared(6)), { path: '/home/me/one.jsonl', inode: 7 })
  await send(client, S4, bytesOf(turn('without calls', [], { from: 5 })))
  await client.refreshDesires({})
  await client.captureTurnState(aTurn(9, { worldSlug: 'w', transcriptSessionIds: [S1, 'comes later'] }))
}

/** Writes the same names in other projects; one of them has only transcripts. */
async function fillOtherProjects(graph: Graph): Promise<void> {
  for (const project of OTHER_PROJECTS) {
    const client = clientOf(graph, project)
    await send(client, S1, bytesOf(turn('t', ['Read', 'Edit'])))
    if (project === 'transcripts alone') continue
    for (const taskId of ['b', 'b/c', 'B\u{1f9e9}', 'B\uffee']) {
      await client.captureTurnState({
        featureId: 'f%/1',
        taskId,
        turnNumber: 1,
        playerSummary: `In ${project}`,
        verifications: [{ ...criterion('AC-1', 'It holds'), status: 'verified' }],
      })
    }
  }
}
