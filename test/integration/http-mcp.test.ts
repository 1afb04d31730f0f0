import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ALL_TOOLS, DEFAULT_TOOLS } from '../../src/operations/tools.ts'
import { record, type Started, start, tokensFile } from './http-start.ts'
import type { Json } from './mcp-connect.ts'

/** The HTTP side of `/mcp`: access, origins and rejected requests. */
describe('/mcp', () => {
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
  const tool = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args })
  const accept = { accept: 'application/json, text/event-stream' }

  const post = async (
    { call }: Started,
    body: unknown,
    options: { token?: string | null; headers?: Record<string, string> } = {},
  ) => call('POST', '/mcp', { body, ...options, headers: { ...accept, ...options.headers } })

  const refusal = (answer: { body: Json }): Json => JSON.parse(answer.body.result.content[0].text).error

  test('requires a token', async () => {
    const started = await start()
    for (const token of [null, 'wrong-token-of-somebody']) {
      const answer = await post(started, rpc('tools/list'), { token })
      expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
    }
    const answer = await post(started, rpc('tools/list'))
    expect([answer.status, answer.body.result.tools.length]).toEqual([200, DEFAULT_TOOLS.length])
  })

  test('eight tools are listed by default and all tools on request, and each tool can be called', async () => {
    const started = await start()
    const at = (query: string) =>
      started.call('POST', `/mcp${query}`, { body: rpc('tools/list'), headers: accept })
    const names = async (query: string): Promise<string[]> =>
      (await at(query)).body.result.tools.map(({ name }: Json) => name).toSorted()
    expect(await names('')).toEqual(DEFAULT_TOOLS.toSorted())
    expect(await names('?tools=default')).toEqual(DEFAULT_TOOLS.toSorted())
    expect(await names('?tools=all')).toEqual(ALL_TOOLS.map(({ name }) => name).toSorted())
    expect((await at('?tools=many')).status).toBe(400)
    const unlisted = await post(started, tool('list_worlds'))
    expect(unlisted.body.result.structuredContent).toMatchObject({ items: [] })
  })

  test('each tool requires its scope, and a token of a project can access only that project', async () => {
    const file = tokensFile([
      { name: 'reader', token: 'token-of-a-reader', scopes: ['read'] },
      { name: 'writer', token: 'token-of-a-writer', scopes: ['write'], project: 'mine' },
    ])
    const started = await start({ TURNGRAPH_TOKENS: file })
    const create = tool('create_world', { feature_id: 'F', task_id: 'T', world_slug: 'w' })
    const list = tool('list_turns', { world_slug: 'w' })
    const reader = { token: 'token-of-a-reader' }
    const writer = { token: 'token-of-a-writer' }
    expect(refusal(await post(started, create, reader))).toMatchObject({
      code: 'forbidden',
      details: { scope: 'write' },
    })
    const made = await post(started, create, writer)
    expect(made.body.result.structuredContent).toMatchObject({ project: 'mine', world_slug: 'w' })
    expect(refusal(await post(started, list, writer))).toMatchObject({
      code: 'forbidden',
      details: { scope: 'read' },
    })
    const elsewhere = { ...writer, headers: { 'turngraph-project': 'yours' } }
    expect(refusal(await post(started, create, elsewhere))).toMatchObject({ code: 'forbidden' })
    expect(refusal(await post(started, list, reader))).toMatchObject({ code: 'unknown_world' })
    const mine = { ...reader, headers: { 'turngraph-project': 'mine' } }
    expect((await post(started, list, mine)).body.result.structuredContent).toEqual({
      items: [],
      next_cursor: null,
    })
  })

  test.each(['token', 'off'])('with auth %s a foreign Host or Origin is 403', async (auth) => {
    const started = await start({ TURNGRAPH_AUTH: auth })
    const status = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const all = {
          authorization: `Bearer ${started.token}`,
          'content-type': 'application/json',
          ...accept,
          ...headers,
        }
        const sent = request(
          `${started.service.url}/mcp`,
          { method: 'POST', headers: all, agent: false },
          (res) => {
            res.resume()
            resolve(res.statusCode ?? 0)
          },
        )
        sent.on('error', reject).end(JSON.stringify(rpc('tools/list')))
      })
    const host = `127.0.0.1:${started.service.port}`
    expect(await status({ host })).toBe(200)
    expect(await status({ host: `localhost:${started.service.port}` })).toBe(200)
    expect(await status({ host, origin: `http://${host}` })).toBe(200)
    expect(await status({ host: 'evil.example' })).toBe(403)
    expect(await status({ host, origin: 'http://evil.example' })).toBe(403)
    expect(await status({ host, origin: 'null' })).toBe(403)
  })

  test('has no stream and no session for a client that did not send initialize', async () => {
    const started = await start()
    for (const [method, allowed] of [
      ['GET', 'POST'],
      ['DELETE', 'POST'],
      ['PUT', 'GET, POST, DELETE'],
    ] as const) {
      const answer = await started.call(method, '/mcp', { headers: accept })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allowed])
    }
    const answer = await post(started, rpc('tools/list'))
    expect(answer.headers.get('mcp-session-id')).toBeNull()
    const head = await started.call('HEAD', '/mcp', { headers: { ...accept, 'mcp-session-id': 's' } })
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
  })

  test('a request that is no call is an error', async () => {
    const started = await start()
    expect((await post(started, 'no json')).status).toBe(400)
    expect((await post(started, { hello: 1 })).status).toBe(400)
    expect((await post(started, 'x'.repeat(2_000_000))).status).toBe(413)
    const plain = await started.call('POST', '/mcp', {
      body: rpc('tools/list'),
      headers: { accept: 'text/html' },
    })
    expect(plain.status).toBe(406)
    const unknown = await post(started, rpc('no/such/method'))
    expect(unknown.body.error.code).toBe(-32601)
    for (const args of [[], null, 7, 'x']) {
      const call = rpc('tools/call', { name: 'run_turn', arguments: args })
      expect((await post(started, call)).body.error.code).toBe(-32602)
    }
    for (const project of ['', 'p'.repeat(3_000)]) {
      const headers = { 'turngraph-project': project }
      expect((await post(started, tool('list_turns', { world_slug: 'w' }), { headers })).status).toBe(400)
    }
    const paged = await post(started, rpc('resources/list', { cursor: 'c'.repeat(4_097) }))
    expect(paged.body.error).toMatchObject({ code: -32602, data: { code: 'invalid_request' } })
    const refused = refusal(await post(started, tool('run_turn', { world_slug: 7 })))
    expect(refused).toMatchObject({ code: 'invalid_request', request_id: expect.any(String) })
  })
})

test('an answer of list_turns stays below 4 MiB, and its cursor continues with the rest', async () => {
  const { service, token, call } = await start()
  const lessons = Array.from({ length: 12 }, () => '"lorem" ipsum '.repeat(4_000))
  for (let number = 1; number <= 6; number++) {
    const body = record({ world_slug: 'w', turn_number: number, lessons_from_turn: lessons })
    expect((await call('POST', '/v1/turns', { body })).status).toBe(201)
  }
  const listed: number[] = []
  let cursor: string | null = null
  do {
    const asked = { name: 'list_turns', arguments: { world_slug: 'w', cursor } }
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: asked }),
    })
    const text = await response.text()
    expect(Buffer.byteLength(text)).toBeLessThan(4 * 1024 * 1024)
    const { items, next_cursor } = JSON.parse(text).result.structuredContent
    listed.push(...items.map(({ turn_number }: { turn_number: number }) => turn_number))
    cursor = next_cursor
  } while (cursor !== null)
  expect(listed).toEqual([1, 2, 3, 4, 5, 6])
})

test('a batch with as many members as the rate limit allows is accepted, and one more is rejected', async () => {
  const headers = { accept: 'application/json, text/event-stream' }
  for (const [members, status] of [
    [5, 200],
    [6, 429],
  ] as const) {
    const { call } = await start({ TURNGRAPH_RATE_LIMIT: '5' })
    const body = Array.from({ length: members }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
    expect((await call('POST', '/mcp', { body, headers })).status).toBe(status)
  }
})

test('a batch counts its members for the rate limit', async () => {
  const { call } = await start({ TURNGRAPH_RATE_LIMIT: '10' })
  const headers = { accept: 'application/json, text/event-stream' }
  const batch = (members: number) =>
    Array.from({ length: members }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
  const first = await call('POST', '/mcp', { body: batch(8), headers })
  expect([first.status, first.body.length]).toEqual([200, 8])
  const second = await call('POST', '/mcp', { body: batch(3), headers })
  expect([second.status, second.body.error.code]).toEqual([429, 'rate_limited'])
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(1)
})
