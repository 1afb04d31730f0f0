import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import { transcriptKey } from '../../src/core/keys.ts'
import { markerOfProject } from '../../src/graph/mask-key.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { forget } from '../../src/maintenance/forget/forget.ts'
import { toScope, type WorldToForget, worldsToForget } from '../../src/maintenance/forget/scope.ts'
import { forgetWorld } from '../../src/maintenance/forget/world.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import type { OperationInput, OperationOutput } from '../../src/operations/table.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { memory } from '../support/embedded-engines.ts'
import { brokenCounts, countsOf, dumpOf } from '../support/graph-dump.ts'
import {
  aTurn,
  captureSteadily,
  clientOf,
  FEATURE,
  PROJECT,
  TASK,
  type TurnToSend,
} from '../support/records.ts'
import {
  brokenTurns,
  bytesOf,
  everyTurn,
  importedDump,
  send,
  sessionOf,
  turn,
} from '../support/transcript-import.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Asked = Omit<OperationInput<'forget'>, 'dryRun'>

/** Calls forget until it is done. Returns the sum of the counts. */
export async function forgetAll(graph: Graph, asked: Asked, dryRun = false) {
  const all = {
    counts: {} as Record<string, number>,
    worlds: [] as string[],
    skipped: [] as string[],
    pieces: 0,
  }
  let cursor: string | null = null
  for (let answer: OperationOutput<'forget'> | null = null; answer?.done !== true; ) {
    answer = await clientOf(graph).forget({ ...asked, dryRun, cursor })
    cursor = answer.nextCursor
    for (const [label, count] of Object.entries(answer.counts))
      all.counts[label] = (all.counts[label] ?? 0) + count
    all.worlds.push(...answer.worlds)
    all.skipped.push(...answer.skipped.map(({ worldSlug }) => worldSlug))
    all.pieces++
  }
  return all
}

/** The counts of a dry run: worlds, their turns, and sessions. Sessions that only a turn names are not counted. */
const ofWorlds = ({ World, Turn }: Record<string, number>) => ({ World, Turn })

const text = (n: number) => `Criterion number ${n} holds for every request that is sent`
const judged = (n: number, status: 'verified' | 'rejected' = 'verified') => ({
  criterionId: `AC-${n}`,
  criterionText: text(n),
  status,
  evidence: `seen ${n}`,
})

/** Creates a turn with all kinds of parts. */
const full = (turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend =>
  aTurn(turnNumber, {
    verifications: [judged(1), judged(2, 'rejected'), { criterionId: 'AC-9', status: 'unknown' }],
    promises: [{ criterionId: 'AC-1', criterionText: text(1), status: 'complete' }],
    issues: [{ severity: 'blocking', description: 'AC-2 is not met', criterionIds: ['AC-2'] }],
    gates: { tests: 'failed' },
    transcriptSessionIds: ['named'],
    ...more,
  })

const OLD = '2026-01-01T00:00:00Z'
const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']
const CONVERSATION = bytesOf(
  turn('c1', LONG, { errors: { 5: 'no such file' } }),
  turn('c2', LONG, { from: 20 }),
  turn('c3', LONG, { from: 40 }),
  turn('c4', ['Task'], { from: 60 }),
  turn('c5', ['Write', 'Bash'], { from: 65 }).map((record) => ({
    ...record,
    isSidechain: true,
    agentId: 'one',
  })),
)
/** A forked session, which contains a turn of the first one. */
const FORK = bytesOf(turn('c1', LONG, { errors: { 5: 'no such file' } }), turn('f1', LONG, { from: 100 }))
/** A month later. */
const OTHER_CONVERSATION = bytesOf(
  turn('o1', ['Read', 'Bash'], { from: 40 * 86_400 }),
  turn('o2', LONG, { from: 40 * 86_400 + 60 }),
)

/** A graph that fails at its n-th write, as if the process had ended then. */
function breaking(graph: Graph, at: number): Graph {
  let writes = 0
  return onEachWrite(graph, () => {
    if (++writes === at) throw new TurngraphError('store_unavailable', 'broken off')
  })
}

const onEachWrite = (graph: Graph, before: () => void | Promise<void>): Graph =>
  graphWith(graph, {
    write: async (...args) => {
      await before()
      return graph.write(...args)
    },
    transact: async (...args) => {
      await before()
      return graph.transact(...args)
    },
  })

/** Returns a world as a forget lists it. */
async function listedWorld(graph: Graph, worldSlug: string): Promise<WorldToForget> {
  const scope = toScope({ project: PROJECT, worldSlug, dryRun: false })
  for await (const {
    worlds: [world],
  } of worldsToForget(graph, scope))
    if (world !== undefined) return world
  throw new Error(`there is no world ${worldSlug}`)
}

/** Counters that only grow. They do not depend on what is stored now. */
const COUNTERS = /"(criteriaRev|worldCount|ordinal)":\d+/g
export const leftIn = async (graph: Graph): Promise<string[]> =>
  (await importedDump(graph)).map((line) => line.replace(COUNTERS, '"$1":0')).sort()

/** Forgetting is complete: the graph is as if the forgotten data had never been captured. */
export function forgetContract(store: StoreUnderTest): void {
  describe('forgetting', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = (graph: Graph, sent: TurnToSend) => captureSteadily(graph, sent)

    /** Captures the data that must remain, in this graph and in a graph that never had other data. */
    async function alsoAlone(captures: (graph: Graph) => Promise<unknown>): Promise<Graph> {
      const alone = await handles.open(() => memory.open())
      await captures(handles.graph)
      await captures(alone)
      return alone
    }

    test.each([
      ['its only world', {}],
      ['one of two worlds', { worldSlug: 'other' }],
      ['one of two tasks', { taskId: 'TASK-2' }],
      ['one of two features', { featureId: 'FEAT-2', taskId: 'TASK-2' }],
      ['one of two projects', { project: 'shop/2' }],
      ['a project whose name begins alike', { project: 'shop2' }],
      ['a feature whose name begins alike', { featureId: 'FEAT-1/TASK-1' }],
    ] as [string, Partial<TurnToSend>][])(
      '%s: what is left is as if it had never been',
      async (name, other) => {
        const isAlone = name === 'its only world'
        const alone = await alsoAlone(async (graph) => {
          if (isAlone) return
          for (const n of [1, 2]) await capture(graph, full(n, { worldSlug: 'stays', ...other }))
        })
        for (const n of [1, 2, 4]) await capture(handles.graph, full(n, { worldSlug: 'gone' }))
        await capture(handles.graph, full(3, { worldSlug: 'gone' })) // late
        await capture(
          handles.graph,
          full(2, { worldSlug: 'gone', playerSummary: 'x', onConflict: 'supersede' }),
        )
        await capture(
          handles.graph,
          full(2, { worldSlug: 'gone', playerSummary: 'y', onConflict: 'supersede' }),
        )
        await capture(
          handles.graph,
          full(2, { worldSlug: 'gone', playerSummary: 'z', onConflict: 'supersede' }),
        )
        const before = await countsOf(handles.graph)
        const would = await forgetAll(handles.graph, { worldSlug: 'gone' }, true)
        expect(await countsOf(handles.graph), 'a dry run changes nothing').toEqual(before)
        const went = await forgetAll(handles.graph, { worldSlug: 'gone' })
        expect(went.worlds).toEqual(['gone'])
        expect(would.counts, 'a dry run says what goes').toEqual(ofWorlds(went.counts))
        expect(await brokenCounts(handles.graph)).toEqual([])
        expect(await countsOf(handles.graph)).toEqual(await countsOf(alone))
        const after = await countsOf(handles.graph)
        for (const [label, count] of Object.entries(went.counts))
          expect((before[label] ?? 0) - (after[label] ?? 0), label).toBe(count)
        expect(await forgetAll(handles.graph, { worldSlug: 'gone' })).toMatchObject({
          counts: {},
          worlds: [],
        })
        expect(await capture(handles.graph, full(1, { worldSlug: 'gone' }))).toMatchObject({
          worldSlug: 'gone',
        })
        await alone.close()
      },
    )

    test('all worlds of a task or a project are deleted, and those with similar names stay', async () => {
      const others: Partial<TurnToSend>[] = [
        { project: 'a', featureId: 'b/c' },
        { project: 'a/b', featureId: 'c', taskId: 'd/e' },
        { project: 'guardkit_factory' },
        { project: 'guardkit%2Ffactory' },
        { project: 'guardkit', featureId: 'FEAT-1x' },
        { project: 'guardkit', taskId: 'TASK-10' },
      ]
      const alone = await alsoAlone(async (graph) => {
        for (const other of others) await capture(graph, full(1, other))
        await send(clientOf(graph), sessionOf(1), CONVERSATION, { project: 'guardkit_factory' })
        await send(clientOf(graph), sessionOf(1), CONVERSATION, { project: 'a/b' })
      })
      const going = { project: 'guardkit', featureId: FEATURE, taskId: TASK }
      for (const worldSlug of ['one', 'two', 'three'])
        await capture(handles.graph, full(1, { ...going, worldSlug }))
      const wouldTask = await forgetAll(handles.graph, going, true)
      const ofTask = await forgetAll(handles.graph, going)
      expect(ofTask.worlds).toEqual(['one', 'three', 'two'])
      expect(wouldTask.counts).toEqual(ofWorlds(ofTask.counts))
      expect(await leftIn(handles.graph)).toEqual(await leftIn(alone))

      await capture(handles.graph, full(1, { project: 'a' }))
      await send(client(), sessionOf(1), CONVERSATION, { project: 'a' })
      await send(client(), sessionOf(2), FORK, { project: 'a' })
      const before = await countsOf(handles.graph)
      const would = await forgetAll(handles.graph, { project: 'a', wholeProject: true }, true)
      const went = await forgetAll(handles.graph, { project: 'a', wholeProject: true })
      const after = await countsOf(handles.graph)
      for (const [label, count] of Object.entries(went.counts))
        expect((before[label] ?? 0) - (after[label] ?? 0), label).toBe(count)
      expect(would.counts).toEqual({ ...ofWorlds(went.counts), TranscriptSession: 3 })
      await forgetAll(alone, { project: 'a', wholeProject: true })
      expect(await leftIn(handles.graph)).toEqual(await leftIn(alone))
      await alone.close()
    })

    test('only worlds whose newest turn is older than the given instant are deleted', async () => {
      const at = (worldSlug: string, completedAt: string, more: Partial<TurnToSend> = {}) =>
        full(1, { worldSlug, completedAt, ...more })
      const alone = await alsoAlone((graph) => capture(graph, at('new', '2026-03-01T00:00:00Z')))
      await capture(handles.graph, at('old', '2026-01-01T00:00:00Z'))
      await capture(handles.graph, at('older', '2025-01-01T00:00:00Z', { featureId: 'F', taskId: 'T' }))
      const asked = { wholeProject: true, before: '2026-02-01T00:00:00Z' }
      const would = await forgetAll(handles.graph, asked, true)
      const went = await forgetAll(handles.graph, asked)
      expect(went.worlds).toEqual(['older', 'old'])
      expect(would.counts).toEqual(ofWorlds(went.counts))
      expect(await countsOf(handles.graph)).toEqual(await countsOf(alone))
      await alone.close()
    })

    test('labels and texts of a criterion that only forgotten turns used are removed', async () => {
      const worded = (criterionText: string, criterionId: string) => ({
        verifications: [{ criterionId, criterionText, status: 'verified' as const }],
      })
      await capture(handles.graph, aTurn(1, { worldSlug: 'gone', ...worded(`${text(1)} by anna`, 'AC-7') }))
      await capture(handles.graph, aTurn(1, { worldSlug: 'stays', ...worded(`AC-1 ${text(1)}`, 'AC-1') }))
      await forgetAll(handles.graph, { worldSlug: 'gone' })
      const [criterion] = (await client().listCriteria({ featureId: FEATURE, taskId: TASK })).criteria
      expect(criterion).toMatchObject({ text: text(1), aliases: [{ label: 'AC-1', source: 'coach' }] })
      expect(JSON.stringify(await dumpOf(handles.graph))).not.toContain('anna')
      // The same words again are the same criterion.
      await capture(handles.graph, aTurn(1, { worldSlug: 'again', ...worded(`${text(1)} by anna`, 'AC-7') }))
      expect((await countsOf(handles.graph)).Criterion).toBe(1)
    })

    test('a criterion that was merged through a promise is deleted together with its source', async () => {
      const bare = { verifications: [{ criterionId: 'AC-1', status: 'verified' as const }] }
      const promised = {
        promises: [{ criterionId: 'AC-1', criterionText: text(1), status: 'complete' as const }],
      }
      const alone = await alsoAlone((graph) => capture(graph, aTurn(1, { worldSlug: 'stays', ...promised })))
      await capture(handles.graph, aTurn(1, { worldSlug: 'gone', ...bare }))
      await capture(handles.graph, aTurn(2, { worldSlug: 'gone', ...bare, ...promised }))
      expect((await countsOf(handles.graph)).Criterion).toBe(2)
      const would = await forgetAll(handles.graph, { worldSlug: 'gone' }, true)
      const went = await forgetAll(handles.graph, { worldSlug: 'gone' })
      expect(would.counts).toEqual(ofWorlds(went.counts))
      expect(went.counts).toMatchObject({ World: 1, Criterion: 1 })
      expect(await countsOf(handles.graph)).toEqual(await countsOf(alone))
      await alone.close()
    })

    test('an active world is rejected by name, and stays when many are forgotten', async () => {
      const runs = new TurnRunStore(handles.graph)
      await capture(handles.graph, full(1, { worldSlug: 'idle' }))
      await capture(handles.graph, full(1, { worldSlug: 'single' }))
      await capture(handles.graph, full(1, { worldSlug: 'running' }))
      const started = await runs.startAttempt({ project: PROJECT, worldSlug: 'single' }, 'w')
      const attempt = await runs.claimAttempt(started, 'w')
      const run = await runs.startTurnRun({
        project: PROJECT,
        worldSlug: 'running',
        workerId: 'w',
        requestedTurnCount: 2,
        maxAttempts: 2,
        turnCountSource: 'explicit',
        maxAttemptsSource: 'default',
      })
      const before = await countsOf(handles.graph)
      await expect(client().forget({ worldSlug: 'single', dryRun: false })).rejects.toMatchObject({
        code: 'busy',
        details: { attempt_id: attempt.attemptId },
      })
      await expect(client().forget({ worldSlug: 'running', dryRun: false })).rejects.toMatchObject({
        code: 'busy',
      })
      expect(await countsOf(handles.graph)).toEqual(before)
      expect(await client().forget({ featureId: FEATURE, taskId: TASK, dryRun: false })).toMatchObject({
        done: true,
        worlds: ['idle'],
        skipped: [
          { worldSlug: 'running', attemptId: run.turnRunId, turnRunId: run.turnRunId },
          { worldSlug: 'single', attemptId: attempt.attemptId, turnRunId: null },
        ],
      })
      expect(await client().getWorld({ worldSlug: 'single' })).toMatchObject({
        activeAttemptId: attempt.attemptId,
      })
      const fence = attempt.fence ?? 0
      await runs.commitAttempt(attempt, fence, captureRequest.parse({ ...full(2), project: undefined }))
      const gone = await forgetAll(handles.graph, { worldSlug: 'single' })
      expect(gone.counts).toMatchObject({ World: 1, Turn: 2, Attempt: 1 })
      expect(await brokenCounts(handles.graph)).toEqual([])
    })

    test('a world that is marked as deleted can be forgotten, and its slug is free again', async () => {
      await capture(handles.graph, full(1, { worldSlug: 'w' }))
      await client().deleteWorld({ worldSlug: 'w' })
      await expect(capture(handles.graph, full(2, { worldSlug: 'w' }))).rejects.toMatchObject({
        code: 'world_deleted',
      })
      await forgetAll(handles.graph, { worldSlug: 'w' })
      expect(await countsOf(handles.graph)).toEqual({})
      expect(await capture(handles.graph, full(2, { worldSlug: 'w' }))).toBeTruthy()
    })

    test('a project without a feature is deleted only as a whole', async () => {
      await markerOfProject(handles.graph, PROJECT)
      const asked = { project: PROJECT, wholeProject: true }
      expect((await forgetAll(handles.graph, { ...asked, before: '2026-01-31' })).counts).toEqual({})
      expect((await forgetAll(handles.graph, asked)).counts).toEqual({ Project: 1 })
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test('a request without a scope is rejected', async () => {
      const invalid = { code: 'invalid_request' }
      await expect(client().forget({ dryRun: false })).rejects.toMatchObject(invalid)
      await expect(client().forget({ featureId: FEATURE })).rejects.toMatchObject(invalid)
      await expect(client().forget({ wholeProject: true, worldSlug: 'w' })).rejects.toMatchObject(invalid)
      await expect(client().forget({ wholeProject: false })).rejects.toMatchObject(invalid)
    })

    test('the log gets the counts of a forgotten world', async () => {
      const told: unknown[] = []
      await capture(handles.graph, aTurn(1, { worldSlug: 'w' }))
      const request = { project: PROJECT, worldSlug: 'w', dryRun: false }
      await forget(handles.graph, request, { threshold: 5, log: (...line) => told.push(line) })
      expect(told).toEqual([
        [
          `forgot world w, project ${PROJECT}`,
          { forgot: { Feature: 1, Project: 1, Task: 1, Turn: 1, World: 1 }, worlds: ['w'] },
        ],
      ])
    })

    test('a forget ends if the search for old conversations takes all the time of a call', async () => {
      await send(client(), sessionOf(1), CONVERSATION)
      await send(client(), sessionOf(3), OTHER_CONVERSATION)
      let late = 0
      const found: number[] = []
      const now = performance.now.bind(performance)
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + late)
      onTestFinished(() => clock.mockRestore())
      const slow = graphWith(handles.graph, {
        read: async (statement, ...more) => {
          const rows = await handles.graph.read(statement, ...more)
          if (!statement.name.startsWith('forget/conversations')) return rows
          late += 3_000
          found.push(rows.length)
          return rows
        },
      })
      const request = { project: PROJECT, wholeProject: true, before: '2026-01-31', dryRun: false }
      for (let done = false, calls = 0; !done; calls++) {
        expect(calls, 'each call deletes something').toBeLessThan(10)
        const answer = await forget(slow, request, { threshold: 5 })
        done = answer.done
        expect(done || Object.keys(answer.counts).length > 0).toBe(true)
      }
      expect(found, 'spared conversations are not read').toEqual(found.map(() => 1))
      expect((await everyTurn(client())).map(({ turnId }) => turnId).sort()).toEqual(['o1', 'o2'])
    })

    test('a turn that a remaining session contains stays with that session', async () => {
      const fork = bytesOf(
        turn('c1', LONG, { errors: { 5: 'no such file' } }),
        turn('f1', LONG, { from: 40 * 86_400 }),
      )
      const alone = await alsoAlone((graph) => send(clientOf(graph), sessionOf(2), fork))
      const old = bytesOf(
        turn('c1', LONG, { errors: { 5: 'no such file' } }),
        turn('c2', ['Glob'], { from: 20 }),
      )
      await send(client(), sessionOf(1), old)
      const [given] = (await client().listTranscriptTurns({ sessionId: sessionOf(1) })).items
      expect(given).toMatchObject({ turnId: 'c1', sessionId: sessionOf(1) })
      const went = await forgetAll(handles.graph, { wholeProject: true, before: '2026-01-31' })
      expect(went.counts).toMatchObject({
        TranscriptFile: 1,
        TranscriptSession: 1,
        TranscriptTurn: 1,
        Tool: 1,
      })
      expect(await leftIn(handles.graph)).toEqual(await leftIn(alone))
      expect(await findingsOf(handles.graph)).toEqual([])
      await alone.close()
    })

    test('a turn is deleted with all of its failed calls, even if they exceed one transaction', async () => {
      const errors = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [i, 'Exit code 1']))
      const huge = turn('huge', Array(2_500).fill('Bash'), { errors })
      await send(client(), sessionOf(1), bytesOf(huge, turn('small', LONG)))
      const before = await countsOf(handles.graph)
      expect(before.FailedCall).toBe(2_500)
      const went = await forgetAll(handles.graph, { wholeProject: true })
      expect(went.counts).toMatchObject({ TranscriptTurn: 2, FailedCall: before.FailedCall })
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test('a world in which an attempt starts after the plan stays unchanged', async () => {
      await capture(handles.graph, full(1, { worldSlug: 'w' }))
      const seen = await listedWorld(handles.graph, 'w') // before it began
      await new TurnRunStore(handles.graph).startAttempt({ project: PROJECT, worldSlug: 'w' }, 'w')
      const before = await leftIn(handles.graph)
      const progress = { counts: {}, isTime: () => true }
      expect(await forgetWorld(handles.graph, seen, true, progress)).toBe('busy')
      expect(await leftIn(handles.graph)).toEqual(before)
    })

    test('a forget that another one overtook leaves a world that was captured since', async () => {
      const states = async () => [await leftIn(handles.graph), await findingsOf(handles.graph)]
      for (let overtakenAt = 2, writes = 2; overtakenAt <= writes; overtakenAt++) {
        for (const n of [1, 2]) await capture(handles.graph, full(n, { worldSlug: 'w' }))
        await capture(handles.graph, full(1, { worldSlug: 'w', commit: 'c', onConflict: 'supersede' }))
        writes = 0
        let expected: Awaited<ReturnType<typeof states>> | null = null
        const slow = onEachWrite(handles.graph, async () => {
          if (++writes !== overtakenAt) return
          await forgetAll(handles.graph, { worldSlug: 'w' })
          await capture(handles.graph, full(1, { worldSlug: 'w', onConflict: 'supersede', commit: 'd' }))
          expected = await states()
        })
        const request = { project: PROJECT, worldSlug: 'w', dryRun: false }
        let answer = await forget(slow, request, { threshold: 5 })
        // A slow machine needs several pieces. A piece after the capture would be asked to delete the new world, too.
        while (!answer.done && expected === null) answer = await forget(slow, request, { threshold: 5 })
        expect(answer).toMatchObject({ skipped: [] })
        if (expected !== null)
          expect(await states(), `overtaken before write ${overtakenAt}`).toEqual(expected)
        await forgetAll(handles.graph, { worldSlug: 'w' })
        expect(await countsOf(handles.graph)).toEqual({})
      }
    })

    test('captures during a forget are stored whole, or rejected because the world is being forgotten', async () => {
      const other = await handles.open(() => store.beside(handles.graph))
      for (let round = 0; round < 5; round++) {
        const worlds = ['gone', 'gone-too', 'stays', `new-${round}`]
        for (const worldSlug of worlds.slice(0, 3))
          await capture(handles.graph, full(round + 1, { worldSlug, createWorld: true }))
        const racing = worlds.map((worldSlug) =>
          clientOf(other)
            .captureTurnState(full(round + 2, { worldSlug, createWorld: true, onConflict: 'supersede' }))
            .then(
              () => null,
              (error: unknown) => (error instanceof TurngraphError ? error.code : String(error)),
            ),
        )
        const going = ['gone', 'gone-too'].map((worldSlug) => forgetAll(handles.graph, { worldSlug }))
        const outcomes = await Promise.all(racing)
        await Promise.all(going)
        for (const outcome of outcomes) expect([null, 'world_deleted']).toContain(outcome)
        expect(await findingsOf(handles.graph)).toEqual([])
        for (const worldSlug of worlds) await forgetAll(handles.graph, { worldSlug })
        expect(await countsOf(handles.graph)).toEqual({})
      }
      if (other !== handles.graph) await other.close()
    })

    test('a transcript session is deleted with its agents, and turns that another session contains stay', async () => {
      const alone = await alsoAlone(async (graph) => {
        await capture(graph, full(1, { worldSlug: 'stays' }))
        await send(clientOf(graph), sessionOf(2), FORK)
        await send(clientOf(graph), sessionOf(3), OTHER_CONVERSATION)
      })
      const inWorktree = CONVERSATION.toString().replaceAll('/srv/app', '/srv/.guardkit/worktrees/TASK-1')
      await send(client(), sessionOf(1), Buffer.from(inWorktree))
      const asked = { sessionId: sessionOf(1) }
      const would = await forgetAll(handles.graph, asked, true)
      expect(would.counts).toEqual({ TranscriptSession: 2 })
      const went = await forgetAll(handles.graph, asked)
      expect(went).toMatchObject({
        worlds: [],
        skipped: [],
        counts: { TranscriptSession: 2, TranscriptFile: 1 },
      })
      expect(await leftIn(handles.graph)).toEqual(await leftIn(alone))
      expect(await findingsOf(handles.graph)).toEqual([])
      expect((await forgetAll(handles.graph, asked)).counts, 'what is gone already is no error').toEqual({})
      await send(client(), sessionOf(1), CONVERSATION)
      expect((await forgetAll(handles.graph, asked, true)).counts).toEqual({ TranscriptSession: 2 })
      await alone.close()
    })

    test('a session that is imported while its project is forgotten is stored whole', async () => {
      const asked = { project: PROJECT, wholeProject: true, dryRun: false }
      for (let importedAt = 1, writes = 1; importedAt <= writes; importedAt++) {
        await send(client(), sessionOf(1), CONVERSATION)
        await send(client(), sessionOf(2), bytesOf()) // a file without a session
        writes = 0
        const busy = onEachWrite(handles.graph, async () => {
          if (++writes === importedAt) await send(client(), sessionOf(3), OTHER_CONVERSATION)
        })
        while (!(await forget(busy, asked, { threshold: 5 })).done);
        expect(await brokenTurns(handles.graph), `imported before write ${importedAt}`).toEqual([])
        expect(await findingsOf(handles.graph), `imported before write ${importedAt}`).toEqual([])
        await forgetAll(handles.graph, asked)
        expect(await countsOf(handles.graph)).toEqual({})
      }
    })

    test('no unused pattern is left if an import uses a pattern again that forget is about to delete', async () => {
      const asked = { project: PROJECT, wholeProject: true, dryRun: false }
      const unused = {
        name: 'test/unused-patterns',
        text: 'UNWIND $keys AS key CREATE (:TurnPattern {key: key})',
        params: ['keys'],
      }
      const keys = ['a', 'b', 'c'].map((name) => transcriptKey(PROJECT, name))
      await send(client(), sessionOf(1), CONVERSATION)
      await handles.graph.write([{ statement: unused, params: { keys } }])
      const deletesFewer = graphWith(handles.graph, {
        write: ([first, ...rest]) => {
          const isDeletion = first.statement.name === 'forget/delete-all-TurnPattern'
          const fewer = isDeletion ? { ...first, params: { ...first.params, limit: 1 } } : first
          return handles.graph.write([fewer, ...rest])
        },
      })
      while (!(await forget(deletesFewer, asked, { threshold: 5 })).done);
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test('a forgotten agent whose records are in the file of its session stays away, and later turns are read', async () => {
      const agent = (id: string, from: number, ends = true) =>
        turn(id, ['Write', 'Bash'], { from, ends }).map((record) => ({
          ...record,
          isSidechain: true,
          agentId: 'one',
        }))
      const before = [
        turn('c1', LONG),
        agent('a1', 20),
        turn('c2', ['Task'], { from: 30, ends: false }),
        agent('a2', 40, false),
      ]
      const later = turn('c3', LONG, { from: 60 })
      const turns = async () =>
        (await everyTurn(client())).map(({ turnId, sessionId }) => `${sessionId} ${turnId}`).sort()
      await send(client(), sessionOf(1), bytesOf(...before))
      const asked = { sessionId: `${sessionOf(1)}/one` }
      const went = await forgetAll(handles.graph, asked)
      expect(went.counts).toMatchObject({ TranscriptSession: 1, TranscriptTurn: 2 })
      expect(await findingsOf(handles.graph)).toEqual([])
      await send(client(), sessionOf(1), bytesOf(...before, later))
      expect(await turns()).toEqual(['c1', 'c2', 'c3'].map((id) => `${sessionOf(1)} ${id}`))
      expect((await countsOf(handles.graph)).TranscriptSession).toBe(1)
      await send(client(), sessionOf(1), bytesOf(...before, later, agent('a3', 90)))
      expect((await turns()).at(-1)).toBe(`${sessionOf(1)}/one a3`)
      expect(await findingsOf(handles.graph)).toEqual([])
      await forgetAll(handles.graph, { sessionId: sessionOf(1) })
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test('an unknown transcript session is rejected with similar names, and so is a request with two things to forget', async () => {
      await send(client(), sessionOf(1), CONVERSATION)
      const near = { code: 'not_found', details: { near: expect.arrayContaining([sessionOf(1)]) } }
      await expect(forgetAll(handles.graph, { sessionId: sessionOf(12) }, true)).rejects.toMatchObject(near)
      const before = await countsOf(handles.graph)
      for (const more of [{ worldSlug: 'w' }, { wholeProject: true }])
        await expect(
          client().forget({ sessionId: sessionOf(1), ...more, dryRun: false }),
        ).rejects.toMatchObject({ code: 'invalid_request' })
      expect(await countsOf(handles.graph)).toEqual(before)
    })

    test('a transcript session is deleted by a second forget after the first one failed at any write', {
      timeout: 240_000,
    }, async () => {
      await send(client(), sessionOf(3), OTHER_CONVERSATION)
      await client().refreshDesires({})
      const left = await leftIn(handles.graph)
      const asked = { sessionId: sessionOf(1), project: PROJECT, dryRun: false }
      let broken = 0
      for (let survived = false; !survived; ) {
        broken++
        await send(client(), sessionOf(1), CONVERSATION)
        survived = await forget(breaking(handles.graph, broken), asked, { threshold: 5 }).then(
          ({ done }) => done,
          () => false,
        )
        await forgetAll(handles.graph, asked)
        expect(await leftIn(handles.graph), `broken off at write ${broken}`).toEqual(left)
      }
      expect(broken).toBeGreaterThan(4)
    })
  })
}

/** Checks the order of the writes, on one engine: `forgetContract` runs their statements on every engine. */
export function forgetRulesContract(store: StoreUnderTest): void {
  describe('forgetting a project', () => {
    const handles = useGraph(store)

    test('a repeated forget after a failure at any write leaves nothing', { timeout: 240_000 }, async () => {
      const { graph } = handles
      const client = clientOf(graph)
      await captureSteadily(graph, full(1, { worldSlug: 'stays', completedAt: '2026-03-01T00:00:00Z' }))
      await send(client, sessionOf(3), OTHER_CONVERSATION)
      await client.refreshDesires({})
      const left = await leftIn(graph)
      const asked = { wholeProject: true, before: '2026-01-31T00:00:00Z', project: PROJECT, dryRun: false }
      let broken = 0
      for (let survived = false; !survived; ) {
        broken++
        for (const n of [1, 2]) await captureSteadily(graph, full(n, { worldSlug: 'gone', completedAt: OLD }))
        const replacing = {
          worldSlug: 'gone',
          completedAt: OLD,
          onConflict: 'supersede',
          commit: 'c',
        } as const
        await captureSteadily(graph, full(2, replacing))
        for (const taskId of ['TASK-2', 'TASK-3'])
          await captureSteadily(graph, full(1, { worldSlug: `gone-${taskId}`, completedAt: OLD, taskId }))
        await send(client, sessionOf(1), CONVERSATION)
        await send(client, sessionOf(2), FORK)
        survived = await forget(breaking(graph, broken), asked, { threshold: 5 }).then(
          ({ done }) => done,
          () => false,
        )
        await forgetAll(graph, { ...asked, project: PROJECT })
        expect(await leftIn(graph), `broken off at write ${broken}`).toEqual(left)
      }
      expect(broken).toBeGreaterThan(20)
    })
  })
}
