import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { type Started, start } from './http-start.ts'

const TURN = { feature_id: 'FEAT-1', task_id: 'TASK-1', turn_number: 1, player_summary: 'Built it' }
const CONTEXT = '/v1/continuation-context?feature_id=FEAT-1&task_id=TASK-1&current_turn=2'

const capture = ({ call }: Started, headers: Record<string, string> = {}) =>
  call('POST', '/v1/turns', { body: TURN, headers })

/** What a read that brings this is told, and what it is answered. */
async function askWith({ call }: Started, bookmark: string) {
  const { status, headers, body } = await call('GET', CONTEXT, {
    headers: { 'turngraph-bookmark': bookmark },
  })
  return { status, turn: body.previous_turn, warning: headers.get('turngraph-bookmark-warning') }
}

describe('bookmarks over HTTP', () => {
  test('every answer to a write carries one, also where the record stood there already, and no answer to a read does', async () => {
    const service = await start()
    const answers = [await capture(service), await capture(service)]
    expect(answers.map(({ status }) => status)).toEqual([201, 200])
    for (const { headers } of answers) {
      expect(headers.get('turngraph-bookmark')).toMatch(/^[\w-]{10,}$/)
    }
    const read = await service.call('GET', CONTEXT)
    expect(read.headers.has('turngraph-bookmark')).toBe(false)
  })

  test('a read that brings the bookmarks of earlier answers is answered without a warning', async () => {
    const service = await start()
    const bookmark = (await capture(service)).headers.get('turngraph-bookmark') ?? ''
    expect(await askWith(service, bookmark)).toEqual({ status: 200, turn: 1, warning: null })
    expect(await askWith(service, `${bookmark}, ${bookmark}`)).toEqual({
      status: 200,
      turn: 1,
      warning: null,
    })
  })

  test('a bookmark of another graph is ignored with a warning', async () => {
    const [service, other] = [await start(), await start()]
    await capture(service)
    const foreign = (await capture(other)).headers.get('turngraph-bookmark') ?? ''
    const warning = 'A bookmark of another graph was ignored.'
    expect(await askWith(service, foreign)).toEqual({ status: 200, turn: 1, warning })
    expect((await capture(service, { 'turngraph-bookmark': foreign })).status).toBe(200)
  })

  test.each([
    ['words', 'nonsense'],
    ['no base64', '*&^%'],
    ['JSON of another form', Buffer.from('{"a":1}').toString('base64url')],
    ['nothing', ''],
    ['text that is no JSON', Buffer.from('["a"').toString('base64url')],
  ])('a bookmark that is %s is ignored with a warning', async (_what, bookmark) => {
    const service = await start()
    await capture(service)
    const warning = 'A bookmark that Turngraph did not make was ignored.'
    expect(await askWith(service, bookmark)).toEqual({ status: 200, turn: 1, warning })
  })

  test('more bookmarks than are taken are ignored with a warning', async () => {
    const service = await start()
    const bookmark = (await capture(service)).headers.get('turngraph-bookmark') ?? ''
    const many = Array.from({ length: 800 }, () => bookmark).join(',')
    expect(await askWith(service, many)).toMatchObject({
      status: 200,
      turn: 1,
      warning: expect.stringContaining('at most 256'),
    })
  })

  test('over MCP a bookmark stands in the _meta of results and of requests', async () => {
    const service = await start()
    const callTool = async (name: string, args: object, _meta: object = {}) => {
      const params = { name, arguments: args, _meta }
      const { body } = await service.call('POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        headers: { accept: 'application/json, text/event-stream' },
      })
      return body.result
    }
    const task = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
    const stored = await callTool('capture_turn_state', TURN)
    const bookmark = stored._meta['turngraph/bookmark']
    expect(bookmark).toMatch(/^[\w-]{10,}$/)
    const load = { ...task, current_turn: 2 }
    const known = await callTool('load_continuation_context', load, { 'turngraph/bookmark': bookmark })
    expect(known).toMatchObject({ structuredContent: { previous_turn: 1 } })
    expect(Object.keys(known._meta ?? {}).filter((key) => key.startsWith('turngraph/'))).toEqual([])
    const ignored = await callTool('load_continuation_context', load, { 'turngraph/bookmark': 'nonsense' })
    expect(ignored).toMatchObject({
      structuredContent: { previous_turn: 1 },
      _meta: { 'turngraph/bookmark_warning': 'A bookmark that Turngraph did not make was ignored.' },
    })
  })

  test('an upload of a transcript is answered with a bookmark', async () => {
    const { call } = await start()
    const { status, headers } = await call('POST', '/v1/transcripts/s-1', {
      body: '{"type":"system","subtype":"stop_hook_summary"}\n',
      headers: { 'content-type': 'application/jsonl' },
    })
    expect(status).toBe(200)
    expect(headers.get('turngraph-bookmark')).toMatch(/^[\w-]{10,}$/)
  })

  test('the client brings the bookmark of its writes to what it asks in the same project, and to no other', async () => {
    const { service, token } = await start()
    const seen: { url: string; bookmark: string | undefined }[] = []
    const answered: (string | null)[] = []
    const proxy = createServer(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const bookmark = req.headers['turngraph-bookmark']
      seen.push({ url: req.url ?? '', bookmark: bookmark === undefined ? undefined : String(bookmark) })
      const answer = await fetch(`${service.url}${req.url}`, {
        method: req.method ?? 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      const given = answer.headers.get('turngraph-bookmark')
      answered.push(given)
      res.writeHead(answer.status, {
        'content-type': 'application/json',
        ...(given !== null && { 'turngraph-bookmark': given }),
      })
      res.end(await answer.text())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    const client = httpClient({
      url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      project: 'shop',
    })
    const task = { featureId: 'FEAT-1', taskId: 'TASK-1' }
    await client.captureTurnState({ ...task, turnNumber: 1, playerSummary: 'Built it' })
    await client.loadTurnContinuationContext({ ...task, currentTurn: 2 })
    await client.loadTurnContinuationContext({ ...task, project: 'bank', currentTurn: 2 })
    await client.close()
    expect(answered[0]).not.toBeNull()
    expect(seen.map(({ bookmark }) => bookmark)).toEqual([undefined, answered[0], undefined])
  })
})
