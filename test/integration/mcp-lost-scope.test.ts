import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { record, type Started, start, tokensFile } from './http-start.ts'

/** A token that loses its scope during a subscription: its stream ends without further events. */

const ACCEPT = { accept: 'application/json, text/event-stream' }
const URI = 'turngraph://shop/worlds/TASK-1'
const OWN = { name: 'own', token: 'a-token-that-changes', scopes: ['read'], project: 'shop' }

type Changed = Partial<typeof OWN> | null

async function aSubscriber(open: (started: Started) => Promise<Response>) {
  const file = tokensFile([OWN])
  const started = await start({ TURNGRAPH_TOKENS: file })
  const capture = async (turnNumber: number) => {
    const body = record({ project: 'shop', turn_number: turnNumber })
    expect((await started.call('POST', '/v1/turns', { body })).status).toBe(201)
  }
  await capture(1)
  const { body } = await open(started)
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readMore = async (): Promise<boolean> => {
    // A stream that is cut off counts as ended, too.
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    text += value ?? ''
    return !done
  }
  return {
    capture,
    heard: async (word: string) => {
      while (!text.includes(word))
        if (!(await readMore())) throw new Error(`it ended without ${word}: ${text}`)
    },
    restUntilEnd: async () => {
      text = ''
      while (await readMore());
      return text
    },
    change: async (changed: Changed) => {
      writeFileSync(file, readFileSync(tokensFile(changed === null ? [] : [{ ...OWN, ...changed }])))
      const asked = () => started.call('GET', '/v1/worlds?project=shop', { token: OWN.token })
      await expect.poll(async () => (await asked()).status, { timeout: 10_000 }).not.toBe(200)
    },
  }
}

const post = ({ service }: Started, message: object, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...ACCEPT,
      authorization: `Bearer ${OWN.token}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })

async function streamOf2025(started: Started): Promise<Response> {
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opened = await post(started, { method: 'initialize', params })
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  const stream = await fetch(`${started.service.url}/mcp`, {
    headers: { ...ACCEPT, ...session, authorization: `Bearer ${OWN.token}` },
  })
  const subscribed = await post(started, { method: 'resources/subscribe', params: { uri: URI } }, session)
  expect(subscribed.status).toBe(200)
  return stream
}

const listenOf2026 = (started: Started): Promise<Response> =>
  post(
    started,
    {
      method: 'subscriptions/listen',
      params: {
        notifications: { resourceSubscriptions: [URI] },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
  )

const LOSSES: [string, Changed][] = [
  ['may read no more', { scopes: ['write'] }],
  ['reaches another project', { project: 'till' }],
  ['is known no more', null],
]

for (const [version, open] of [
  ['2025-11-25', streamOf2025],
  ['2026-07-28', listenOf2026],
] as const)
  test.each(LOSSES)(
    `a subscriber of ${version} whose token %s hears of nothing more, and its stream ends`,
    async (_loss, changed) => {
      const { capture, heard, restUntilEnd, change } = await aSubscriber(open)
      await capture(2)
      await heard('notifications/resources/updated')
      await change(changed)
      await capture(3)
      expect(await restUntilEnd()).not.toContain('notifications/resources/updated')
    },
  )
