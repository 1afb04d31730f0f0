import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { context, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, record, start } from './http-start.ts'

/** The traces of a service with TURNGRAPH_GENAI_SPANS: spans of its operations, and an event for each verification. */

const ON = { TURNGRAPH_GENAI_SPANS: 'on' }

function traced(): { named: (name: string) => ReadableSpan[] } {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  onTestFinished(async () => {
    await provider.shutdown()
    trace.disable()
    context.disable()
  })
  return { named: (name) => exporter.getFinishedSpans().filter((span) => span.name.includes(name)) }
}

const evaluations = (span: ReadableSpan | undefined) =>
  span?.events.map(({ name, attributes }) => ({ name, ...attributes }))

const turn = {
  verifications: [
    { criterion_id: 'AC-1', status: 'verified', evidence: 'canary' },
    { criterion_id: 'AC-2', status: 'rejected', source: 'validator' },
    { criterion_id: 'AC-3', status: 'pending' },
  ],
  coach_feedback: 'canary',
}

test('each verification that is stored is an evaluation of the span of its capture', async () => {
  const { named } = traced()
  const { call } = await start(ON)
  await call('POST', '/v1/turns', { body: record(turn) })
  await call('POST', '/v1/turns', { body: record(turn) })
  const [first, again] = named('create_memory')
  expect(first?.attributes).toEqual({
    'gen_ai.operation.name': 'create_memory',
    'gen_ai.memory.store.id': 'TASK-1',
    'gen_ai.memory.record.id': 'default/TASK-1/1',
    'gen_ai.memory.record.count': 1,
  })
  expect(evaluations(first)).toEqual([
    {
      name: 'gen_ai.evaluation.result',
      'gen_ai.evaluation.name': 'AC-1',
      'gen_ai.evaluation.score.label': 'verified',
      'gen_ai.evaluation.score.value': 1,
      'turngraph.verification.source': 'coach',
    },
    {
      name: 'gen_ai.evaluation.result',
      'gen_ai.evaluation.name': 'AC-2',
      'gen_ai.evaluation.score.label': 'rejected',
      'gen_ai.evaluation.score.value': 0,
      'turngraph.verification.source': 'validator',
    },
    {
      name: 'gen_ai.evaluation.result',
      'gen_ai.evaluation.name': 'AC-3',
      'gen_ai.evaluation.score.label': 'pending',
      'turngraph.verification.source': 'coach',
    },
  ])
  expect(evaluations(again)).toEqual([])
  // The spans of its statements are its children.
  expect(named('turns/capture').at(-1)?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId)
})

test('a read is a search, and an error has its code', async () => {
  const { named } = traced()
  const { call } = await start(ON)
  await call('POST', '/v1/turns', { body: record(turn) })
  await call('GET', '/v1/continuation-context?feature_id=FEAT-1&task_id=TASK-1&current_turn=2')
  await call('GET', '/v1/worlds/TASK-1/turns')
  await call('GET', '/v1/worlds/nowhere/turns/1')
  const searches = named('search_memory').map(({ attributes }) => attributes)
  expect(searches).toMatchObject([
    { 'gen_ai.operation.name': 'search_memory', 'gen_ai.memory.store.id': 'TASK-1' },
    { 'gen_ai.memory.store.id': 'TASK-1', 'gen_ai.memory.record.count': 1 },
    { 'gen_ai.memory.store.id': 'nowhere', 'error.type': 'unknown_world' },
  ])
  expect(JSON.stringify(named('create_memory').concat(named('search_memory')).map(evaluations))).not.toMatch(
    /canary/,
  )
})

test('the status map of a capture is evaluated like verifications in full', async () => {
  const { named } = traced()
  const { call } = await start(ON)
  await call('POST', '/v1/turns', { body: record({ acceptance_criteria_status: { 'AC-9': 'rejected' } }) })
  expect(evaluations(named('create_memory')[0])).toMatchObject([
    { 'gen_ai.evaluation.name': 'AC-9', 'gen_ai.evaluation.score.label': 'rejected' },
  ])
})

test('a turn that an attempt commits is evaluated, too', async () => {
  const { named } = traced()
  const { call } = await start(ON)
  await call('POST', '/v1/worlds', { body: { feature_id: 'F', task_id: 'T', world_slug: 'w' } })
  await call('POST', '/v1/worlds/w/turn-runs', { body: { turn_count: 1 } })
  const attempts = async () => (await call('GET', '/v1/worlds/w/attempts')).body.items
  await expect.poll(async () => (await attempts()).length, { timeout: 10_000 }).toBe(1)
  const { attempt_id: id } = (await attempts())[0]
  const { body: claim } = await call('POST', `/v1/attempts/${id}/claim`, { body: { worker_id: 'me' } })
  const committed = { player_summary: 'Built it', acceptance_criteria_status: { 'AC-9': 'verified' } }
  await call('POST', `/v1/attempts/${id}/commit`, { body: { fence: claim.fence, turn: committed } })
  const [store, memory] = named('create_memory')
  expect(store?.name).toBe('create_memory_store')
  expect(evaluations(memory)).toMatchObject([
    { 'gen_ai.evaluation.name': 'AC-9', 'gen_ai.evaluation.score.label': 'verified' },
  ])
})

test('a turn that a run executes in this process is evaluated in a span of its own', async () => {
  const { named } = traced()
  const executors = path.join(newFolder(), 'executors.json')
  writeFileSync(executors, '{"simulated": {"kind": "simulated"}}')
  const { call } = await start({ ...ON, TURNGRAPH_EXECUTORS: executors })
  await call('POST', '/v1/worlds', {
    body: { feature_id: 'F', task_id: 'T', world_slug: 'w', executor: 'simulated' },
  })
  const { body: run } = await call('POST', '/v1/worlds/w/turn-runs', { body: { turn_count: 2 } })
  const status = async () => (await call('GET', `/v1/turn-runs/${run.turn_run_id}`)).body.status
  await expect.poll(status, { timeout: 30_000 }).toBe('completed')
  const memories = named('create_memory').filter(({ name }) => name === 'create_memory')
  expect(memories.map(({ attributes }) => attributes)).toEqual([
    { 'gen_ai.operation.name': 'create_memory', 'gen_ai.memory.store.id': 'w' },
    { 'gen_ai.operation.name': 'create_memory', 'gen_ai.memory.store.id': 'w' },
  ])
})

test('without the setting there are no such spans', async () => {
  const { named } = traced()
  const { call } = await start()
  await call('POST', '/v1/turns', { body: record(turn) })
  expect(named('create_memory')).toEqual([])
  expect(named('turns/capture')).not.toEqual([])
})

test('a request of MCP is part of the trace that its _meta names, whichever version it speaks', async () => {
  const { named } = traced()
  const { call } = await start(ON)
  const headers = { accept: 'application/json, text/event-stream' }
  const of2026 = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const spanId = 'b7ad6b7169203331'
  for (const [turnNumber, more] of [
    [1, { headers, meta: {} }],
    [2, { headers: { ...headers, ...of2026, 'mcp-name': 'capture_turn_state' }, meta: envelope }],
  ] as const) {
    const traceId = `0af7651916cd43dd8448eb211c80319${turnNumber}`
    const _meta = { ...more.meta, traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'shop=1' }
    const params = { name: 'capture_turn_state', arguments: record({ turn_number: turnNumber }), _meta }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await call('POST', '/mcp', { body, headers: more.headers })
    expect(answer.body.result.structuredContent.turn_number).toBe(turnNumber)
    const captured = named('create_memory').at(-1)
    expect(captured?.parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true })
    expect(captured?.spanContext().traceState?.serialize()).toBe('shop=1')
    expect(named('turns/capture').at(-1)?.spanContext().traceId).toBe(traceId)
  }
})

test('a request of MCP without a trace, or with an invalid one, begins its own', async () => {
  const { named } = traced()
  const { call } = await start(ON)
  const headers = { accept: 'application/json, text/event-stream' }
  for (const [turnNumber, traceparent] of [
    [1, undefined],
    [2, 'nonsense'],
    [3, 7],
  ] as const) {
    const _meta = { traceparent }
    const params = { name: 'capture_turn_state', arguments: record({ turn_number: turnNumber }), _meta }
    await call('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers })
    expect(named('create_memory')).toHaveLength(turnNumber)
    expect(named('create_memory').at(-1)?.parentSpanContext).toBeUndefined()
  }
})
