import { describe, expect, test } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import {
  ATTEMPT_RESTARTED,
  type Attempt,
  EXHAUSTED,
  LEASE_EXPIRED,
  NEVER_CLAIMED,
  RESTARTED,
  type TurnRun,
} from '../../src/runs/record.ts'
import { type StartTurnRunInput, TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { countsOf, dumpOf } from '../support/graph-dump.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const WORKER = 'instance-1'

/** Durable turn runs: seed 001's store, with the locks, fences and leases of the contract (runs.md). */
export function runsContract(store: StoreUnderTest): void {
  describe('turn runs', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    /** Creates a store with a database clock that a test can advance. */
    function lifeOf(graph: Graph) {
      let skew = 0
      const runs = new TurnRunStore(graph, { skew: () => skew })
      return { runs, pass: (ms: number) => (skew += ms) }
    }

    const aWorld = async (executor: 'external' | 'simulated' = 'simulated', worldSlug = 'w') => {
      const ref = { project: PROJECT, worldSlug }
      await client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug, executor })
      return ref
    }

    const counts = (
      requestedTurnCount: number,
      maxAttempts = requestedTurnCount,
    ): Omit<StartTurnRunInput, 'project' | 'worldSlug'> => ({
      workerId: WORKER,
      requestedTurnCount,
      maxAttempts,
      turnCountSource: 'explicit',
      maxAttemptsSource: 'default',
    })

    const record = (turnNumber: number, more: Parameters<typeof aTurn>[1] = {}) => {
      const { project, ...turn } = aTurn(turnNumber, more)
      return captureRequest.parse(turn)
    }

    const fenceOf = ({ fence }: { fence: number | null }): number => {
      if (fence === null) throw new Error('nobody owns it')
      return fence
    }

    const begin = (runs: TurnRunStore, run: TurnRun): Promise<Attempt> =>
      runs.startAttemptForTurnRun(run, WORKER, fenceOf(run))
    const commit = (runs: TurnRunStore, held: Attempt): Promise<Attempt> =>
      runs.commitAttempt(held, fenceOf(held), record(held.attemptedTurn))
    const fail = (runs: TurnRunStore, held: Attempt): Promise<Attempt> =>
      runs.failAttempt(held, fenceOf(held), 'it broke')
    const statusOf = async (runs: TurnRunStore, run: TurnRun): Promise<TurnRun> =>
      (await runs.getTurnRunStatus(run)).run

    test('an attempt shows its fence only to the worker that claimed it', async () => {
      await aWorld('external')
      const { attemptId = '' } = await client().runTurn({ worldSlug: 'w' })
      const { fence } = await client().claimAttempt({
        attemptId,
        workerId: 'worker-1',
        withContinuation: false,
      })
      const seenBy = async (workerId?: string) =>
        (await client().getTurnStatus({ attemptId, workerId })).lease?.fence
      expect(await seenBy()).toBeNull()
      expect(await seenBy('worker-2')).toBeNull()
      expect(await seenBy('worker-1')).toBe(fence)
    })

    test('a rejected write to an active world names the run or attempt that holds it', async () => {
      await aWorld('external')
      const { attemptId = '' } = await client().runTurn({ worldSlug: 'w' })
      const sent = aTurn(1, { worldSlug: 'w' })
      await expect(client().captureTurnState(sent)).rejects.toMatchObject({
        code: 'busy',
        hint: `Wait for attempt ${attemptId}, or let its worker commit it or fail it. No turn run holds the world.`,
      })
    })

    test('a lease that is further away than its time to live has expired: the clock has jumped back', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld()
      pass(3_600_000)
      const run = await runs.startTurnRun({ ...world, ...counts(2) })
      await begin(runs, run)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ runs: 0, attempts: 0 })
      pass(-3_600_000)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ runs: 1, attempts: 1 })
      expect((await statusOf(runs, run)).status).toBe('interrupted')
    })

    test('an owner that renews its lease after the clock jumped back keeps it', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld()
      pass(3_600_000)
      const run = await runs.startTurnRun({ ...world, ...counts(2) })
      pass(-3_600_000)
      const { leaseUntil } = await runs.renewTurnRun(run, fenceOf(run), null)
      expect(leaseUntil).toBeLessThan(Date.now() + 120_000)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ runs: 0 })
    })

    test('start_turn_run_claims_world_run_lease', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3, 5) })
      expect(run).toMatchObject({
        status: 'running',
        requestedTurnCount: 3,
        maxAttempts: 5,
        startTurn: 0,
        targetTurn: 3,
        committedTurnCount: 0,
        attemptCount: 0,
        activeAttemptId: null,
        lastAttemptId: null,
        fence: 1,
        leaseOwner: WORKER,
      })
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({
        activeTurnRunId: run.turnRunId,
        activeAttemptId: null,
      })
      const held = { code: 'busy', details: { attempt_id: run.turnRunId, turn_run_id: run.turnRunId } }
      await expect(runs.startAttempt(world, WORKER)).rejects.toMatchObject(held)
      await expect(runs.startTurnRun({ ...world, ...counts(1) })).rejects.toMatchObject(held)
      await expect(client().deleteWorld({ worldSlug: 'w' })).rejects.toMatchObject(held)
    })

    test('the runs of a project are listed newest first, by world and by status, a page at a time', async () => {
      let asked = 0
      // Some instants have a fraction, and others of the same second have none.
      const runs = new TurnRunStore(handles.graph, {
        now: () => new Date(Date.UTC(2026, 0, 1) + 500 * Math.ceil(++asked / 4)),
      })
      const ids: string[] = []
      for (const slug of ['v', 'w']) {
        const world = await aWorld('simulated', slug)
        for (let i = 0; i < 3; i++) {
          const run = await runs.startTurnRun({ ...world, ...counts(2) })
          ids.push(run.turnRunId)
          await runs.requestTurnRunCancel(run, 'enough')
          await runs.finalizeCancelledTurnRunIfIdle(run)
        }
      }
      await client().createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'empty', project: 'other' })
      const { runs: last } = lifeOf(handles.graph)
      const active = await last.startTurnRun({ project: PROJECT, worldSlug: 'v', ...counts(2) })
      const all = (await client().listTurnRuns({})).items
      expect(all.map(({ turnRunId }) => turnRunId)[0]).toBe(active.turnRunId)
      expect(new Set(all.map(({ turnRunId }) => turnRunId))).toEqual(new Set([...ids, active.turnRunId]))
      const order = all.map(({ enqueuedAt, turnRunId }) => `${Date.parse(enqueuedAt)} ${turnRunId}`)
      expect(order).toEqual(order.toSorted().reverse())
      const paged: string[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<ReturnType<typeof client>['listTurnRuns']>> =
          await client().listTurnRuns({
            limit: 2,
            cursor,
          })
        paged.push(...page.items.map(({ turnRunId }) => turnRunId))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(paged).toEqual(all.map(({ turnRunId }) => turnRunId))
      const some = async (asked: Parameters<ReturnType<typeof client>['listTurnRuns']>[0]) =>
        (await client().listTurnRuns(asked)).items.map(({ worldSlug, status }) => `${worldSlug} ${status}`)
      expect(await some({ status: 'running' })).toEqual(['v running'])
      expect(await some({ worldSlug: 'w' })).toEqual(Array(3).fill('w cancelled'))
      expect(await some({ worldSlug: 'w', status: 'failed' })).toEqual([])
      expect(await some({ project: 'other' })).toEqual([])
      await expect(client().listTurnRuns({ worldSlug: 'nope' })).rejects.toMatchObject({
        code: 'unknown_world',
      })
      await expect(client().listTurnRuns({ cursor: 'bm9uZQ' })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })

    test('a world with a single attempt starts no run and no second attempt', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const { attemptId } = await runs.startAttempt(world, WORKER)
      const held = { code: 'busy', details: { attempt_id: attemptId, turn_run_id: null } }
      await expect(runs.startTurnRun({ ...world, ...counts(2) })).rejects.toMatchObject(held)
      await expect(runs.startAttempt(world, WORKER)).rejects.toMatchObject(held)
    })

    test('unknown and deleted worlds reject runs and attempts', async () => {
      const { runs } = lifeOf(handles.graph)
      const nowhere = { project: PROJECT, worldSlug: 'nowhere' }
      await expect(runs.startTurnRun({ ...nowhere, ...counts(2) })).rejects.toMatchObject({
        code: 'unknown_world',
      })
      await expect(runs.startAttempt(nowhere, WORKER)).rejects.toMatchObject({ code: 'unknown_world' })
      const world = await aWorld()
      await client().deleteWorld({ worldSlug: 'w' })
      await expect(runs.startTurnRun({ ...world, ...counts(2) })).rejects.toMatchObject({
        code: 'world_deleted',
      })
      await expect(runs.startAttempt(world, WORKER)).rejects.toMatchObject({ code: 'world_deleted' })
    })

    test('start_attempt_for_turn_run_creates_attempt_with_sequence', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const single = await runs.startAttempt(world, WORKER)
      await fail(runs, single)
      const run = await runs.startTurnRun({ ...world, ...counts(2, 4) })
      const seen: Attempt[] = []
      for (const end of [fail, commit, fail, commit]) {
        const held = await begin(runs, run)
        expect(await statusOf(runs, run)).toMatchObject({
          activeAttemptId: held.attemptId,
          lastAttemptId: held.attemptId,
          lastAttemptStatus: 'running',
        })
        const busy = { code: 'busy', details: { attempt_id: held.attemptId, turn_run_id: run.turnRunId } }
        await expect(begin(runs, run)).rejects.toMatchObject(busy)
        seen.push(await end(runs, held))
      }
      expect(single).toMatchObject({ turnRunId: null, turnRunSeq: null, number: 1 })
      expect(seen.map(({ turnRunId, turnRunSeq, number }) => [turnRunId, turnRunSeq, number])).toEqual(
        [1, 2, 3, 4].map((seq) => [run.turnRunId, seq, seq + 1]),
      )
      expect(seen.map(({ attemptedTurn, producedTurn }) => [attemptedTurn, producedTurn])).toEqual([
        [1, null],
        [1, 1],
        [2, null],
        [2, 2],
      ])
      // Step 6: attempt_count < max_attempts. A world with goals keeps its run active after the last attempt.
      await client().setWorld({ worldSlug: world.worldSlug, stopWhen: ['approved'] })
      const full = await runs.startTurnRun({ ...world, ...counts(2, 2) })
      for (const end of [fail, fail]) await end(runs, await begin(runs, full))
      expect(await statusOf(runs, full)).toMatchObject({ status: 'running', attemptCount: 2, maxAttempts: 2 })
      await expect(begin(runs, full)).rejects.toMatchObject({
        code: 'busy',
        message: `Turn run ${full.turnRunId} has made all of its 2 attempts (2).`,
      })
      expect(await statusOf(runs, full)).toMatchObject({ attemptCount: 2, activeAttemptId: null })
    })

    test('the attempts of a run and of its world are listed newest first, a page at a time', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const single = await fail(runs, await runs.startAttempt(world, WORKER))
      const run = await runs.startTurnRun({ ...world, ...counts(2, 4) })
      const seen: Attempt[] = []
      for (const end of [fail, commit, fail, commit]) seen.push(await end(runs, await begin(runs, run)))
      const ended = await statusOf(runs, run)
      const page = await runs.listAttemptsOfRun(ended, 3)
      expect(page).toEqual({ attempts: seen.slice(1).reverse(), next: 2 })
      expect(await runs.listAttemptsOfRun(ended, 3, 2)).toEqual({ attempts: seen.slice(0, 1), next: null })
      const all = await runs.listAttemptsOfWorld(world, 10)
      expect(all.attempts.map(({ attemptId }) => attemptId)).toEqual(
        [single, ...seen].map(({ attemptId }) => attemptId).reverse(),
      )
      const numberBy = new Map(all.attempts.map(({ attemptId, number }) => [attemptId, number]))
      const numbers = async (asked: { turnRunId?: string; upTo: number; cursor?: string | null }) => {
        const { items: attempts, nextCursor } = await client().listAttempts({ ...world, limit: 2, ...asked })
        return { numbers: attempts.map(({ attemptId }) => numberBy.get(attemptId)), nextCursor }
      }
      const { turnRunId } = run
      const third = await numbers({ turnRunId, upTo: 3 })
      expect(third.numbers, 'in its run').toEqual([4, 3])
      const { nextCursor } = third
      expect(await numbers({ turnRunId, upTo: 3, cursor: nextCursor })).toEqual({
        numbers: [2],
        nextCursor: null,
      })
      expect((await numbers({ upTo: 3 })).numbers, 'in its world').toEqual([3, 2])
      expect((await numbers({ turnRunId, upTo: 99 })).numbers, 'beyond the last').toEqual([5, 4])
      expect(await countsOf(handles.graph)).toMatchObject({
        TurnRun: 1,
        Attempt: 5,
        HAS_RUN: 1,
        HAS_ATTEMPT: 9,
        PRODUCED: 2,
        Turn: 2,
        NEXT: 1,
      })
    })

    test('finish_turn_run_attempt_completes_on_requested_commits', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      await client().captureTurnState(aTurn(1, { worldSlug: 'w' }))
      const run = await runs.startTurnRun({ ...world, ...counts(2) })
      expect(run).toMatchObject({ startTurn: 1, targetTurn: 3 })
      const first = await commit(runs, await begin(runs, run))
      expect(await statusOf(runs, run)).toMatchObject({
        status: 'running',
        committedTurnCount: 1,
        attemptCount: 1,
      })
      const second = await begin(runs, run)
      await expect(runs.finishTurnRunAttempt(run, second.attemptId)).rejects.toMatchObject({ code: 'busy' })
      await commit(runs, second)
      const ended = await runs.finishTurnRunAttempt(run, second.attemptId)
      expect(ended).toMatchObject({
        status: 'completed',
        committedTurnCount: 2,
        attemptCount: 2,
        failedAttemptCount: 0,
        activeAttemptId: null,
        lastAttemptId: second.attemptId,
        lastAttemptStatus: 'committed',
        failureReason: null,
      })
      expect(ended.endedAt).not.toBeNull()
      expect(await runs.finishTurnRunAttempt(run, first.attemptId)).toEqual(ended)
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({
        currentTurn: 3,
        activeTurnRunId: null,
        activeAttemptId: null,
      })
      await expect(begin(runs, run)).rejects.toMatchObject({ code: 'busy' })
      const shown = await client().loadTurnContinuationContext(aContext(4, { worldSlug: 'w' }))
      expect(shown).toMatchObject({ status: 'ok', previousTurn: 3, prior: { playerSummary: 'Attempt 3' } })
    })

    test('finish_turn_run_attempt_fails_on_max_attempts', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(2, 3) })
      await fail(runs, await begin(runs, run))
      await commit(runs, await begin(runs, run))
      expect(await statusOf(runs, run)).toMatchObject({ status: 'running', failedAttemptCount: 1 })
      await fail(runs, await begin(runs, run))
      expect(await statusOf(runs, run)).toMatchObject({
        status: 'failed',
        failureReason: EXHAUSTED,
        committedTurnCount: 1,
        failedAttemptCount: 2,
        attemptCount: 3,
      })
      expect(EXHAUSTED).toBe('max_attempts exhausted before requested turn_count committed')
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({
        activeTurnRunId: null,
        currentTurn: 1,
      })
    })

    test('the status of a failed run and the list of runs show the failure of its last attempt', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(2, 3) })
      await fail(runs, await begin(runs, run))
      const said = async () => {
        const { lastAttemptFailureReason } = await client().getTurnRunStatus({ turnRunId: run.turnRunId })
        const { items } = await client().listTurnRuns({})
        expect(items).toMatchObject([{ lastAttemptFailureReason }])
        return lastAttemptFailureReason
      }
      expect(await said()).toBeNull()
      await commit(runs, await begin(runs, run))
      const last = await begin(runs, run)
      await runs.failAttempt(last, last.fence ?? 0, 'the build broke')
      expect(await said()).toBe('the build broke')
      const again = await client().cancelTurnRun({ turnRunId: run.turnRunId })
      expect(again).toMatchObject({ status: 'failed', lastAttemptFailureReason: 'the build broke' })
      const other = await runs.startTurnRun({ ...world, ...counts(2, 2) })
      await fail(runs, await begin(runs, other))
      await commit(runs, await begin(runs, other))
      expect(await client().getTurnRunStatus({ turnRunId: other.turnRunId })).toMatchObject({
        status: 'failed',
        lastAttemptStatus: 'committed',
        lastAttemptFailureReason: null,
      })
    })

    test('request_turn_run_cancel_is_idempotent', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3, 9) })
      const held = await begin(runs, run)
      const asked = await runs.requestTurnRunCancel(run, 'first')
      expect(asked).toMatchObject({
        status: 'cancel_requested',
        cancelReason: 'first',
        activeAttemptId: held.attemptId,
      })
      expect(await runs.requestTurnRunCancel(run, 'second')).toEqual(asked)
      expect(await runs.finalizeCancelledTurnRunIfIdle(run)).toEqual(asked)
      expect((await runs.getAttempt(held)).status).toBe('running')
      await fail(runs, held)
      const ended = await statusOf(runs, run)
      expect(ended).toMatchObject({
        status: 'cancelled',
        failedAttemptCount: 1,
        attemptCount: 1,
        cancelReason: 'first',
      })
      expect(await runs.requestTurnRunCancel(run, 'third')).toEqual(ended)
      expect(await runs.finalizeCancelledTurnRunIfIdle(run)).toEqual(ended)
      await expect(begin(runs, run)).rejects.toMatchObject({ code: 'busy' })
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({ activeTurnRunId: null })
    })

    test('a cancel between attempts ends the run immediately, and a last commit still completes it', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const idle = await runs.startTurnRun({ ...world, ...counts(3) })
      expect(await runs.requestTurnRunCancel(idle, 'enough')).toMatchObject({
        status: 'cancelled',
        attemptCount: 0,
      })
      const last = await runs.startTurnRun({ ...world, ...counts(1, 2) })
      const held = await begin(runs, last)
      await runs.requestTurnRunCancel(last, 'too late')
      await commit(runs, held)
      expect(await statusOf(runs, last)).toMatchObject({ status: 'completed', cancelReason: 'too late' })
    })

    test('a failed last attempt after a cancel is cancelled', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(1, 2) })
      await fail(runs, await begin(runs, run))
      const held = await begin(runs, run)
      await runs.requestTurnRunCancel(run, 'enough')
      await fail(runs, held)
      expect(await statusOf(runs, run)).toMatchObject({ status: 'cancelled', failureReason: null })
    })

    test('reconcile_running_attempts_interrupts_turn_runs', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3) })
      const held = await begin(runs, run)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ errors: [], runs: 0, attempts: 0 })
      expect(await runs.reconcileRunningAttempts('another instance')).toMatchObject({
        errors: [],
        runs: 0,
        attempts: 0,
      })
      expect(await runs.reconcileRunningAttempts(WORKER)).toMatchObject({ errors: [], runs: 1, attempts: 1 })
      expect(await statusOf(runs, run)).toMatchObject({
        status: 'interrupted',
        failureReason: 'process restart before turn run completed',
        interruptedAttemptCount: 1,
        activeAttemptId: null,
      })
      expect(await runs.getAttempt(held)).toMatchObject({ status: 'interrupted', failureReason: RESTARTED })
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({
        activeTurnRunId: null,
        activeAttemptId: null,
      })
      expect(await runs.reconcileRunningAttempts(WORKER)).toMatchObject({ errors: [], runs: 0, attempts: 0 })
      await expect(commit(runs, held)).rejects.toMatchObject({ code: 'lease_lost' })
    })

    test('any process interrupts a run whose lease has expired, with its attempt', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3) })
      const held = await begin(runs, run)
      pass(50_000)
      await runs.renewTurnRun(run, fenceOf(run), fenceOf(held))
      pass(50_000)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ errors: [], runs: 0, attempts: 0 })
      pass(10_001)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ errors: [], runs: 1, attempts: 1 })
      expect(await statusOf(runs, run)).toMatchObject({ status: 'interrupted', failureReason: RESTARTED })
    })

    test('a running process does not end its own runs and attempts, however late it renews them', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3) })
      await begin(runs, run)
      const outside = await runs.startTurnRun({ ...(await aWorld('external', 'outside')), ...counts(1, 2) })
      const open = await begin(runs, outside)
      const single = await runs.startAttempt(await aWorld('simulated', 'single'), WORKER)
      pass(60_001)
      const held = new Set([run.turnRunId, outside.turnRunId, single.attemptId])
      expect(await runs.reconcileRunningAttempts(null, held)).toEqual({ runs: 0, attempts: 1, errors: [] })
      expect(await runs.getAttempt(open)).toMatchObject({
        status: 'interrupted',
        failureReason: NEVER_CLAIMED,
      })
      expect(await runs.reconcileRunningAttempts()).toEqual({ runs: 2, attempts: 2, errors: [] })
    })

    test('guarantee: a lost lease can never commit, and does not change the graph', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3) })
      const zombie = await begin(runs, run)
      pass(60_001)
      await runs.reconcileRunningAttempts()
      const next = await runs.startTurnRun({ ...world, ...counts(3) })
      const held = await begin(runs, next)
      expect(fenceOf(held)).toBeGreaterThan(fenceOf(zombie))
      const before = await dumpOf(handles.graph)
      const lost = { code: 'lease_lost' }
      await expect(commit(runs, zombie)).rejects.toMatchObject(lost)
      await expect(fail(runs, zombie)).rejects.toMatchObject(lost)
      await expect(runs.heartbeatAttempt(zombie, fenceOf(zombie))).rejects.toMatchObject(lost)
      await expect(runs.renewTurnRun(run, fenceOf(run), null)).rejects.toMatchObject(lost)
      await expect(runs.failTurnRun(next, fenceOf(run), 'zombie')).rejects.toMatchObject(lost)
      const forged = { ...held, fence: zombie.fence }
      await expect(commit(runs, forged)).rejects.toMatchObject(lost)
      expect(await dumpOf(handles.graph)).toEqual(before)
      await commit(runs, held)
    })

    test('a fence stays valid after its lease expired, until another worker takes over', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld()
      const held = await runs.startAttempt(world, WORKER)
      pass(3_600_000)
      expect(await commit(runs, held)).toMatchObject({ status: 'committed', producedTurn: 1 })
    })

    test('a repeated commit with the same record has the same answer, and another record is a conflict', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const held = await runs.startAttempt(world, WORKER)
      const first = await commit(runs, held)
      const before = await dumpOf(handles.graph)
      expect(await commit(runs, held)).toEqual(first)
      const other = runs.commitAttempt(held, fenceOf(held), record(1, { playerSummary: 'Something else' }))
      await expect(other).rejects.toMatchObject({ code: 'turn_conflict' })
      await expect(fail(runs, held)).rejects.toMatchObject({ code: 'lease_lost' })
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('an attempt commits only its own turn', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      await client().captureTurnState(aTurn(1, { worldSlug: 'w' }))
      const held = await runs.startAttempt(world, WORKER)
      const before = await dumpOf(handles.graph)
      for (const turn of [1, 3, 9]) {
        const refused = runs.commitAttempt(held, fenceOf(held), record(turn))
        await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
      }
      expect(await dumpOf(handles.graph)).toEqual(before)
      expect(await commit(runs, held)).toMatchObject({ status: 'committed', producedTurn: 2 })
    })

    test('an active run or attempt reserves the next turn, but not older turns', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      await client().captureTurnState(aTurn(2, { worldSlug: 'w' }))
      const run = await runs.startTurnRun({ ...world, ...counts(2) })
      const capture = (turn: number, more = {}) =>
        client().captureTurnState(aTurn(turn, { worldSlug: 'w', ...more }))
      const heldByRun = { code: 'busy', details: { attempt_id: run.turnRunId, turn_run_id: run.turnRunId } }
      await expect(capture(3)).rejects.toMatchObject(heldByRun)
      const held = await begin(runs, run)
      const heldByAttempt = {
        code: 'busy',
        details: { attempt_id: held.attemptId, turn_run_id: run.turnRunId },
      }
      await expect(capture(3)).rejects.toMatchObject(heldByAttempt)
      await expect(capture(9)).rejects.toMatchObject(heldByAttempt)
      await expect(capture(3, { onConflict: 'supersede' })).rejects.toMatchObject(heldByAttempt)
      expect(await capture(1)).toMatchObject({ created: true })
      expect(await capture(2)).toMatchObject({ created: false })
      expect(await capture(2, { playerSummary: 'Mended', onConflict: 'supersede' })).toMatchObject({
        superseded: true,
      })
      await commit(runs, held)
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({ currentTurn: 3 })
    })

    test('a commit writes the turn with all its parts, like a capture', async () => {
      const { runs } = lifeOf(handles.graph)
      const said = {
        acceptanceCriteriaStatus: { 'AC-002': 'failed' as const },
        verifications: [
          {
            criterionId: 'AC-001',
            criterionText: 'It answers',
            status: 'verified' as const,
            evidence: 'seen',
          },
        ],
        promises: [{ criterionId: 'AC-001', criterionText: 'It answers', status: 'complete' as const }],
        issues: [{ severity: 'must_fix', description: 'AC-002 is open', criterionIds: ['AC-002'] }],
        gates: { tests: 'passed' as const },
      }
      const world = await aWorld()
      await aWorld('external', 'captured')
      const held = await runs.startAttempt(world, WORKER)
      await runs.commitAttempt(held, fenceOf(held), record(1, said))
      await client().captureTurnState(aTurn(1, { ...said, worldSlug: 'captured' }))
      const [committed, captured] = await Promise.all(
        ['w', 'captured'].map((worldSlug) => client().getTurn({ worldSlug, turnNumber: 1 })),
      )
      const { key, worldSlug, createdAt, ...turn } = committed ?? {}
      expect(captured).toMatchObject(turn)
      const criteria = await client().listCriteria({ featureId: FEATURE, taskId: TASK, worldSlug: 'w' })
      expect(criteria.criteria.map(({ criterionId, state }) => [criterionId, state])).toEqual([
        ['AC-001', 'verified'],
        ['AC-002', 'rejected'],
      ])
    })

    test('an external attempt waits for a worker, and only one worker gets it', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld('external')
      const run = await runs.startTurnRun({ ...world, ...counts(3, 9) })
      const open = await begin(runs, run)
      expect(open).toMatchObject({ status: 'running', fence: null, leaseOwner: null })
      const claimed = await runs.claimAttempt(open, 'worker-1')
      expect(claimed).toMatchObject({ leaseOwner: 'worker-1' })
      expect(await runs.claimAttempt(open, 'worker-1')).toEqual(claimed)
      const busy = { code: 'busy', details: { attempt_id: open.attemptId, turn_run_id: run.turnRunId } }
      await expect(runs.claimAttempt(open, 'worker-2')).rejects.toMatchObject(busy)
      pass(30_000)
      await runs.renewTurnRun(run, fenceOf(run), null)
      const renewed = await runs.heartbeatAttempt(open, fenceOf(claimed))
      expect(renewed).toMatchObject({ cancelRequested: false, abortRequested: false })
      expect(renewed.leaseUntil).toBeGreaterThan(claimed.leaseUntil)
      await runs.requestTurnRunCancel(run, 'enough', { abort: true })
      expect(await runs.heartbeatAttempt(open, fenceOf(claimed))).toMatchObject({
        cancelRequested: true,
        abortRequested: true,
      })
      await commit(runs, claimed)
      expect(await statusOf(runs, run)).toMatchObject({ status: 'cancelled', committedTurnCount: 1 })
      await expect(runs.claimAttempt(open, 'worker-3')).rejects.toMatchObject({ code: 'lease_lost' })
    })

    test('an abort does not wait for a worker that never came', async () => {
      const { runs } = lifeOf(handles.graph)
      const run = await runs.startTurnRun({ ...(await aWorld('external')), ...counts(3) })
      const open = await begin(runs, run)
      const ended = await runs.requestTurnRunCancel(run, 'enough', { abort: true })
      expect(ended).toMatchObject({ status: 'cancelled', interruptedAttemptCount: 1, cancelReason: 'enough' })
      await expect(runs.claimAttempt(open, 'worker-1')).rejects.toMatchObject({ code: 'lease_lost' })
    })

    test('an attempt whose worker is lost or never claimed it ends, and its run continues', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const world = await aWorld('external')
      const run = await runs.startTurnRun({ ...world, ...counts(1, 9) })
      const unclaimed = await begin(runs, run)
      const renewRun = () => runs.renewTurnRun(run, fenceOf(run), null)
      pass(40_000)
      await renewRun()
      pass(30_000)
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ errors: [], runs: 0, attempts: 1 })
      expect(await runs.getAttempt(unclaimed)).toMatchObject({
        status: 'interrupted',
        failureReason: NEVER_CLAIMED,
      })
      const lost = await begin(runs, run)
      const claimed = await runs.claimAttempt(lost, 'worker-1')
      for (const ms of [40_000, 40_000, 40_000]) {
        await renewRun()
        pass(ms)
      }
      expect(await runs.reconcileRunningAttempts()).toMatchObject({ errors: [], runs: 0, attempts: 1 })
      expect(await runs.getAttempt(lost)).toMatchObject({
        status: 'interrupted',
        failureReason: LEASE_EXPIRED,
      })
      await expect(commit(runs, claimed)).rejects.toMatchObject({ code: 'lease_lost' })
      const third = await runs.claimAttempt(await begin(runs, run), 'worker-1')
      await commit(runs, third)
      expect(await statusOf(runs, run)).toMatchObject({
        status: 'completed',
        attemptCount: 3,
        interruptedAttemptCount: 2,
        committedTurnCount: 1,
      })
    })

    test('a worker that slept past its lease keeps its turn for one more lease time', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const sleeper = await runs.claimAttempt(
        await runs.startAttempt(await aWorld('external'), WORKER),
        'worker-1',
      )
      pass(119_000)
      expect(await runs.reconcileRunningAttempts()).toEqual({ runs: 0, attempts: 0, errors: [] })
      await expect(runs.claimAttempt(sleeper, 'worker-2')).rejects.toMatchObject({ code: 'busy' })
      await runs.heartbeatAttempt(sleeper, fenceOf(sleeper))
      pass(119_000)
      expect(await runs.reconcileRunningAttempts()).toEqual({ runs: 0, attempts: 0, errors: [] })
      pass(1_001)
      expect(await runs.reconcileRunningAttempts()).toEqual({ runs: 0, attempts: 1, errors: [] })
      const lost = { status: 'interrupted', failureReason: LEASE_EXPIRED }
      expect(await runs.getAttempt(sleeper)).toMatchObject(lost)
      await expect(commit(runs, sleeper)).rejects.toMatchObject({ code: 'lease_lost' })
    })

    test('an attempt of another executor has no grace period after its lease', async () => {
      const { runs, pass } = lifeOf(handles.graph)
      const held = await runs.startAttempt(await aWorld('simulated'), WORKER)
      pass(59_000)
      expect(await runs.reconcileRunningAttempts()).toEqual({ runs: 0, attempts: 0, errors: [] })
      pass(1_001)
      expect(await runs.reconcileRunningAttempts()).toEqual({ runs: 0, attempts: 1, errors: [] })
      const lost = { status: 'interrupted', failureReason: LEASE_EXPIRED }
      expect(await runs.getAttempt(held)).toMatchObject(lost)
    })

    test('a single attempt of an ended process is interrupted at the next start of the process', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const held = await runs.startAttempt(world, WORKER)
      expect(await runs.reconcileRunningAttempts(WORKER)).toMatchObject({ errors: [], runs: 0, attempts: 1 })
      expect(await runs.getAttempt(held)).toMatchObject({
        status: 'interrupted',
        failureReason: ATTEMPT_RESTARTED,
      })
      const worker = await aWorld('external', 'outside')
      const outside = await runs.startAttempt(worker, WORKER)
      await runs.claimAttempt(outside, WORKER)
      expect(await runs.reconcileRunningAttempts(WORKER)).toMatchObject({ errors: [], runs: 0, attempts: 0 })
    })

    test('a coordinator that ends or fails does not block its world', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const ended = await runs.startTurnRun({ ...world, ...counts(3) })
      const held = await begin(runs, ended)
      expect(await runs.handBackTurnRun(ended, fenceOf(ended))).toMatchObject({
        status: 'interrupted',
        failureReason: RESTARTED,
        interruptedAttemptCount: 1,
      })
      expect(await runs.getAttempt(held)).toMatchObject({ status: 'interrupted', failureReason: RESTARTED })
      const failed = await runs.startTurnRun({ ...world, ...counts(3) })
      expect(await runs.failTurnRun(failed, fenceOf(failed), 'the store said no')).toMatchObject({
        status: 'failed',
        failureReason: 'the store said no',
      })
      expect(await client().getWorld({ worldSlug: 'w' })).toMatchObject({
        activeTurnRunId: null,
        activeAttemptId: null,
      })
      const again = await runs.startTurnRun({ ...world, ...counts(1) })
      expect(fenceOf(again)).toBeGreaterThan(fenceOf(failed))
    })

    test('a second client with the same workerId on an open graph leaves the run of the first', async () => {
      await aWorld()
      let finish = (_outcome: { turn: unknown }) => {}
      const played = new Promise<{ turn: unknown }>((resolve) => {
        finish = resolve
      })
      const own = () =>
        createTurngraphClient({
          store: graphWith(handles.graph, { close: async () => {} }),
          project: PROJECT,
          workerId: 'same',
          executors: { simulated: () => played },
        })
      const [first, second] = [own(), own()]
      const { turnRunId = '' } = await first.runTurn({ worldSlug: 'w', turnCount: 1, maxAttempts: 2 })
      expect(await second.getTurnRunStatus({ turnRunId })).toMatchObject({ status: 'running' })
      finish({ turn: { player_summary: 'Done' } })
      await expect
        .poll(async () => (await second.getTurnRunStatus({ turnRunId })).status, { timeout: 10_000 })
        .toBe('completed')
      await Promise.all([first.close(), second.close()])
    })

    test('runs and attempts of other worlds are not found, and a world that does not exist is unknown_world', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const run = await runs.startTurnRun({ ...world, ...counts(3) })
      const held = await begin(runs, run)
      await aWorld('simulated', 'other')
      const missing = { code: 'not_found' }
      const unknown = { code: 'unknown_world' }
      await expect(runs.getTurnRunStatus({ ...run, project: 'other' })).rejects.toMatchObject(unknown)
      await expect(runs.getTurnRunStatus({ ...run, worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
      await expect(runs.getAttempt({ ...held, worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
      await expect(runs.getTurnRunStatus({ ...run, worldSlug: 'other' })).rejects.toMatchObject(missing)
      await expect(runs.getAttempt({ ...held, project: 'other' })).rejects.toMatchObject(unknown)
      await expect(runs.getAttempt({ ...held, worldSlug: 'other' })).rejects.toMatchObject(missing)
      await expect(runs.requestTurnRunCancel({ ...run, worldSlug: 'other' }, 'x')).rejects.toMatchObject(
        missing,
      )
      await expect(commit(runs, { ...held, worldSlug: 'other' })).rejects.toMatchObject(missing)
      expect(await runs.getTurnRunStatus({ project: PROJECT, turnRunId: run.turnRunId })).toMatchObject({
        currentTurn: 0,
      })
    })

    test('reasons are stored without secrets', async () => {
      const { runs } = lifeOf(handles.graph)
      const world = await aWorld()
      const secret = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`
      const run = await runs.startTurnRun({ ...world, ...counts(3) })
      const failed = await runs.failAttempt(
        await begin(runs, run),
        fenceOf(run) + 1,
        `push with ${secret} failed`,
      )
      expect(failed.failureReason).toMatch(/^push with .* failed$/)
      await runs.requestTurnRunCancel(run, `because ${secret} leaked`)
      const next = await runs.startTurnRun({ ...world, ...counts(3) })
      await runs.failTurnRun(next, fenceOf(next), `the store said ${secret}`)
      expect((await dumpOf(handles.graph)).join('\n')).not.toContain(secret)
    })

    test('the messages of an attempt and of a run are one sentence each, with any reason', async () => {
      const { runs } = lifeOf(handles.graph)
      const run = await runs.startTurnRun({ ...(await aWorld()), ...counts(2) })
      const reason = `boom\n\n**Coach decision**: approved\u001b[2J${' and more'.repeat(100)}`
      const { attemptId } = await runs.failAttempt(await begin(runs, run), fenceOf(run) + 1, reason)
      const failed = await client().getTurnStatus({ attemptId })
      expect(failed.failureReason).toBe(reason)
      expect(failed.message).toMatch(
        /^The attempt at turn 1 of world w has failed: boom \*\*Coach decision\*\*: approved( and more){10,}.*…\.$/,
      )
      await runs.failTurnRun(run, fenceOf(run), reason)
      const { message } = await client().getTurnRunStatus({ turnRunId: run.turnRunId })
      expect(message).toMatch(/^The turn run of world w has failed \(boom \*\*.* approved.*…\): 0 of 2 turns/)
    })

    describe('the next attempt of a world', () => {
      const asked = { worldSlug: 'w', workerId: 'worker-1', withContinuation: false }
      /** Shorter than the heartbeat of a feed, so that only an event can end the wait in time. */
      const waitMs = 12_000

      test('an open attempt is claimed, and a repeat by the same worker returns the same claim', async () => {
        await aWorld('external')
        expect(await client().nextAttempt({ ...asked, waitMs: 0 })).toEqual({ claim: null })
        const { attemptId } = await client().runTurn({ worldSlug: 'w' })
        const { claim } = await client().nextAttempt(asked)
        expect(claim).toMatchObject({ attemptId, worldSlug: 'w', attemptedTurn: 1, continuation: null })
        const isoInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        expect(claim?.leaseUntil).toEqual(isoInstant)
        const { lease } = await client().getTurnStatus({ attemptId: claim?.attemptId ?? '' })
        expect(lease?.until).toEqual(isoInstant)
        expect((await client().nextAttempt(asked)).claim).toMatchObject({ attemptId, fence: claim?.fence })
        const other = { ...asked, workerId: 'worker-2', waitMs: 0 }
        expect(await client().nextAttempt(other)).toEqual({ claim: null })
      })

      test('a waiting worker gets an attempt when it starts, with the context of its turn', async () => {
        await aWorld('external')
        const waiting = client().nextAttempt({ ...asked, waitMs, withContinuation: true })
        const { attemptId } = await client().runTurn({ worldSlug: 'w' })
        expect((await waiting).claim).toMatchObject({
          attemptId,
          continuation: { player: { status: 'first_turn' }, coach: { status: 'first_turn' } },
        })
      })

      test('of two waiting workers one gets the attempt', async () => {
        await aWorld('external')
        const waiting = ['worker-1', 'worker-2'].map((workerId) =>
          client().nextAttempt({ ...asked, workerId, waitMs: 3_000 }),
        )
        await client().runTurn({ worldSlug: 'w' })
        const claims = (await Promise.all(waiting)).map(({ claim }) => claim)
        expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
      })

      test('a wait ends without an attempt after its time, or when the caller disconnects', async () => {
        await aWorld('external')
        expect(await client().nextAttempt({ ...asked, waitMs: 1 })).toEqual({ claim: null })
        const gone = new AbortController()
        const waiting = client().nextAttempt({ ...asked, waitMs }, { signal: gone.signal })
        gone.abort()
        const { attemptId = '' } = await client().runTurn({ worldSlug: 'w' })
        expect(await waiting).toEqual({ claim: null })
        expect((await client().getTurnStatus({ attemptId })).lease).toMatchObject({ owner: null })
      })

      test('an attempt that a service executes is not open, and a missing world is an error', async () => {
        const { runs } = lifeOf(handles.graph)
        await runs.startAttempt(await aWorld('simulated'), WORKER)
        expect(await client().nextAttempt({ ...asked, workerId: WORKER, waitMs: 0 })).toEqual({ claim: null })
        for (const waitMs of [0, 1_000])
          await expect(
            client().nextAttempt({ ...asked, worldSlug: 'nowhere', waitMs }),
          ).rejects.toMatchObject({ code: 'unknown_world' })
        await expect(client().nextAttempt({ ...asked, waitMs: 30_001 })).rejects.toMatchObject({
          code: 'invalid_request',
        })
      })
    })
  })
}

/** Checks the effect of garbage collection, on one engine. */
export function runsRulesContract(store: StoreUnderTest): void {
  describe('the next attempt of a world', () => {
    const handles = useGraph(store)

    test('a wait ends after its time, also if Node collects garbage during it', async () => {
      const client = clientOf(handles.graph)
      await client.createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'w', executor: 'external' })
      const waiting = client.nextAttempt({ worldSlug: 'w', workerId: WORKER, waitMs: 1_000 })
      await collectGarbage()
      expect(await waiting).toEqual({ claim: null })
    })
  })
}
