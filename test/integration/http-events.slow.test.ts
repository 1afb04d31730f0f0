import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { worldKey } from '../../src/core/keys.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { createWorld } from '../../src/memory/worlds/worlds.ts'
import { restartable } from './http-restart.ts'
import { record, type Started, start, tokensFile } from './http-start.ts'

const copyWorld = parseStatement(
  'test/copy-world',
  `// params: $from $copies $featureId $taskId
MATCH (from:World {key: $from})
UNWIND $copies AS x
CREATE (w:World {key: x.key, slug: x.slug, project: from.project, featureId: $featureId, taskId: $taskId})
SET w.taskKey = from.taskKey, w.ordinal = 1, w.executor = from.executor, w.leaseTtlMs = from.leaseTtlMs,
  w.createdAt = from.createdAt, w.lastActivityAt = from.lastActivityAt, w.currentTurn = 0, w.turnCount = 0,
  w.ledgerRev = 0
RETURN count(w) AS copies`,
)

/** Opens a stream of events. `until` waits until its text matches, or the stream has ended. */
async function stream({ service }: Started, query = '', headers: Record<string, string> = {}) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${service.url}/v1/events${query}`, { headers, signal: stop.signal })
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ''
  let ended = false
  const read = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
    ended = done
    text += decoder.decode(value)
  }
  return {
    response,
    get text() {
      return text
    },
    until: async (shown: RegExp) => {
      while (!shown.test(text) && !ended) await read()
      expect(text).toMatch(shown)
    },
    untilEnd: async () => {
      while (!ended) await read()
      return text
    },
    stop: () => stop.abort(),
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('a stream is server-sent events: a retry time, a cursor immediately, then events with ids', async () => {
  const started = await start()
  const events = await stream(started, '', bearer(started.token))
  expect(events.response.status).toBe(200)
  expect(Object.fromEntries(events.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  })
  await events.until(/^retry: \d+\n\n: cursor (\d+)\nid: \1\n\n/)
  await started.call('POST', '/v1/turns', { body: record() })
  await events.until(/\nid: \d+\ndata: .*\n\n$/)
  const data = JSON.parse(/^data: (.*)$/m.exec(events.text)?.[1] ?? '')
  expect(Object.keys(data)).toEqual([
    ...['type', 'project', 'version', 'changed_at', 'world_slug', 'feature_id', 'task_id', 'current_turn'],
    ...[
      'decision',
      'verified',
      ...['observed', 'judged', 'repeated', 'misplaced', 'bare'],
      'contested',
      'refuted',
      'total',
      'verdict',
      'active_turn_run_id',
      'active_attempt_id',
      'deleted_at',
    ],
  ])
  expect(data).toMatchObject({ type: 'session', project: 'default', world_slug: 'TASK-1', current_turn: 1 })
})

test('Last-Event-ID of a browser that reconnects takes precedence over the cursor of its address', async () => {
  const started = await start()
  const first = await stream(started, '', bearer(started.token))
  await first.until(/id: \d+/)
  const cursor = /id: (\d+)/.exec(first.text)?.[1] ?? ''
  first.stop()
  await started.call('POST', '/v1/turns', { body: record() })
  const headers = { ...bearer(started.token), 'last-event-id': cursor }
  const back = await stream(started, '?cursor=1&snapshot=true', headers)
  await back.until(/"current_turn":1/)
})

test('a reader needs the scope read, and a reader of a project gets only its events', async () => {
  const tokens = tokensFile([
    { name: 'ci', token: 'writer-of-everything', scopes: ['write'] },
    { name: 'shop', token: 'reader-of-the-shop', scopes: ['read'], project: 'shop' },
  ])
  const started = await start({ TURNGRAPH_TOKENS: tokens })
  const { call } = started
  expect((await call('GET', '/v1/events', { token: null })).status).toBe(401)
  expect((await call('GET', '/v1/events', { token: 'writer-of-everything' })).status).toBe(403)
  const ofTheShop = { token: 'reader-of-the-shop' }
  expect((await call('GET', '/v1/events?project=till', ofTheShop)).status).toBe(403)
  const events = await stream(started, '', bearer('reader-of-the-shop'))
  await events.until(/id: \d+/)
  await call('POST', '/v1/turns', { body: record({ project: 'till', task_id: 'canary' }) })
  await call('POST', '/v1/turns', { body: record({ project: 'shop' }) })
  await events.until(/"project":"shop"/)
  expect(events.text).not.toContain('canary')
})

test('a token that is removed from the file is rejected, and its stream ends', async () => {
  const kept = { name: 'kept', token: 'a-token-that-stays', scopes: ['read'] }
  const file = tokensFile([kept, { name: 'revoked', token: 'a-token-that-goes', scopes: ['read'] }])
  const started = await start({ TURNGRAPH_TOKENS: file })
  const events = await stream(started, '', bearer('a-token-that-goes'))
  await events.until(/id: \d+/)
  const without = tokensFile([kept])
  writeFileSync(file, readFileSync(without))
  const status = async () => (await started.call('GET', '/v1/worlds', { token: 'a-token-that-goes' })).status
  await expect.poll(status, { timeout: 10_000 }).toBe(401)
  await started.call('POST', '/v1/turns', { body: record() })
  expect(await events.untilEnd()).not.toContain('TASK-1')
  expect((await started.call('GET', '/v1/worlds', { token: kept.token })).status).toBe(200)
})

test('a stream ends if its token changes to another project, or loses the scope read', async () => {
  const own = { name: 'own', token: 'a-token-that-changes', scopes: ['read'], project: 'shop' }
  const file = tokensFile([own])
  const started = await start({ TURNGRAPH_TOKENS: file })
  const change = async (changed: Partial<typeof own>, status: number) => {
    writeFileSync(file, readFileSync(tokensFile([{ ...own, ...changed }])))
    const asked = () => started.call('GET', '/v1/worlds?project=shop', { token: own.token })
    await expect.poll(async () => (await asked()).status, { timeout: 10_000 }).toBe(status)
  }
  for (const [turn, changed] of [{ project: 'till' }, { scopes: ['write'] }].entries()) {
    const events = await stream(started, '', bearer(own.token))
    await events.until(/id: \d+/)
    await change(changed, 403)
    await started.call('POST', '/v1/turns', { body: record({ project: 'shop', task_id: `canary-${turn}` }) })
    expect(await events.untilEnd()).not.toContain('canary')
    await change({}, 200)
  }
})

test('a reader gets its heartbeat even while others get events without a pause', async () => {
  const started = await start()
  const events = await stream(started, '?project=quiet&snapshot=true', bearer(started.token))
  let turns = 0
  let isHeard = false
  const heard = events.until(/: cursor \d+\n.*: cursor \d+\n/s).then(() => {
    isHeard = true
  })
  while (!isHeard) await started.call('POST', '/v1/turns', { body: record({ turn_number: ++turns }) })
  await heard
  expect(events.text).not.toMatch(/null|data/) // an empty snapshot sends no event
})

test('an invalid request is rejected before the stream starts', async () => {
  const started = await start()
  const problem = async (query: string) => (await started.call('GET', `/v1/events?${query}`)).body.error
  expect(await problem('snapshot=maybe')).toMatchObject({
    message: 'events: snapshot: must be true or false',
  })
  expect(await problem('curser=1')).toMatchObject({ code: 'invalid_request' })
  expect(await problem('cursor=x')).toMatchObject({ message: 'cursor: is no id of an event' })
  expect(await problem('cursor=1000000000000')).toMatchObject({ code: 'cursor_expired' })
  expect((await started.call('GET', '/v1/events?cursor=1000000000000')).status).toBe(410)
  expect((await started.call('POST', '/v1/events')).status).toBe(405)
  expect((await started.call('HEAD', '/v1/events')).status).toBe(200) // and ends
})

test('the number of readers is limited, and a reader that leaves makes room', async () => {
  const started = await start({ TURNGRAPH_MAX_CONNECTIONS: '4' })
  const token = bearer(started.token)
  const [one, two] = [await stream(started, '', token), await stream(started, '', token)]
  await one.until(/id: /)
  await two.until(/id: /)
  const refused = await fetch(`${started.service.url}/v1/events`, { headers: token })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ error: { code: 'store_unavailable' } })
  two.stop()
  const again = async () => {
    const response = await fetch(`${started.service.url}/v1/events`, { headers: token })
    await response.body?.cancel()
    return response.status
  }
  await expect.poll(again, { timeout: 10_000 }).toBe(200)
})

test('a service that shuts down ends its streams with a retry time', async () => {
  const started = await start()
  const events = await stream(started, '', bearer(started.token))
  await events.until(/id: \d+/)
  const closing = started.service.close()
  expect(await events.untilEnd()).toMatch(/retry: \d+\n\n$/)
  await closing
})

test('a reader that does not read is disconnected, and gets no more than its connection takes', async () => {
  const started = await start()
  // Their names have the maximum length: 29 MB in total, more than the buffers of a connection.
  const SESSIONS = 10_000
  const long = (name: string) => `${name}${'\u{1f9e9}'.repeat(240)}`
  const { world } = await createWorld(started.graph, { project: 'default', featureId: 'F', taskId: 'T' })
  const slugs = Array.from({ length: SESSIONS }, (_, i) => long(`${i} `))
  const copies = slugs.map((slug) => ({ slug, key: worldKey('default', slug) }))
  const params = {
    from: worldKey('default', world.worldSlug),
    copies,
    featureId: long('F'),
    taskId: long('T'),
  }
  await started.graph.write([{ statement: copyWorld, params }])
  const socket = connect(started.service.port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const authorization = `Authorization: Bearer ${started.token}`
  socket.write(`GET /v1/events?snapshot=true HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n\r\n`)
  const readers = async () => {
    const { body } = await started.call('GET', '/metrics')
    return Number(/^turngraph_event_readers (\d+)$/m.exec(String(body))?.[1])
  }
  await expect.poll(readers, { timeout: 10_000 }).toBe(1)
  await expect.poll(readers, { timeout: 40_000, interval: 250 }).toBe(0)
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve).on('error', () => {}))
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(SESSIONS * 3 * 4 * 240)
})

test('a client reconnects to a service that was away, and gets all changes since then', async () => {
  const service = await restartable()
  const client = httpClient({ url: service.url, token: service.token, project: 'shop' })
  const turn = (taskId: string, turnNumber: number) =>
    client.captureTurnState({ featureId: 'F', taskId, turnNumber, playerSummary: 'Built it' })
  await turn('T', 1)
  const heard = new Map<string, number>()
  const events = client.events({ snapshot: true })
  const hear = async (slug: string, turns: number) => {
    while ((heard.get(slug) ?? 0) < turns) {
      const { value } = await events.next()
      if (value?.type === 'session') heard.set(value.worldSlug, value.currentTurn)
    }
  }
  await hear('T', 1)
  for (const round of [2, 3]) {
    await service.down()
    await service.up()
    await turn('T', round)
    await turn(`T${round}`, 1)
    await hear('T', round)
    await hear(`T${round}`, 1)
  }
  await client.close()
  expect((await events.next()).done).toBe(true)
  await service.down()
})
