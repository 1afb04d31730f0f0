import { createParser } from 'eventsource-parser'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Started, start } from './http-start.ts'
import type { Json } from './mcp-connect.ts'

/** Both generations of the protocol at one address, tested on the wire. */

const ACCEPT = { accept: 'application/json, text/event-stream' }
const OF_2026 = '2026-07-28'

const meta = (version: string) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

/** Sends a request of 2026-07-28, which contains all that it needs. */
const ask = (
  { call }: Started,
  method: string,
  params: Record<string, unknown> = {},
  { version = OF_2026, headers = {} as Record<string, string> } = {},
) => {
  const named = (params.name ?? params.uri) as string | undefined
  return call('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta(version) } },
    headers: {
      ...ACCEPT,
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': named }),
      ...headers,
    },
  })
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
})

describe('2026-07-28', () => {
  test('needs no handshake: server/discover describes the server, and each request is independent', async () => {
    const started = await start()
    const { status, body } = await ask(started, 'server/discover')
    expect([status, body.result]).toEqual([
      200,
      expect.objectContaining({
        resultType: 'complete',
        supportedVersions: [OF_2026],
        capabilities: {
          tools: {},
          resources: { subscribe: true },
          prompts: {},
          logging: {},
        },
        instructions: expect.stringContaining('get_continuation_context'),
      }),
    ])
    const { body: called } = await ask(started, 'tools/call', { name: 'list_worlds', arguments: {} })
    expect(called.result).toMatchObject({ resultType: 'complete', structuredContent: { items: [] } })
  })

  test('lists declare how long they can be cached, and by whom', async () => {
    const started = await start()
    for (const method of ['tools/list', 'prompts/list', 'resources/templates/list']) {
      const { body } = await ask(started, method)
      expect(body.result, method).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'private' })
    }
    const { body } = await ask(started, 'resources/list')
    const resources = [{ uri: 'turngraph://schema' }]
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private', resources })
  })

  test('headers that contradict the body are rejected', async () => {
    const started = await start()
    const wrong: Record<string, string>[] = [
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'list_turns' },
      { 'mcp-protocol-version': '2025-11-25' },
    ]
    for (const headers of wrong) {
      const params = { name: 'list_worlds', arguments: {} }
      const { status, body } = await ask(started, 'tools/call', params, { headers })
      expect([status, body.error.code], JSON.stringify(headers)).toEqual([400, -32020])
    }
  })

  test('an unsupported version is rejected with the list of supported ones', async () => {
    const started = await start()
    const { status, body } = await ask(started, 'tools/list', {}, { version: '2031-01-01' })
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: -32022, data: { supported: [OF_2026], requested: '2031-01-01' } }),
    ])
  })

  test('a listen to an unknown resource is rejected', async () => {
    const started = await start()
    const notifications = { resourceSubscriptions: ['turngraph://shop/worlds/w', 'file:///x'] }
    const { body } = await ask(started, 'subscriptions/listen', { notifications })
    expect(body).toMatchObject({ id: 1, error: { code: -32602, data: { code: 'not_found' } } })
  })

  test('a listen ends with an answer when the service shuts down', async () => {
    const started = await start()
    const notifications = { resourceSubscriptions: ['turngraph://shop/worlds/w'] }
    const frames = framesOf(await openListen(started, notifications))
    expect((await frames.next()).value).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    await started.service.close()
    const rest: Json[] = []
    for await (const frame of frames) rest.push(frame)
    expect(rest).toEqual([expect.objectContaining({ id: 1, result: expect.anything() })])
  })
})

async function openListen({ service, token }: Started, notifications: object): Promise<Response> {
  const method = 'subscriptions/listen'
  return fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...ACCEPT,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': OF_2026,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta: meta(OF_2026) } }),
  })
}

async function* framesOf({ body }: Response): AsyncGenerator<Json> {
  const found: string[] = []
  const parser = createParser({ onEvent: ({ data }) => found.push(data) })
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
    for (const data of found.splice(0)) yield JSON.parse(data)
  }
}

describe('the versions of 2025', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    '%s is spoken with whoever asks for it',
    async (version) => {
      const { call } = await start()
      const opened = await call('POST', '/mcp', { body: initialize(version), headers: ACCEPT })
      expect(opened.body.result).toMatchObject({
        protocolVersion: version,
        serverInfo: { name: 'turngraph' },
      })
      const headers = { ...ACCEPT, 'mcp-protocol-version': version }
      const listed = await call('POST', '/mcp', { body: rpc('tools/list'), headers })
      expect(listed.body.result.tools.length).toBeGreaterThan(5)
      expect(listed.body.result).not.toHaveProperty('resultType')
    },
  )

  test('a client that asks for another version in the handshake is offered the newest', async () => {
    const { call } = await start()
    const { body } = await call('POST', '/mcp', { body: initialize('1999-01-01'), headers: ACCEPT })
    expect(body.result.protocolVersion).toBe('2025-11-25')
  })

  test('a header with an unsupported version is rejected with the list of supported ones', async () => {
    const { call } = await start()
    const headers = { ...ACCEPT, 'mcp-protocol-version': '1999-01-01' }
    const { status, body } = await call('POST', '/mcp', { body: rpc('tools/list'), headers })
    expect(status).toBe(400)
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26'])
      expect(body.error.message).toContain(version)
  })

  test('a session ends by DELETE, and is 404 from then on', async () => {
    const { call } = await start()
    const opened = await call('POST', '/mcp', { body: initialize('2025-11-25'), headers: ACCEPT })
    const session = { ...ACCEPT, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    expect((await call('POST', '/mcp', { body: rpc('tools/list'), headers: session })).status).toBe(200)
    expect((await call('DELETE', '/mcp', { headers: session })).status).toBe(204)
    expect((await call('POST', '/mcp', { body: rpc('tools/list'), headers: session })).status).toBe(404)
    expect((await call('DELETE', '/mcp', { headers: session })).status).toBe(404)
  })

  test('a session that loses its subscriptions while its client is away is 404, so that the client begins again', async () => {
    const { call } = await start()
    const post = (session: string, body: Json) =>
      call('POST', '/mcp', { body, headers: { ...ACCEPT, 'mcp-session-id': session } })
    const statuses = async () => {
      const answers = [await post('subscribed', rpc('tools/list')), await post('idle', rpc('tools/list'))]
      return answers.map(({ status }) => status)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await post('subscribed', rpc('resources/subscribe', { uri: 'turngraph://shop/worlds/w' }))
    for (const seconds of [59, 59]) {
      await vi.advanceTimersByTimeAsync(1_000 * seconds)
      expect(await statuses()).toEqual([200, 200])
    }
    await vi.advanceTimersByTimeAsync(61_000)
    expect(await statuses()).toEqual([404, 200])
  })

  test('a replica also answers a session that another replica started', async () => {
    const { call } = await start()
    const headers = { ...ACCEPT, 'mcp-session-id': 'begun-by-another-replica' }
    expect((await call('POST', '/mcp', { body: rpc('tools/list'), headers })).status).toBe(200)
  })

  test('a client that resumes a stream of another process gets 404, because its subscriptions are lost', async () => {
    const [first, restarted] = [await start(), await start()]
    const streamOf = ({ service, token }: Started, headers: Record<string, string> = {}) =>
      fetch(`${service.url}/mcp`, {
        headers: {
          ...{ ...ACCEPT, authorization: `Bearer ${token}`, 'mcp-session-id': 'any' },
          ...{ 'mcp-protocol-version': '2025-11-25', ...headers },
        },
      })
    const beginning = await (await streamOf(first)).body?.getReader().read()
    const id = /^id: (\S+)\ndata:\n\n/.exec(new TextDecoder().decode(beginning?.value))?.[1] ?? ''
    const resumed = { 'last-event-id': id }
    expect((await streamOf(first, resumed)).status).toBe(200)
    expect((await streamOf(restarted, resumed)).status).toBe(404)
    expect((await streamOf(restarted)).status).toBe(200)
  })

  test('without a session, subscribing is an error, because changes cannot be sent', async () => {
    const { call } = await start()
    const body = rpc('resources/subscribe', { uri: 'turngraph://shop/worlds/w' })
    const answer = await call('POST', '/mcp', { body, headers: ACCEPT })
    expect(answer.body.error).toMatchObject({ code: -32602, message: 'Mcp-Session-Id: is missing' })
  })
})

const rpc = (method: string, params: object = {}): Json => ({ jsonrpc: '2.0', id: 1, method, params })
