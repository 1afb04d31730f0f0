import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { httpClient } from '../../src/client/http.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import type { StoreUnderTest } from '../contract/store.ts'
import { describeOn, enginesHere, memory, neo4jLts } from '../support/engines.ts'
import { newFolder, SwitchedGraph, start } from './http-start.ts'
import { EXECUTORS, executorsFile, type Json } from './mcp-connect.ts'

/**
 * Turn runs of orchestrators and workers over REST. Only the tests with several replicas run on Neo4j, too: test/contract/runs.ts
 * runs the statements of turn runs there.
 */

for (const engine of enginesHere([memory, neo4jLts]))
  describeOn(engine, (store) => {
    throughReplicas(store)
    if (engine === memory) {
      suite(store)
      lifeOfAService()
    }
  })

const task = { featureId: 'FEAT-1', taskId: 'TASK-1' }
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function clientOf({ service, token }: { service: { url: string }; token: string }): TurngraphClient {
  return httpClient({ url: service.url, token, project: 'shop' })
}

async function untilEnded(client: TurngraphClient, turnRunId: string) {
  for (;;) {
    const status = await client.getTurnRunStatus({ turnRunId, includeAttempts: true })
    if (status.endedAt !== null) return status
    await sleep(20)
  }
}

async function activeAttempt(
  client: TurngraphClient,
  turnRunId: string,
  after: string | null = null,
): Promise<string> {
  for (;;) {
    const { activeAttemptId } = await client.getTurnRunStatus({ turnRunId })
    if (activeAttemptId !== null && activeAttemptId !== after) return activeAttemptId
    await sleep(20)
  }
}

const servedFrom =
  (store: StoreUnderTest) =>
  async (executors: object = EXECUTORS, environment: Record<string, string> = {}) => {
    const started = await start(
      { TURNGRAPH_EXECUTORS: executorsFile(executors), ...environment },
      { graph: await store.open() },
    )
    return { ...started, client: clientOf(started) }
  }

function suite(store: StoreUnderTest): void {
  const served = servedFrom(store)

  test('the REST routes answer like the tools', async () => {
    const { call, client } = await served()
    await client.createWorld({ ...task, worldSlug: 'a%20b', executor: 'flaky' })
    const at = `/v1/worlds/${encodeURIComponent('a%20b')}`
    const started = await call('POST', `${at}/turn-runs?project=shop`, {
      body: { turn_count: 2, max_attempts: 5 },
    })
    expect(started.status).toBe(201)
    expect(started.body).toMatchObject({
      run_mode: 'turn_run',
      turn_count: 2,
      max_attempts: 5,
      world_slug: 'a%20b',
    })
    const { turn_run_id } = started.body
    const ended = await untilEnded(client, turn_run_id)
    expect(ended).toMatchObject({ status: 'completed', failedAttemptCount: 2 })
    const status = await call(
      'GET',
      `/v1/turn-runs/${turn_run_id}?project=shop&include_attempts=true&attempt_limit=2`,
    )
    expect(status.body.recent_attempts).toHaveLength(2)
    expect(await call('GET', `/v1/turn-runs/${turn_run_id}`)).toMatchObject({ status: 404 })
    const single = await call('POST', `${at}/turn-runs?project=shop`)
    expect(single).toMatchObject({
      status: 201,
      body: { run_mode: 'single_attempt', turn_count_source: 'default' },
    })
    const attempt = await call('GET', `/v1/attempts/${single.body.attempt_id}?project=shop`)
    expect(attempt).toMatchObject({
      status: 200,
      body: { attempt_id: single.body.attempt_id, executor: 'flaky' },
    })
    const first = await call('GET', `${at}/attempts?project=shop&turn_run_id=${turn_run_id}&limit=3`)
    expect(first.body.items.map((held: Json) => held.turn_run_seq)).toEqual([4, 3, 2])
    const rest = await call(
      'GET',
      `${at}/attempts?project=shop&turn_run_id=${turn_run_id}&limit=3&cursor=${first.body.next_cursor}`,
    )
    expect(rest.body).toMatchObject({ items: [{ turn_run_seq: 1 }], next_cursor: null })
    const cancelled = await call('POST', `/v1/turn-runs/${turn_run_id}/cancel`, { body: { project: 'shop' } })
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'completed', cancel_reason: null } })
  })

  test('a run over REST ends at a goal of its world, with the reason in its status and in the list', async () => {
    const { call, client } = await served()
    const made = await call('POST', '/v1/worlds?project=shop', {
      body: {
        feature_id: 'FEAT-1',
        task_id: 'TASK-1',
        world_slug: 'w',
        stop_when: ['budget', 'approved'],
        budget: { tokens: 500 },
        resume: 'auto',
      },
    })
    const settings = { stop_when: ['approved', 'budget'], budget: { tokens: 500 }, resume: 'auto' }
    expect(made).toMatchObject({ status: 201, body: settings })
    const started = await call('POST', '/v1/worlds/w/turn-runs?project=shop', { body: { turn_count: 9 } })
    const { turn_run_id } = started.body
    const attempt = await activeAttempt(client, turn_run_id)
    const at = (what: string, body: object) =>
      call('POST', `/v1/attempts/${attempt}/${what}?project=shop`, { body })
    const { fence } = (await at('claim', { worker_id: 'worker-1' })).body
    const turn = { player_summary: 'Built it', coach_decision: 'approved' }
    const wrong = await at('commit', { fence, turn, usage: { tokens: 'many' } })
    expect([wrong.status, wrong.body.error.details.problems[0].path]).toEqual([400, 'usage.tokens'])
    expect(await at('commit', { fence, turn, usage: { tokens: 120 } })).toMatchObject({ status: 200 })
    await untilEnded(client, turn_run_id)
    const end = {
      status: 'cancelled',
      cancel_reason: 'goal reached: approved in turn 1',
      stop_reason: 'approved',
      used_tokens: 120,
      next_attempt_at: null,
      resumes: null,
    }
    expect((await call('GET', `/v1/turn-runs/${turn_run_id}?project=shop`)).body).toMatchObject(end)
    expect(
      (await call('GET', '/v1/turn-runs?project=shop&world_slug=w&status=cancelled')).body.items,
    ).toMatchObject([end])
    const patched = await call('PATCH', '/v1/worlds/w?project=shop', {
      body: { stop_when: null, budget: null },
    })
    expect(patched).toMatchObject({ status: 200, body: { resume: 'auto' } })
    expect(Object.keys(patched.body)).not.toContain('stop_when')
    const refused = await call('PATCH', '/v1/worlds/w?project=shop', {
      body: { stop_when: ['done'], executor: 'x' },
    })
    expect(refused.body.error.details.problems.map(({ path }: Json) => path)).toEqual([
      'stop_when[0]',
      'executor',
    ])
  })

  test('a run follows the claims, heartbeats, commits and failures of an external worker', async () => {
    const { call, client } = await served()
    await client.createWorld({ ...task, worldSlug: 'w' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 2, maxAttempts: 4 })
    const first = await activeAttempt(client, turnRunId)
    const at = (attempt: string, what: string, body: object) =>
      call('POST', `/v1/attempts/${attempt}/${what}`, { body: { project: 'shop', ...body } })

    const claimed = await at(first, 'claim', { worker_id: 'worker-1' })
    expect(claimed).toMatchObject({
      status: 200,
      body: {
        fence: expect.any(Number),
        lease_until: expect.stringMatching(ISO),
        attempted_turn: 1,
        continuation: { player: { status: 'first_turn' }, coach: { status: 'first_turn' } },
      },
    })
    const { fence } = claimed.body
    expect((await at(first, 'claim', { worker_id: 'worker-1' })).body).toEqual(claimed.body)
    expect(await at(first, 'claim', { worker_id: 'worker-2' })).toMatchObject({
      status: 409,
      body: { error: { code: 'busy', details: { attempt_id: first, turn_run_id: turnRunId } } },
    })
    expect(await at(first, 'heartbeat', { fence })).toMatchObject({
      status: 200,
      body: { lease_until: expect.stringMatching(ISO), cancel_requested: false },
    })
    expect(await at(first, 'heartbeat', { fence: fence + 1 })).toMatchObject({
      status: 409,
      body: { error: { code: 'lease_lost' } },
    })
    expect(await at(first, 'fail', { fence, reason: 'the tests do not start' })).toMatchObject({
      status: 200,
      body: { status: 'failed', failure_reason: 'the tests do not start' },
    })

    const second = await activeAttempt(client, turnRunId, first)
    const again = await at(second, 'claim', { worker_id: 'worker-1' })
    expect(again.body.fence).toBeGreaterThan(fence)
    const turn = {
      player_summary: 'Built it',
      coach_decision: 'feedback',
      acceptance_criteria_status: { 'AC-001': 'verified' },
    }
    const elsewhere = { task_id: 'TASK-2', turn_number: 9, world_slug: 'v', feature_id: 'FEAT-1' }
    const refused = await at(second, 'commit', { fence: again.body.fence, turn: { ...turn, ...elsewhere } })
    expect([refused.status, refused.body.error.details.problems.map((p: Json) => p.path)]).toEqual([
      400,
      ['turn.task_id', 'turn.world_slug', 'turn.turn_number'],
    ])
    const own = { task_id: 'TASK-1', turn_number: 1, world_slug: 'w', feature_id: 'FEAT-1', project: 'shop' }
    const commit = () => at(second, 'commit', { fence: again.body.fence, turn: { ...turn, ...own } })
    const committed = await commit()
    expect(committed).toMatchObject({ status: 200, body: { status: 'committed', produced_turn: 1 } })
    expect(await commit()).toMatchObject({ status: 200, body: committed.body })
    expect(
      await at(second, 'commit', { fence: again.body.fence, turn: { ...turn, player_summary: 'Other' } }),
    ).toMatchObject({
      status: 409,
      body: { error: { code: 'turn_conflict' } },
    })

    const third = await activeAttempt(client, turnRunId, second)
    const last = await at(third, 'claim', { worker_id: 'worker-3' })
    expect(last.body.continuation.player.context).toContain('AC-001: verified')
    await at(third, 'commit', { fence: last.body.fence, turn: { player_summary: 'Finished' } })
    expect(await untilEnded(client, turnRunId)).toMatchObject({
      status: 'completed',
      committedTurnCount: 2,
      failedAttemptCount: 1,
      attemptCount: 3,
    })
    expect((await client.listTurns({ worldSlug: 'w' })).items.map((held) => held.playerSummary)).toEqual([
      'Built it',
      'Finished',
    ])
  })

  test('an invalid claim, fence or reason is rejected by its field', async () => {
    const { call, client } = await served()
    await client.createWorld({ ...task, worldSlug: 'w' })
    const { attemptId } = await client.runTurn({ worldSlug: 'w' })
    const wrong: [string, object, string][] = [
      ['claim', {}, 'worker_id'],
      ['claim', { worker_id: '' }, 'worker_id'],
      ['heartbeat', { fence: '1' }, 'fence'],
      ['heartbeat', {}, 'fence'],
      ['fail', { fence: 1 }, 'reason'],
      ['fail', { fence: 1, reason: 'x'.repeat(2_001) }, 'reason'],
      ['commit', { fence: 1, turn: {} }, 'turn.player_summary'],
      ['commit', { fence: 1, turn: { player_summary: 'x', on_conflict: 'supersede' } }, 'turn.on_conflict'],
    ]
    for (const [what, body, field] of wrong) {
      const answer = await call('POST', `/v1/attempts/${attemptId}/${what}?project=shop`, { body })
      expect([answer.status, answer.body.error.details.problems[0].path]).toEqual([400, field])
    }
    for (const id of ['nonsense', '00000000-0000-0000']) {
      expect((await call('GET', `/v1/attempts/${id}?project=shop`)).status).toBe(400)
    }
  })

  test('commands execute the turns of a world, and get their context', async () => {
    const script = `
      let text = ''
      process.stdin.on('data', (chunk) => { text += chunk }).on('end', () => {
        const { attempted_turn, continuation } = JSON.parse(text)
        console.log(JSON.stringify({
          player_summary: 'turn ' + attempted_turn + ' after ' + (continuation.player.prior?.player_summary ?? 'nothing'),
        }))
      })`
    const { client } = await served({
      agent: { kind: 'command', argv: [process.execPath, '-e', script], env: ['PATH'] },
    })
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'agent' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 2 })
    expect(await untilEnded(client, turnRunId)).toMatchObject({ status: 'completed' })
    const { items } = await client.listTurns({ worldSlug: 'w' })
    expect(items.map(({ playerSummary }) => playerSummary)).toEqual([
      'turn 1 after nothing',
      'turn 2 after turn 1 after nothing',
    ])
  })

  test('a record that cannot be stored is a failed attempt like any other', async () => {
    const argv = [process.execPath, '-e', `console.log(JSON.stringify({ player_summary: 7, colour: 'red' }))`]
    const { client } = await served({ agent: { kind: 'command', argv, env: ['PATH'] } })
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'agent' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 1, maxAttempts: 2 })
    const ended = await untilEnded(client, turnRunId)
    expect(ended).toMatchObject({ status: 'failed', failedAttemptCount: 2 })
    expect(ended.recentAttempts?.[0]?.failureReason).toMatch(/player_summary.*colour/)
  })

  test('a record with excessive nesting is a failed attempt, too', async () => {
    const script = `console.log('{"player_summary":"x","extra":{"a":' + '{"a":'.repeat(100000) + '1' + '}'.repeat(100000) + '}}')`
    const { client } = await served({
      agent: { kind: 'command', argv: [process.execPath, '-e', script], env: ['PATH'] },
    })
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'agent' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 1, maxAttempts: 2 })
    const ended = await untilEnded(client, turnRunId)
    expect(ended).toMatchObject({ status: 'failed', failedAttemptCount: 2 })
    expect(ended.recentAttempts?.[0]?.failureReason).toContain('nested too deeply')
  })

  test('a caller that guesses a fence cannot end an attempt that the service executes', async () => {
    const { call, client } = await served()
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'slow' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 2 })
    const attemptId = await activeAttempt(client, turnRunId)
    for (let fence = 1; fence <= 3; fence++) {
      for (const [what, body] of [
        ['heartbeat', {}],
        ['fail', { reason: 'x' }],
        ['commit', { turn: { player_summary: 'x' } }],
      ] as const) {
        const path = `/v1/attempts/${attemptId}/${what}?project=shop`
        const answer = await call('POST', path, { body: { fence, ...body } })
        expect([answer.status, answer.body.error.code]).toEqual([409, 'lease_lost'])
      }
    }
    expect(await untilEnded(client, turnRunId)).toMatchObject({ status: 'completed', attemptCount: 2 })
  })

  test('a run continues after another process ended its active attempt', async () => {
    const { graph, client } = await served()
    const later = new TurnRunStore(graph, { skew: () => 61_000 })
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'slow' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 1, maxAttempts: 3 })
    const attemptId = await activeAttempt(client, turnRunId)
    const ref = { project: 'shop', worldSlug: 'w' }
    const { run } = await later.getTurnRunStatus({ ...ref, turnRunId })
    await later.renewTurnRun(run, run.fence ?? 0, null) // so that the run's lease lasts and the attempt's does not
    expect(await later.reconcileRunningAttempts()).toEqual({ runs: 0, attempts: 1, errors: [] })
    const ended = await untilEnded(client, turnRunId)
    expect(ended).toMatchObject({ status: 'completed', attemptCount: 2, interruptedAttemptCount: 1 })
    expect(await client.getTurnStatus({ attemptId })).toMatchObject({ status: 'interrupted' })
  })

  test('a cancel with abort stops the running command', async () => {
    const folder = newFolder()
    const script = `require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'began'))}, String(process.pid)); setInterval(() => {}, 1000)`
    const { client } = await served({
      agent: { kind: 'command', argv: [process.execPath, '-e', script], env: ['PATH'] },
    })
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'agent' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 5 })
    while (!existsSync(path.join(folder, 'began'))) await sleep(20)
    await client.cancelTurnRun({ turnRunId, reason: 'wrong branch', abort: true })
    const ended = await untilEnded(client, turnRunId)
    expect(ended).toMatchObject({ status: 'cancelled', attemptCount: 1, failedAttemptCount: 1 })
    expect(ended.recentAttempts?.[0]?.failureReason).toBe('the turn run was cancelled')
  })

  test('an executor that is not in the file is rejected for a new world and for a run', async () => {
    const { call, client } = await served()
    const body = { feature_id: 'FEAT-1', task_id: 'TASK-1', executor: 'nobody' }
    const refused = await call('POST', '/v1/worlds', { body })
    expect([refused.status, refused.body.error.details.problems[0].path]).toEqual([400, 'executor'])
    expect((await client.listWorlds({})).items).toEqual([])
  })
}

function throughReplicas(store: StoreUnderTest): void {
  test('a cancel through another replica, between two polls, ends the run here', async () => {
    const { graph, client } = await servedFrom(store)()
    const other = await start({}, { graph: await store.beside(graph) })
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'slow' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 50 })
    await activeAttempt(client, turnRunId)
    await clientOf(other).cancelTurnRun({ turnRunId, reason: 'from the other one' })
    expect(await untilEnded(client, turnRunId)).toMatchObject({
      status: 'cancelled',
      attemptCount: 1,
      committedTurnCount: 1,
      cancelReason: 'from the other one',
    })
    const worker = await client.createWorld({ ...task, worldSlug: 'outside' })
    const run = await client.runTurn({ worldSlug: worker.worldSlug, turnCount: 1, maxAttempts: 2 })
    const attemptId = await activeAttempt(client, run.turnRunId ?? '')
    const { fence } = await clientOf(other).claimAttempt({ attemptId, workerId: 'far away' })
    await clientOf(other).commitAttempt({ attemptId, fence, turn: { playerSummary: 'Done elsewhere' } })
    expect(await untilEnded(client, run.turnRunId ?? '')).toMatchObject({ status: 'completed' })
  })
}

function lifeOfAService(): void {
  test('a service that ends releases its runs, and the next one finds no blocked world', async () => {
    const folder = newFolder()
    const environment = {
      TURNGRAPH_STORE: `embedded:${path.join(folder, 'graph')}`,
      // No attempt ends before the service does.
      TURNGRAPH_EXECUTORS: executorsFile({ slow: { kind: 'simulated', duration_ms: 60_000 } }),
    }
    const { openGraph } = await import('../../src/graph/open.ts')
    const open = () => openGraph({ kind: 'embedded', folder: path.join(folder, 'graph'), sync: false })
    const first = await start(environment, { graph: await open(), dataFolder: folder })
    const client = clientOf(first)
    const started: string[] = []
    for (const executor of ['slow', 'external']) {
      await client.createWorld({ ...task, worldSlug: executor, executor })
      const { turnRunId = '' } = await client.runTurn({ worldSlug: executor, turnCount: 50 })
      await activeAttempt(client, turnRunId)
      started.push(turnRunId)
    }
    await client.createWorld({ ...task, worldSlug: 'single', executor: 'slow' })
    const { attemptId = '' } = await client.runTurn({ worldSlug: 'single' })
    await first.service.close()
    const instance = readFileSync(path.join(folder, 'instance'), 'utf8')
    const second = await start(environment, { graph: await open(), dataFolder: folder })
    const next = clientOf(second)
    for (const turnRunId of started) {
      expect(await next.getTurnRunStatus({ turnRunId })).toMatchObject({
        status: 'interrupted',
        failureReason: 'process restart before turn run completed',
        interruptedAttemptCount: 1,
        activeAttemptId: null,
      })
    }
    expect(await next.getTurnStatus({ attemptId })).toMatchObject({ status: 'interrupted' })
    for (const worldSlug of ['slow', 'external', 'single']) {
      expect(await next.getWorld({ worldSlug })).toMatchObject({
        activeTurnRunId: null,
        activeAttemptId: null,
      })
    }
    expect(readFileSync(path.join(folder, 'instance'), 'utf8')).toBe(instance)
  })

  test.each(['slow', 'external'])(
    'one that ends while a %s attempt begins waits for nothing',
    async (executor) => {
      const graph = new SwitchedGraph()
      const started = await start({ TURNGRAPH_EXECUTORS: executorsFile() }, { graph })
      const client = clientOf(started)
      await client.createWorld({ ...task, worldSlug: 'w', executor, leaseTtlMs: 600_000 })
      const { transact } = graph
      let closing: Promise<void> | undefined
      graph.transact = async (work, deadline) => {
        const answer = await transact.call(graph, work, deadline)
        const begun = answer as { decision?: { change?: { attempt?: { status: string } } } } | null
        if (begun?.decision?.change?.attempt?.status === 'running') closing ??= started.service.close()
        return answer as never
      }
      await client.runTurn({ worldSlug: 'w', turnCount: 3 })
      while (closing === undefined) await sleep(10)
      await closing
      expect(closing).toBeDefined()
    },
  )

  test('two services do not share the instance of a data folder', async () => {
    const folder = newFolder()
    await start({}, { dataFolder: folder })
    await expect(start({}, { dataFolder: folder })).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('a run outlasts a store that is away for less than its lease', async () => {
    const graph = new SwitchedGraph()
    const started = await start({ TURNGRAPH_EXECUTORS: executorsFile() }, { graph })
    const client = clientOf(started)
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'trial' })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 30 })
    await activeAttempt(client, turnRunId)
    graph.gate = async () => {
      throw new TurngraphError('store_unavailable', 'away')
    }
    await sleep(700)
    graph.gate = async () => {}
    expect(await untilEnded(client, turnRunId)).toMatchObject({
      status: 'completed',
      attemptCount: 30,
      committedTurnCount: 30,
    })
  })

  test('a store error that lasts fails the run with its text, and frees the world', async () => {
    const graph = new SwitchedGraph()
    const started = await start({ TURNGRAPH_EXECUTORS: executorsFile() }, { graph })
    const client = clientOf(started)
    await client.createWorld({ ...task, worldSlug: 'w', executor: 'slow', leaseTtlMs: 60_000 })
    const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 30 })
    await activeAttempt(client, turnRunId)
    let refused = 0
    const { transact } = graph
    graph.transact = async (work, deadline) =>
      transact.call(
        graph,
        (run) =>
          work(async (step) => {
            if (step.statement.name !== 'turns/capture') return run(step)
            refused++
            throw new Error('the disk is full')
          }),
        deadline,
      ) as never
    expect(await untilEnded(client, turnRunId)).toMatchObject({
      status: 'failed',
      failureReason: 'the disk is full',
      interruptedAttemptCount: 1,
      activeAttemptId: null,
    })
    expect(refused).toBe(1)
    expect(await client.getWorld({ worldSlug: 'w' })).toMatchObject({
      activeTurnRunId: null,
      activeAttemptId: null,
    })
  })
}
