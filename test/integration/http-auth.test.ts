import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { callWithHost, newFolder, record, start, tokensFile } from './http-start.ts'

const capture = { body: record() }

describe('tokens', () => {
  test('a token is created at the first start, readable only by its owner, and stays', async () => {
    const dataFolder = path.join(newFolder(), 'data')
    const first = await start({}, { dataFolder })
    const file = path.join(dataFolder, 'token')
    expect(first.token).toMatch(/^tgk_[A-Za-z0-9_-]{43}$/)
    expect([statSync(file).mode & 0o777, statSync(dataFolder).mode & 0o777]).toEqual([0o600, 0o700])
    await first.service.close()
    const second = await start({}, { dataFolder })
    expect(second.token).toBe(first.token)
    expect((await second.call('POST', '/v1/turns', capture)).status).toBe(201)
  })

  test('a token of this service is masked in every text, also without a word that names it', async () => {
    const { call, token } = await start()
    const body = record({ coach_feedback: `$ cat .turngraph/token\n${token}` })
    const captured = await call('POST', '/v1/turns', { body })
    expect(captured.body.coach_feedback).toMatch(/^\$ cat \.turngraph\/token\n\[redacted:[0-9a-f]+\]$/)
  })

  test('a missing or wrong token is 401 with WWW-Authenticate, and its body is not read', async () => {
    const { call, token } = await start()
    const large = 'x'.repeat(2_000_000)
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${token}x` },
      { authorization: `Basic ${token}` },
      { authorization: token },
    ]) {
      const answer = await call('GET', '/v1/worlds', {
        token: null,
        headers: headers as Record<string, string>,
      })
      expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
    }
    expect((await call('POST', '/v1/turns', { token: null, body: large })).status).toBe(401)
    expect((await call('GET', '/v1/worlds', { headers: { authorization: `bearer  ${token}` } })).status).toBe(
      200,
    )
  })

  test('probes, the API document and its page need no token', async () => {
    const { call } = await start()
    for (const open of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      expect([open, (await call('GET', open, { token: null })).status]).toEqual([open, 200])
    }
  })

  test.each([
    ['read', [200, 403, 403]],
    ['write', [403, 201, 200]],
    ['analyst', [403, 403, 403]],
    ['admin', [200, 201, 200]],
  ] as const)('the scope %s: reading, capturing and deleting answer %j', async (scope, expected) => {
    const file = tokensFile([{ name: 'one', token: 'token-of-one', scopes: [scope] }])
    const { call } = await start({ TURNGRAPH_TOKENS: file })
    await call('POST', '/v1/worlds', { body: { feature_id: 'F', task_id: 'T', world_slug: 'w' } })
    const token = 'token-of-one'
    const answers = [
      await call('GET', '/v1/worlds', { token }),
      await call('POST', '/v1/turns', { token, ...capture }),
      await call('DELETE', '/v1/worlds/w', { token }),
    ]
    expect(answers.map(({ status }) => status)).toEqual(expected)
    for (const { status, body } of answers) if (status === 403) expect(body.error.code).toBe('forbidden')
  })

  test('every turn and declaration keeps the name of the token that sent it, over REST, MCP and a commit; without a token it is null', async () => {
    const token = 'token-of-ci'
    const file = tokensFile([{ name: 'ci of shop', token, scopes: ['read', 'write'] }])
    const { call } = await start({ TURNGRAPH_TOKENS: file })
    const turn = (number: number) => ({ body: record({ turn_number: number, recorded_by: 'somebody' }) })
    expect((await call('POST', '/v1/turns', { ...turn(1), token })).body.recorded_by).toBe('ci of shop')
    expect((await call('POST', '/v1/turns', turn(2))).body.recorded_by).toBe('data folder')
    const { project: _, ...args } = record({ turn_number: 3 }) as Record<string, unknown>
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'capture_turn_state', arguments: args },
    }
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
    const answer = await call('POST', '/mcp', { body, headers, token })
    expect(JSON.stringify(answer.body)).toContain('ci of shop')
    const declared = { body: { feature_id: 'F', task_id: 'T', criteria: [{ text: 'It holds' }] }, token }
    expect((await call('PUT', '/v1/specification', declared)).body.recorded_by).toBe('ci of shop')

    const world = { feature_id: 'F', task_id: 'T', world_slug: 'w' }
    await call('POST', '/v1/worlds', { body: world })
    const run = (await call('POST', '/v1/worlds/w/turn-runs', { body: {} })).body
    const at = `/v1/attempts/${run.attempt_id}`
    const { fence } = (await call('POST', `${at}/claim`, { body: { worker_id: 'w' }, token })).body
    await call('POST', `${at}/commit`, { body: { fence, turn: { player_summary: 'Built it' } }, token })
    expect((await call('GET', '/v1/worlds/w/turns/1')).body.recorded_by).toBe('ci of shop')

    const open = await start({ TURNGRAPH_AUTH: 'off' })
    expect((await open.call('POST', '/v1/turns', turn(1))).body.recorded_by).toBeNull()
  })

  test('a token of a project lists only that project, and other tokens list all', async () => {
    const token = 'token-of-shop'
    const file = tokensFile([{ name: 'shop', token, scopes: ['read'], project: 'shop' }])
    const { call } = await start({ TURNGRAPH_TOKENS: file })
    expect((await call('GET', '/v1/projects', { token })).body.items).toEqual([])
    for (const project of ['elsewhere', 'shop'])
      await call('POST', '/v1/turns', { body: record({ project }) })
    expect((await call('GET', '/v1/projects', { token })).body.items).toEqual([{ project: 'shop' }])
    const all = (await call('GET', '/v1/projects')).body
    expect(all).toEqual({ items: [{ project: 'elsewhere' }, { project: 'shop' }], next_cursor: null })
  })

  test('a token of a project can access only that project', async () => {
    const token = 'token-of-shop'
    const file = tokensFile([{ name: 'shop', token, scopes: ['read', 'write'], project: 'shop' }])
    const { call } = await start({ TURNGRAPH_TOKENS: file, TURNGRAPH_PROJECT: 'elsewhere' })
    await call('POST', '/v1/turns', { body: record({ world_slug: 'secret' }) })

    expect((await call('POST', '/v1/turns', { token, ...capture })).body.project).toBe('shop')
    const named = await call('GET', '/v1/worlds?project=shop', { token })
    expect(named.body.items).toMatchObject([{ project: 'shop' }])
    for (const attempt of [
      call('GET', '/v1/worlds?project=elsewhere', { token }),
      call('GET', '/v1/worlds', { token, headers: { 'turngraph-project': 'elsewhere' } }),
      call('POST', '/v1/turns', { token, body: record({ project: 'elsewhere' }) }),
      call('DELETE', '/v1/worlds/secret?project=elsewhere', { token }),
    ]) {
      expect(await attempt).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    }
    const unreachable = await call('GET', '/v1/worlds/secret', { token })
    expect([unreachable.status, unreachable.body.error.code]).toEqual([404, 'unknown_world'])
    const theirs = {
      token,
      body: record({ project: 'shop', turn_number: 2 }),
      headers: { 'turngraph-project': 'x' },
    }
    expect((await call('POST', '/v1/turns', theirs)).status).toBe(201)
  })

  test.each([
    ['no JSON', '{'],
    ['a plain token', '[{"name":"a","token":"x","scopes":["read"]}]'],
    ['an unknown scope', `[{"name":"a","sha256":"${'0'.repeat(64)}","scopes":["root"]}]`],
    ['no scope', `[{"name":"a","sha256":"${'0'.repeat(64)}","scopes":[]}]`],
    [
      'a name twice',
      `[{"name":"a","sha256":"${'0'.repeat(64)}","scopes":["read"]},{"name":"a","sha256":"${'1'.repeat(64)}","scopes":["read"]}]`,
    ],
  ])('a token file with %s keeps the service from starting', async (_what, text) => {
    const file = path.join(newFolder(), 'tokens.json')
    writeFileSync(file, text)
    await expect(start({ TURNGRAPH_TOKENS: file })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('pages in a browser', () => {
  test('pages of a foreign origin are rejected, with and without tokens', async () => {
    for (const environment of [{}, { TURNGRAPH_AUTH: 'off' }] as Record<string, string>[]) {
      const { call, service } = await start(environment)
      for (const origin of ['https://evil.example', 'http://localhost:1', 'null', 'file://']) {
        const answer = await call('POST', '/v1/turns', { ...capture, headers: { origin } })
        expect([origin, answer.status, answer.body.error.code]).toEqual([origin, 403, 'forbidden'])
      }
      expect((await call('POST', '/v1/turns', { ...capture, headers: { origin: service.url } })).status).toBe(
        201,
      )
    }
  })

  test('a page that rebinds a name to this address gets 403 if no token is required', async () => {
    const off = await start({ TURNGRAPH_AUTH: 'off' })
    const { port } = off.service
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'LOCALHOST']) {
      expect([host, await callWithHost(off, host)]).toEqual([host, 200])
    }
    for (const host of [
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '192.168.0.1',
    ]) {
      expect([host, await callWithHost(off, host)]).toEqual([host, 403])
    }
    // The page of an attacker has the same origin as the name of the attacker.
    const sameOrigin = { origin: `http://evil.example:${port}` }
    expect(await callWithHost(off, `evil.example:${port}`, sameOrigin)).toBe(403)
  })

  test('pages of hosts in TURNGRAPH_ALLOWED_HOSTS are accepted, and requests with another Host are rejected', async () => {
    const started = await start({ TURNGRAPH_ALLOWED_HOSTS: 'turngraph.example, tunnel.example:8443' })
    const own = `127.0.0.1:${started.service.port}`
    const authorization = `Bearer ${started.token}`
    for (const host of [own, 'turngraph.example', 'TURNGRAPH.example:9', 'tunnel.example:8443']) {
      expect([host, await callWithHost(started, host, { authorization })]).toEqual([host, 200])
    }
    for (const host of ['evil.example', 'tunnel.example:1', 'turngraph.example.evil.example']) {
      expect([host, await callWithHost(started, host, { authorization })]).toEqual([host, 403])
    }
    const from = (origin: string) => callWithHost(started, own, { authorization, origin })
    expect(await from('https://turngraph.example')).toBe(200)
    expect(await from('https://evil.example')).toBe(403)
    await expect(start({ TURNGRAPH_ALLOWED_HOSTS: 'https://turngraph.example' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('TURNGRAPH_ALLOWED_HOSTS'),
    })
  })

  test('a service on a loopback address checks Host for every route, also with tokens', async () => {
    const started = await start()
    const { port } = started.service
    const authorization = `Bearer ${started.token}`
    expect(await callWithHost(started, `127.0.0.1:${port}`, { authorization })).toBe(200)
    const forged = { authorization, origin: `http://evil.example:${port}` }
    for (const route of [
      '/healthz',
      '/readyz',
      '/proof',
      '/openapi.json',
      '/',
      '/docs',
      '/metrics',
      '/v1/worlds',
      '/mcp',
    ])
      expect([route, await callWithHost(started, `evil.example:${port}`, forged, route)]).toEqual([
        route,
        403,
      ])
  })

  test('without tokens everyone on this machine can do everything', async () => {
    const { call } = await start({ TURNGRAPH_AUTH: 'off' })
    expect((await call('POST', '/v1/turns', capture)).status).toBe(201)
  })
})

test('a request over the rate limit of its token is 429, and other tokens are not affected', async () => {
  const token = 'token-of-one'
  const file = tokensFile([{ name: 'one', token, scopes: ['read'] }])
  const { call } = await start({ TURNGRAPH_TOKENS: file, TURNGRAPH_RATE_LIMIT: '3' })
  for (let n = 0; n < 3; n++) expect((await call('GET', '/v1/worlds', { token })).status).toBe(200)
  const limited = await call('GET', '/v1/worlds', { token })
  expect([limited.status, limited.body.error.code]).toEqual([429, 'rate_limited'])
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await call('GET', '/v1/worlds')).status).toBe(200)
  for (let n = 0; n < 3; n++) await call('GET', '/v1/worlds', { token: `guess-${n}` })
  expect((await call('GET', '/v1/worlds', { token: 'guess-4' })).status).toBe(429)
  expect((await call('GET', '/healthz')).status).toBe(200)
})
