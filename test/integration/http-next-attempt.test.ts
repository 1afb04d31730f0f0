import { describe, expect, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { type Started, start } from './http-start.ts'

const NEXT = '/v1/worlds/w/next?worker_id=a'

async function aWorld(): Promise<Started> {
  const started = await start()
  await started.call('POST', '/v1/worlds', { body: { feature_id: 'F', task_id: 'T', world_slug: 'w' } })
  return started
}

const runTurn = async ({ call }: Started): Promise<string> =>
  (await call('POST', '/v1/worlds/w/turn-runs', { body: {} })).body.attempt_id

const ownerOf = async ({ call }: Started, attemptId: string): Promise<string | null> =>
  (await call('GET', `/v1/attempts/${attemptId}`)).body.lease.owner

const readersOf = async ({ call }: Started): Promise<number> =>
  Number(/^turngraph_event_readers (\d+)$/m.exec(String((await call('GET', '/metrics')).body))?.[1])

describe('GET /v1/worlds/{world_slug}/next', () => {
  test('claims an attempt, which neither a HEAD nor a page of another site can do', async () => {
    const started = await aWorld()
    const attemptId = await runTurn(started)
    const head = await started.call('HEAD', NEXT)
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET'])
    for (const site of ['cross-site', 'same-site']) {
      const refused = await started.call('GET', NEXT, { headers: { 'sec-fetch-site': site } })
      expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden'])
    }
    expect(await ownerOf(started, attemptId)).toBeNull()
    const claimed = await started.call('GET', NEXT, { headers: { 'sec-fetch-site': 'same-origin' } })
    expect([claimed.status, claimed.body.claim]).toMatchObject([200, { attempt_id: attemptId, fence: 1 }])
    expect(await ownerOf(started, attemptId)).toBe('a')
  })

  test('ends its wait when an attempt starts', async () => {
    const started = await aWorld()
    const waiting = started.call('GET', `${NEXT}&wait_ms=12000&with_continuation=false`)
    await expect.poll(() => readersOf(started), { timeout: 10_000 }).toBe(1)
    const attempt_id = await runTurn(started)
    expect((await waiting).body).toMatchObject({ claim: { attempt_id, continuation: null } })
  })

  test('claims nothing for a caller that has disconnected', async () => {
    const started = await aWorld()
    const gone = new AbortController()
    const { url } = started.service
    const headers = { authorization: `Bearer ${started.token}` }
    const waiting = fetch(url + NEXT, { headers, signal: gone.signal }).catch((error: Error) => error.name)
    await expect.poll(() => readersOf(started), { timeout: 10_000 }).toBe(1)
    gone.abort()
    expect(await waiting).toBe('AbortError')
    await expect.poll(() => readersOf(started), { timeout: 10_000 }).toBe(0)
    expect(await ownerOf(started, await runTurn(started))).toBeNull()
  })

  test('answers without an attempt when the service ends', async () => {
    const started = await aWorld()
    const waiting = started.call('GET', NEXT)
    await expect.poll(() => readersOf(started), { timeout: 10_000 }).toBe(1)
    await started.service.close()
    expect(await waiting).toMatchObject({ status: 200, body: { claim: null } })
  })

  test('takes no longer than its wait, which the client adds to its timeout', async () => {
    const { service, token } = await aWorld()
    const client = httpClient({ url: service.url, token, timeoutMs: 1_500 })
    expect(await client.nextAttempt({ worldSlug: 'w', workerId: 'a', waitMs: 2_000 })).toEqual({
      claim: null,
    })
  })
})
