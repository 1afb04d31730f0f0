import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TurngraphClient } from '../../src/client/client.ts'
import { createTurngraphClient } from '../../src/client/create.ts'
import { httpClient } from '../../src/client/http.ts'
import { inProcessClient } from '../../src/client/in-process.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { startLimitedFront } from '../support/limited-front.ts'
import { flakyProxy } from './flaky-proxy.ts'
import { start } from './http-start.ts'

const task = { featureId: 'FEAT 1/ä', taskId: '100% 日本' }
const named = { ...task, worldSlug: 'w%2F1~' }

/** Calls that a program might make, with mistakes. */
const SCRIPT: ((client: TurngraphClient) => Promise<unknown>)[] = [
  (c) =>
    c.captureTurnState({
      ...named,
      turnNumber: 1,
      playerSummary: 'Built it',
      coachDecision: 'Approve',
      completedAt: '2026-01-31T12:00:00+01:00',
      acceptanceCriteriaStatus: { camelCase: 'done', snake_case: 'failed' },
      verifications: [
        { criterionId: 'AC-1', criterionText: 'It works', status: 'passed', evidence: 'ran it' },
      ],
      issues: [
        { severity: 'must_fix', description: 'No tests', details: { someKey: [1, { deepKey: null }] } },
      ],
      extra: { someKey: 1 },
    }),
  (c) => c.captureTurnState({ ...named, turnNumber: 2, playerSummary: 'More', completedAt: null }),
  (c) => c.captureTurnState({ ...named, turnNumber: 2, playerSummary: 'More', completedAt: null }),
  (c) => c.captureTurnState({ ...named, turnNumber: 2, playerSummary: 'Other', completedAt: null }),
  (c) =>
    c.captureTurnState({
      ...named,
      turnNumber: 2,
      playerSummary: 'Other',
      completedAt: null,
      onConflict: 'supersede',
    }),
  (c) => c.loadTurnContinuationContext({ ...named, currentTurn: 3 }),
  (c) => c.loadTurnContinuationContext({ ...task, currentTurn: 3, role: 'coach', perspectiveReset: true }),
  (c) => c.loadTurnContinuationContext({ featureId: 'none', taskId: 'none', currentTurn: 3 }),
  (c) => c.createWorld({ ...task, leaseTtlMs: 5_000 }, { idempotencyKey: 'k-1' }),
  (c) => c.createWorld({ ...task, leaseTtlMs: 5_000 }, { idempotencyKey: 'k-1' }),
  (c) => c.createWorld({ ...named, executor: 'other' }),
  (c) => c.listWorlds({ limit: 1 }),
  (c) => c.listWorlds({ featureId: 'none' }),
  (c) => c.getWorld({ worldSlug: 'w%2F1~' }),
  (c) => c.getWorld({ worldSlug: 'none' }),
  (c) => c.listTurns({ worldSlug: 'w%2F1~', limit: 1 }),
  (c) => c.getTurn({ worldSlug: 'w%2F1~', turnNumber: 1 }),
  (c) => c.getTurn({ worldSlug: 'w%2F1~', turnNumber: 9 }),
  (c) => c.getTurnHistory({ worldSlug: 'w%2F1~', turnNumber: 2 }),
  (c) => c.listTurns({ worldSlug: 'w%2F1~', cursor: 'nonsense' }),
  (c) => c.captureTurnState({ ...named, turnNumber: 0, playerSummary: '', nope: 1 } as never),
  (c) => c.deleteWorld({ worldSlug: 'w%2F1~' }),
  (c) => c.getWorld({ worldSlug: 'w%2F1~' }),
  (c) => c.listWorlds({}, { signal: AbortSignal.abort() }),
  (c) => {
    const abort = new AbortController()
    async function* chunks() {
      yield Buffer.from('{}\n')
      abort.abort()
      yield Buffer.from('{}\n')
    }
    return c.importTranscript({ sessionId: 's' }, chunks(), { signal: abort.signal })
  },
]

/** Times, and `revision`, which is not in the schema of the answer, but which the in-process client passes on. */
const VARIES = new Set(['createdAt', 'recordedBy', 'deletedAt', 'lastActivity', 'revision'])

async function outcomes(client: TurngraphClient): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const step of SCRIPT) {
    const outcome = await step(client).catch((error: unknown) => {
      if (!(error instanceof TurngraphError)) throw error
      return { code: error.code, message: error.message, hint: error.hint, details: error.details }
    })
    seen.push(JSON.parse(JSON.stringify(outcome, (key, value) => (VARIES.has(key) ? undefined : value))))
  }
  return seen
}

const codeOf = (thrown: Promise<unknown>): Promise<unknown> =>
  thrown.then(
    () => 'nothing',
    (error: unknown) => (error instanceof TurngraphError ? error.code : error),
  )

test('every call has the same answer or error over HTTP and in process', async () => {
  const { service, token } = await start()
  const graph = EmbeddedGraph.open({ folder: null })
  await migrate(graph)
  const project = ' Shop/ü '
  const inProcess = inProcessClient({ graph, project })
  onTestFinished(() => inProcess.close())
  const overHttp = httpClient({ url: `${service.url}/`, token, project })
  expect(await outcomes(overHttp)).toEqual(await outcomes(inProcess))
})

describe('an HTTP client', () => {
  test('a missing service, or one that closes the connection, is store_unavailable with the address', async () => {
    const { service, token } = await start()
    await service.close()
    const client = httpClient({ url: service.url, token })
    await expect(client.listWorlds({})).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(service.url),
    })
  })

  test('a call with a wrong token is unauthorized', async () => {
    const { service } = await start()
    expect(await codeOf(httpClient({ url: service.url, token: 'wrong' }).listWorlds({}))).toBe('unauthorized')
    expect(await codeOf(httpClient({ url: service.url }).listWorlds({}))).toBe('unauthorized')
  })

  test('the error of an address that is no Turngraph service names this', async () => {
    let status = 200
    const other = createServer((_req, res) => res.writeHead(status).end('<html>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const client = httpClient({ url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` })
    expect(await codeOf(client.listWorlds({}))).toBe('internal')
    status = 502
    expect(await codeOf(client.listWorlds({}))).toBe('store_unavailable')
    status = 301
    expect(await codeOf(client.listWorlds({}))).toBe('store_unavailable')
  })

  test('an answer without events, or with one that cannot be read, fails instead of being opened again and again', async () => {
    let form = { type: 'text/html', text: '<html>' }
    const other = createServer((_req, res) => res.setHeader('content-type', form.type).end(form.text))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const client = httpClient({ url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` })
    expect(await codeOf(client.events().next())).toBe('internal')
    for (const data of ['{"type":"session","verdict":"of a later version"}', 'no JSON']) {
      form = { type: 'text/event-stream; charset=utf-8', text: `id: 1\ndata: ${data}\n\n` }
      expect(await codeOf(client.events().next())).toBe('internal')
    }
  })

  test('ends an aborted call', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const client = httpClient({ url })
    expect(await codeOf(client.listWorlds({}, { signal: AbortSignal.timeout(50) }))).toBe('timeout')
    const patient = httpClient({ url, timeoutMs: 2 ** 31 - 1 })
    const wait = { worldSlug: 'w', workerId: 'me', waitMs: 1_000 }
    await expect(patient.nextAttempt(wait, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      message: 'The caller gave up on the call.',
    })
    const readEvents = () => client.events({}, { signal: AbortSignal.timeout(1_000) }).next()
    const events = readEvents()
    await collectGarbage()
    expect(await events).toMatchObject({ done: true })
  })

  test('close ends its calls and uploads, and nothing is sent afterwards', async () => {
    let asked = 0
    const server = createServer((req, res) => {
      asked++
      if (req.url?.includes('away')) return void res.writeHead(503).end()
      if (req.url?.includes('limited')) return void res.writeHead(429, { 'retry-after': '60' }).end()
      if (req.url?.includes('half')) res.writeHead(200).write('{')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = httpClient({ url, retries: 100, rateLimitWaitMs: 60_000 })
    async function* chunks() {
      yield Buffer.from('{}\n')
      await new Promise(() => {})
    }
    const calls = (): Promise<unknown>[] => [
      ...['hanging', 'half', 'away', 'limited'].map((worldSlug) => client.getWorld({ worldSlug })),
      client.importTranscript({ sessionId: 's' }, chunks()),
    ]
    const underWay = Promise.allSettled(calls())
    await expect.poll(() => asked).toBeGreaterThanOrEqual(5)
    await client.close()
    const before = asked
    const closed = {
      status: 'rejected',
      reason: { code: 'invalid_request', message: 'The client is closed.' },
    }
    for (const outcome of await underWay) expect(outcome).toMatchObject(closed)
    const events = client.events().next()
    for (const outcome of await Promise.allSettled([...calls(), events]))
      expect(outcome).toMatchObject(closed)
    expect(asked).toBe(before)
  })

  test.each([
    ['over HTTP', () => httpClient({ url: 'http://127.0.0.1:9' })],
    ['on a store', () => createTurngraphClient({ store: 'embedded:memory' })],
  ])('a call %s rejects a signal that is no AbortSignal, and names the field', async (_, create) => {
    const client = create()
    onTestFinished(() => client.close())
    const signal = new AbortController() as never
    async function* noChunks() {}
    for (const call of [
      client.listWorlds({}, { signal }),
      client.importTranscript({ sessionId: 's' }, noChunks(), { signal }),
      (async () => client.events({}, { signal }).next())(),
    ])
      await expect(call).rejects.toMatchObject({
        code: 'invalid_request',
        details: {
          problems: [{ path: 'signal', message: expect.stringMatching(/^must be an AbortSignal/) }],
        },
      })
  })

  test('a deletion whose answer was lost answers the deleted world, and a later one is world_deleted', async () => {
    const { service, token } = await start()
    let isLost = false
    const url = await flakyProxy(service.url, ({ method }) => {
      if (method !== 'DELETE' || isLost) return undefined
      isLost = true
      return 'lose the answer'
    })
    const client = httpClient({ url, token, retries: 3 })
    const { worldSlug } = await client.createWorld(task)
    expect(await client.deleteWorld({ worldSlug })).toMatchObject({
      worldSlug,
      deletedAt: expect.any(String),
    })
    expect(isLost).toBe(true)
    expect(await codeOf(client.deleteWorld({ worldSlug }))).toBe('world_deleted')
  })

  test('waits as long as a rate limit requires, up to rateLimitWaitMs', async () => {
    const { service, token } = await start()
    const often = await startLimitedFront(service.url, (request) => request < 3)
    const patient = httpClient({ url: often.url, token, rateLimitWaitMs: 2_000 })
    expect(await patient.listWorlds({})).toMatchObject({ items: [] })
    expect(often.refused()).toBe(2)
    const always = await startLimitedFront(service.url, () => true)
    for (const [rateLimitWaitMs, tries] of [
      [0, 1],
      [1_500, 2],
    ] as const) {
      const before = always.refused()
      const client = httpClient({ url: always.url, token, rateLimitWaitMs })
      expect(await codeOf(client.listWorlds({}))).toBe('rate_limited')
      expect(always.refused() - before).toBe(tries)
    }
    const leaving = httpClient({ url: always.url, token, rateLimitWaitMs: 60_000 })
    expect(await codeOf(leaving.listWorlds({}, { signal: AbortSignal.timeout(200) }))).toBe('timeout')
  })

  test('rejects values that JSON cannot represent instead of changing them', async () => {
    const { service, token } = await start()
    const client = httpClient({ url: service.url, token })
    for (const worldSlug of ['.', '..']) {
      await expect(client.getWorld({ worldSlug })).rejects.toMatchObject({
        code: 'invalid_request',
        hint: expect.stringContaining('MCP takes such a name'),
      })
    }
    expect(await codeOf(client.createWorld(task, { idempotencyKey: 'a b' }))).toBe('invalid_request')
    expect(() => httpClient({ url: 'ftp://x' })).toThrow(TurngraphError)
    expect(() => httpClient({ url: service.url, token: 'a\nb' })).toThrow(TurngraphError)
  })
})
