import { Writable } from 'node:stream'
import { type Span, type Tracer, trace } from '@opentelemetry/api'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { record, SwitchedGraph, start, tokensFile } from './http-start.ts'

/** The lines of one metric, without those of Node itself. */
const linesOf = (text: string, metric: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))

test('/metrics counts requests, round trips, captures, contexts and rejections', async () => {
  const { call } = await start()
  const body = record({
    coach_feedback: 'try postgres://app:hunter2@db/app',
    completed_at: '2026-01-01T00:00:00Z',
  })
  await call('POST', '/v1/turns', { body })
  await call('POST', '/v1/turns', { body })
  await call('POST', '/v1/turns', { body: { ...body, player_summary: 'Other' } })
  await call('POST', '/v1/turns', { body: { ...body, player_summary: 'Other', on_conflict: 'supersede' } })
  await call('GET', '/v1/continuation-context?feature_id=FEAT-1&task_id=TASK-1&current_turn=2')
  await call('GET', '/v1/worlds/some%2Fsecret%20name')
  await call('GET', '/nowhere/else')
  const { status, headers, body: text } = await call('GET', '/metrics')
  expect([status, headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; version=/),
  ])
  expect(linesOf(text, 'turngraph_captures_total').sort()).toEqual([
    'turngraph_captures_total{outcome="created"} 1',
    'turngraph_captures_total{outcome="repeated"} 1',
    'turngraph_captures_total{outcome="superseded"} 1',
  ])
  expect(linesOf(text, 'turngraph_contexts_total')).toEqual([
    'turngraph_contexts_total{role="player",status="ok"} 1',
  ])
  expect(linesOf(text, 'turngraph_operations_total')).toEqual(
    expect.arrayContaining([
      'turngraph_operations_total{operation="captureTurnState",outcome="ok"} 3',
      'turngraph_operations_total{operation="captureTurnState",outcome="turn_conflict"} 1',
      'turngraph_operations_total{operation="getWorld",outcome="unknown_world"} 1',
    ]),
  )
  expect(linesOf(text, 'turngraph_http_request_duration_seconds_count')).toEqual(
    expect.arrayContaining([
      'turngraph_http_request_duration_seconds_count{method="POST",route="/v1/turns",status="201"} 2',
      'turngraph_http_request_duration_seconds_count{method="POST",route="/v1/turns",status="409"} 1',
      'turngraph_http_request_duration_seconds_count{method="GET",route="/v1/worlds/:world_slug",status="404"} 1',
      'turngraph_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1',
    ]),
  )
  expect(linesOf(text, 'turngraph_store_statement_duration_seconds_count').join('\n')).toMatch(
    /statement="turns\/context:newest-world:without-entries",outcome="ok"} \d+/,
  )
  expect(Number(linesOf(text, 'turngraph_redactions_total')[0]?.split(' ')[1])).toBeGreaterThan(0)
  expect(linesOf(text, 'turngraph_turn_runs_held')).toEqual(['turngraph_turn_runs_held 0'])
  expect(text).not.toMatch(/secret|hunter2|nowhere/)
})

test('the outcomes of turn runs are counted', async () => {
  const { call } = await start()
  await call('POST', '/v1/worlds', { body: { feature_id: 'F', task_id: 'T', world_slug: 'w' } })
  const { body: run } = await call('POST', '/v1/worlds/w/turn-runs', { body: { turn_count: 2 } })
  const held = async () => linesOf((await call('GET', '/metrics')).body, 'turngraph_turn_runs_held')
  expect(await held()).toEqual(['turngraph_turn_runs_held 1'])
  await call('POST', `/v1/turn-runs/${run.turn_run_id}/cancel`, { body: { abort: true } })
  await expect.poll(held, { timeout: 10_000 }).toEqual(['turngraph_turn_runs_held 0'])
  const { body } = await call('GET', '/metrics')
  expect(linesOf(body, 'turngraph_turn_runs_ended_total')).toEqual([
    'turngraph_turn_runs_ended_total{status="cancelled"} 1',
  ])
})

test('it requires a token, like all routes with data', async () => {
  const tokens = tokensFile([
    { name: 'ci', token: 'writer', scopes: ['write'] },
    { name: 'dashboard', token: 'reader', scopes: ['read'] },
    { name: 'shop', token: 'of-one-project', scopes: ['read'], project: 'shop' },
  ])
  const { call } = await start({ TURNGRAPH_TOKENS: tokens })
  expect((await call('GET', '/metrics', { token: null })).status).toBe(401)
  expect((await call('GET', '/metrics', { token: 'writer' })).status).toBe(403)
  expect((await call('GET', '/metrics', { token: 'of-one-project' })).body.error.code).toBe('forbidden')
  expect((await call('GET', '/metrics', { token: 'reader' })).status).toBe(200)
})

test('a slow statement is logged by its name', async () => {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const graph = new SwitchedGraph()
  const { call } = await start({}, { graph, log: pino({ level: 'warn' }, stream) })
  await call('POST', '/v1/turns', { body: record() })
  graph.gate = () => new Promise((resolve) => setTimeout(resolve, 1_100))
  await call('GET', '/v1/worlds/TASK-1')
  const slow = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'slow statement')
  expect(slow).toMatchObject({ statement: 'worlds/by-keys', outcome: 'ok', ms: expect.any(Number) })
})

test('statements are spans of a registered tracer', async () => {
  const spans: string[] = []
  const span = { end: () => {}, setStatus: () => {} } as unknown as Span
  const tracer = {
    startActiveSpan: (name: string, ...rest: unknown[]) => {
      spans.push(name)
      return (rest.at(-1) as (span: Span) => unknown)(span)
    },
  } as unknown as Tracer
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  onTestFinished(() => trace.disable())
  const { call } = await start()
  await call('POST', '/v1/turns', { body: record() })
  expect(spans).toContain('worlds/ensure+turns/capture')
})
