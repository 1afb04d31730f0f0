import { expect, test } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { TurnRunStore } from '../../src/runs/turn-run-store.ts'
import { type Started, start, tokensFile } from './http-start.ts'
import { executorsFile, type Json } from './mcp-connect.ts'

/** Turn runs as tasks, for clients of 2026-07-28 that speak the extension io.modelcontextprotocol/tasks. */

const TASKS = { 'io.modelcontextprotocol/tasks': {} }
const MISSING_CAPABILITY = {
  code: -32021,
  data: { requiredCapabilities: { extensions: TASKS } },
}

async function aWorld(
  executor: string,
  slug = 'w',
  environment: Record<string, string> = {},
  graph: Graph = EmbeddedGraph.open({ folder: null }),
) {
  const started = await start({ TURNGRAPH_EXECUTORS: executorsFile(), ...environment }, { graph })
  const world = { feature_id: 'F', task_id: 'T', world_slug: slug, executor }
  expect((await started.call('POST', '/v1/worlds', { body: world })).status).toBe(201)
  return started
}

type Asking = { extensions?: object; token?: string; bookmark?: string }

async function ask(
  { call, token: own }: Started,
  method: string,
  params: Record<string, Json>,
  { extensions = TASKS, token = own, bookmark }: Asking = {},
): Promise<Json> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { extensions },
    ...(bookmark !== undefined && { 'turngraph/bookmark': bookmark }),
  }
  const named = params.name ?? params.taskId
  const { body } = await call('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    token,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': named }),
    },
  })
  return body
}

const runTurns = (started: Started, slug: string, counts: object, asking?: Asking) =>
  ask(started, 'tools/call', { name: 'run_turn', arguments: { world_slug: slug, ...counts } }, asking)

async function untilEnded(started: Started, taskId: string): Promise<Json> {
  const get = async () => (await ask(started, 'tasks/get', { taskId })).result
  await expect.poll(async () => (await get()).status, { timeout: 20_000 }).not.toBe('working')
  return get()
}

test('a run is a task, whose result is what run_turn answers, as it is at its end', async () => {
  const slug = 'a%20world~%C3%A4%'
  const started = await aWorld('trial', slug)
  const { result: created } = await runTurns(started, slug, { turn_count: 2 })
  expect(created).toMatchObject({
    resultType: 'task',
    taskId: expect.stringMatching(/^[\x21-\x7e]+$/),
    status: 'working',
    ttlMs: null,
    pollIntervalMs: expect.any(Number),
    _meta: { 'turngraph/bookmark': expect.any(String) },
  })
  const ended = await untilEnded(started, created.taskId)
  expect(ended).toMatchObject({
    resultType: 'complete',
    taskId: created.taskId,
    status: 'completed',
    createdAt: created.createdAt,
    result: {
      resultType: 'complete',
      isError: false,
      structuredContent: {
        run_mode: 'turn_run',
        world_slug: slug,
        status: 'completed',
        turn_count: 2,
        turn_count_source: 'explicit',
        message: expect.stringContaining('2 of 2 turns committed'),
      },
    },
  })
  expect(Date.parse(ended.lastUpdatedAt)).toBeGreaterThanOrEqual(Date.parse(created.lastUpdatedAt))
  const { content, structuredContent } = ended.result
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  const status = { world_slug: slug, turn_run_id: structuredContent.turn_run_id }
  const run = await ask(started, 'tools/call', { name: 'get_turn_run_status', arguments: status })
  expect(run.result.structuredContent.status).toBe('completed')
})

test('a task is cancelled as its run is: the attempt under way finishes', async () => {
  const started = await aWorld('slow')
  const { taskId } = (await runTurns(started, 'w', { turn_count: 50 })).result
  const cancelled = await ask(started, 'tasks/cancel', { taskId })
  expect(cancelled.result).toMatchObject({ resultType: 'complete' })
  expect(cancelled.result).not.toHaveProperty('taskId')
  const ended = await untilEnded(started, taskId)
  expect(ended).toMatchObject({
    status: 'cancelled',
    statusMessage: expect.stringContaining('was cancelled'),
  })
  expect(ended).not.toHaveProperty('result')
  expect((await ask(started, 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' })
})

test('a run that fails completes its task with an error of the tool, not of the protocol', async () => {
  const started = await aWorld('failing')
  const { taskId } = (await runTurns(started, 'w', { turn_count: 2, max_attempts: 2 })).result
  expect(await untilEnded(started, taskId)).toMatchObject({
    status: 'completed',
    result: { isError: true, structuredContent: { status: 'failed' } },
  })
})

test('the cancel of a task answers its bookmark, and what comes with another bookmark is warned as a call of a tool is', async () => {
  const started = await aWorld('slow')
  const { taskId } = (await runTurns(started, 'w', { turn_count: 2 })).result
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { result } = await ask(started, method, { taskId, inputResponses: {} }, { bookmark: 'nonsense' })
    expect(result._meta, method).toMatchObject({
      'turngraph/bookmark_warning': 'A bookmark that Turngraph did not make was ignored.',
      ...(method === 'tasks/cancel' && { 'turngraph/bookmark': expect.any(String) }),
    })
  }
})

test('a task whose run was resumed under another id says which task goes on with it', async () => {
  const started = await aWorld('external')
  await started.call('PATCH', '/v1/worlds/w', { body: { resume: 'auto' } })
  const { taskId } = (await runTurns(started, 'w', { turn_count: 2 })).result
  const { body: run } = await started.call('GET', `/v1/turn-runs/${taskId.split('/')[1]}`)
  const restarted = { workerId: 'restarted', canExecute: () => true, coordinate: async () => {} }
  const reconcile = new TurnRunStore(started.graph).reconcileRunningAttempts(
    run.lease.owner,
    new Set(),
    restarted,
  )
  expect(await reconcile).toMatchObject({ runs: 1, errors: [] })
  const { body: world } = await started.call('GET', '/v1/worlds/w')
  const { result } = await ask(started, 'tasks/get', { taskId })
  expect(result).toMatchObject({
    status: 'completed',
    statusMessage: expect.stringMatching(
      `was interrupted.*The task w/${world.active_turn_run_id} resumes it`,
    ),
  })
  const next = await ask(started, 'tasks/get', { taskId: `w/${world.active_turn_run_id}` })
  expect(next.result.status).toBe('working')
})

test('an update changes nothing, as a run asks its client for nothing', async () => {
  const started = await aWorld('slow')
  const { taskId } = (await runTurns(started, 'w', { turn_count: 2 })).result
  const updated = await ask(started, 'tasks/update', { taskId, inputResponses: { name: {} } })
  expect(updated.result).toMatchObject({ resultType: 'complete' })
  expect((await ask(started, 'tasks/get', { taskId })).result.status).toBe('working')
})

test('a client that does not declare the extension gets no task, and is refused what it asks of one', async () => {
  const started = await aWorld('slow')
  const { taskId } = (await runTurns(started, 'w', { turn_count: 2 })).result
  const undeclared = { extensions: {} }
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(
      (await ask(started, method, { taskId, inputResponses: {} }, undeclared)).error,
      method,
    ).toMatchObject(MISSING_CAPABILITY)
  const notifications = { taskIds: [taskId] }
  const listen = await ask(started, 'subscriptions/listen', { notifications }, undeclared)
  expect(listen.error).toMatchObject(MISSING_CAPABILITY)
  const other = await aWorld('slow')
  const { result } = await runTurns(other, 'w', { turn_count: 2 }, undeclared)
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { run_mode: 'turn_run' } })
})

test('a client of 2025 has no tasks', async () => {
  const started = await aWorld('slow')
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const asked = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 'w/1' } }
  const { body } = await started.call('POST', '/mcp', { body: asked, headers })
  expect(body.error.code).toBe(-32601)
})

test('a single attempt and a refusal are answered as always', async () => {
  const started = await aWorld('trial')
  expect((await runTurns(started, 'w', {})).result).toMatchObject({
    resultType: 'complete',
    structuredContent: { run_mode: 'single_attempt' },
  })
  expect((await runTurns(started, 'none', { turn_count: 2 })).result).toMatchObject({
    resultType: 'complete',
    isError: true,
  })
})

test('a token that may not read is answered as always: it could not poll', async () => {
  const writer = { name: 'writer', token: 'token-of-a-writer', scopes: ['write'] }
  const started = await aWorld('slow', 'w', { TURNGRAPH_TOKENS: tokensFile([writer]) })
  const { result } = await runTurns(started, 'w', { turn_count: 2 }, { token: writer.token })
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { run_mode: 'turn_run' } })
})

test('a run that has begun but cannot be read is answered as always: its id is not lost', async () => {
  const stored = EmbeddedGraph.open({ folder: null })
  const lost = { isAway: false }
  const graph = graphWith(stored, {
    read: (statement, params, deadline) =>
      lost.isAway && statement.name === 'runs/by-keys'
        ? Promise.reject(new TurngraphError('store_unavailable', 'The graph is away.'))
        : stored.read(statement, params, deadline),
  })
  const started = await aWorld('external', 'w', {}, graph)
  lost.isAway = true
  const { result } = await runTurns(started, 'w', { turn_count: 2 })
  lost.isAway = false
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { run_mode: 'turn_run' } })
  expect(result).not.toHaveProperty('isError')
  const { turn_run_id } = result.structuredContent
  expect((await ask(started, 'tasks/get', { taskId: `w/${turn_run_id}` })).result.status).toBe('working')
})

test('an id that names no task is an error of the params', async () => {
  const started = await aWorld('slow')
  const { taskId } = (await runTurns(started, 'w', { turn_count: 2 })).result
  const [, id] = taskId.split('/')
  const unknown = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'
  for (const none of ['', 'w', `w/${unknown}`, `none/${id}`, `${taskId}/x`, '%E0%A4%A/x', 'w/no-id'])
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(
        (await ask(started, method, { taskId: none, inputResponses: {} })).error,
        `${method} ${none}`,
      ).toMatchObject({
        code: -32602,
      })
})
