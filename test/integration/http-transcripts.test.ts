import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { inProcessClient } from '../../src/client/in-process.ts'
import { clientStore } from '../../src/client/transcript-store.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { bytesOf, everyTurn, reportsOf, send, sessionOf, turn } from '../support/transcript-import.ts'
import { linesOf, placed, says, user } from '../support/written-transcript.ts'
import { newFolder, type Started, start, tokensFile } from './http-start.ts'

const S1 = sessionOf(1)
const LONG = ['Grep', 'Read', 'Read', 'Read', 'Edit', 'Bash']
const FILE = bytesOf(turn('t1', LONG, { errors: { 5: 'no' } }), turn('t2', ['Read'], { from: 30 }))

const DESIRES = parseStatement(
  'test/desires',
  'MATCH (d:Desire) RETURN max(d.pattern) AS pattern, count(d) AS desires',
)

const clientAt = ({ service, token }: Started, project: string | null = null) =>
  httpClient({ url: service.url, token, project })

const upload = (started: Started, id: string, body: Buffer | string, query = '', token = started.token) =>
  started.call('POST', `/v1/transcripts/${encodeURIComponent(id)}${query}`, {
    body: body.toString(),
    headers: { 'content-type': 'application/jsonl' },
    token,
  })

describe('POST /v1/transcripts/{session_id}', () => {
  test('the body of an upload is the transcript, and the answer counts what was read and is stored', async () => {
    const started = await start()
    const odd = [
      { type: 'newKind' },
      { type: 'newKind' },
      { type: 'system', subtype: 'newSubtype', newField: 1 },
    ]
    const body = Buffer.concat([FILE, linesOf(odd), Buffer.from('{torn\n')])
    const answer = await upload(started, S1, body)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      offset: body.length,
      merged_turns: 0,
      bytes: body.length,
      sessions: 1,
      turns: 2,
      steps: 7,
      bad_lines: 1,
      recovered_lines: 0,
      redactions: 0,
      unknown: { newKind: 2 },
      unknown_subtypes: { newSubtype: 1 },
      unknown_fields: { 'system.newField': 1 },
      skipped_threads: 0,
    })
  })

  test('a file that cannot be read is skipped, and the import of the others continues', async () => {
    const folder = newFolder()
    const [gone = '', read = ''] = [1, 2].map((n) => path.join(folder, `${sessionOf(n)}.jsonl`))
    for (const file of [gone, read]) writeFileSync(file, FILE)
    const other = path.join(folder, 'other.jsonl')
    writeFileSync(other, '{"type":"step_start","sessionID":"ses_1"}\n')
    const store = clientStore(clientAt(await start()))
    const open: typeof store.open = async (sources) => {
      const opened = await store.open(sources)
      rmSync(gone)
      return opened
    }
    expect(await importFiles({ ...store, open }, [folder], { project: 'default' })).toMatchObject({
      sessions: 1,
      skipped: [
        { file: other, reason: 'it names no session of Claude Code or Codex' },
        { file: gone, reason: 'it cannot be read (ENOENT)' },
      ],
    })
  })

  test('an upload continues at the offset of the progress, and any other offset is a conflict', async () => {
    const started = await start()
    const whole = `${FILE}{"type":"user","mes`
    expect((await upload(started, S1, whole.slice(0, 500))).body.offset).toBeLessThan(500)
    const { body: progress } = await started.call('GET', `/v1/transcripts/${S1}/progress`)
    expect(progress).toMatchObject({ inode: null, tail: { bytes: expect.any(Number) } })
    const rest = Buffer.from(whole).subarray(progress.offset)
    const answer = await upload(started, S1, rest, `?offset=${progress.offset}`)
    expect(answer.body).toMatchObject({
      offset: FILE.length,
      bytes: FILE.length - progress.offset,
      turns: 2,
      steps: 7,
    })
    const refused = await upload(started, S1, rest, `?offset=${progress.offset}`)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'turn_conflict'])
    expect(refused.body.error.details).toEqual({ offset: FILE.length })
    expect((await started.call('GET', `/v1/transcripts/${sessionOf(9)}/progress`)).body).toEqual({
      offset: 0,
      inode: null,
      tail: null,
    })
  })

  test.each([`${S1}/a1`, 'a/b/c', 'a%2Fb', '%', 'ä/\u{1f600}', 'a b+c?d#e', '...'])(
    'a session may be called %s',
    async (id) => {
      const started = await start()
      expect(await upload(started, id, FILE)).toMatchObject({ status: 200, body: { turns: 2 } })
      const { body } = await started.call('GET', `/v1/transcripts/${encodeURIComponent(id)}/progress`)
      expect(body.offset).toBe(FILE.length)
      const found = await started.call(
        'GET',
        `/v1/transcript-turns?min_length=0&session_id=${encodeURIComponent(id)}`,
      )
      expect(found.body.items.map((item: { turn_id: string }) => item.turn_id)).toEqual(['t1', 't2'])
      const client = clientAt(started)
      expect(await send(client, id, FILE)).toMatchObject({ bytes: 0, turns: 2 })
    },
  )

  test.each([
    'offset=-1',
    'offset=x',
    'offset=1.5',
    'offset=',
    'nonsense=1',
    'offset=0&offset=0',
    'session_id=other',
    'inode=-2',
  ])('refuses ?%s, and stores nothing', async (query) => {
    const started = await start()
    const answer = await upload(started, S1, FILE, `?${query}`)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
    expect(await everyTurn(clientAt(started))).toEqual([])
  })

  test('an interrupted upload can be continued', async () => {
    const started = await start()
    const many = Array.from({ length: 100 }, (_, i) => turn(`t${i}`, LONG, { from: 20 * i }))
    const bytes = bytesOf(...many)
    const broken = request(`${started.service.url}/v1/transcripts/${S1}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${started.token}` },
    })
    broken.on('error', () => {}) // the test aborts it
    const closed = new Promise((resolve) => broken.once('close', resolve))
    const client = clientAt(started)
    broken.write(bytes.subarray(0, bytes.length - 5_000))
    await expect
      .poll(async () => (await client.getTranscriptProgress({ sessionId: S1 })).offset, { timeout: 20_000 })
      .toBeGreaterThan(0)
    broken.destroy()
    await closed
    await expect
      .poll(() => send(client, S1, bytes).catch((error: { code: string }) => error.code), { timeout: 20_000 })
      .toMatchObject({ offset: bytes.length, turns: 100, steps: 600 })
  })

  test('more than 256 MiB is 413, before any byte is read', async () => {
    const { service, token, call } = await start()
    const sent = request(`${service.url}/v1/transcripts/${S1}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-length': 256 * 1024 * 1024 + 1,
        connection: 'close',
      },
    })
    sent.on('error', () => {}) // the service may close the connection before everything was sent
    sent.write('{')
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(413)
    sent.destroy()
    expect((await call('GET', `/v1/transcripts/${S1}/progress`)).body.offset).toBe(0)
  })

  test('more than 256 MiB is also 413 without a Content-Length', async () => {
    const started = await start()
    const line = Buffer.from(`{"type":"progress","data":"${'x'.repeat(1024 * 1024 - 64)}"}\n`)
    const client = clientAt(started)
    const body = (async function* () {
      yield FILE
      for (let i = 0; i < 258; i++) yield line
    })()
    await expect(client.importTranscript({ sessionId: S1 }, body)).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  test('a read token cannot import, a write token cannot read', async () => {
    const file = tokensFile(
      (['read', 'write', 'analyst'] as const).map((scope) => ({
        name: scope,
        token: `token-${scope}`,
        scopes: [scope],
      })),
    )
    const started = await start({ TURNGRAPH_TOKENS: file, TURNGRAPH_IMPORT_ROOTS: newFolder() })
    const statuses = async (token: string | null) => [
      (await upload(started, S1, FILE, '', token ?? '')).status,
      (await started.call('POST', '/v1/transcripts/import', { token, body: { path: '/' } })).status,
      (await started.call('GET', `/v1/transcripts/${S1}/progress`, { token })).status,
      (await started.call('POST', '/v1/transcripts/count', { token, body: { sources: [] } })).status,
      ...(await Promise.all(
        ['transcript-turns', 'transcript-patterns', 'tool-stats', 'cost', 'paths', 'desires'].map(
          async (report) => (await started.call('GET', `/v1/${report}`, { token })).status,
        ),
      )),
    ]
    const reads = (status: number) => Array.from({ length: 8 }, () => status)
    expect(await statuses('token-read')).toEqual([403, 403, ...reads(200)])
    expect(await statuses('token-write')).toEqual([200, 403, ...reads(403)])
    expect(await statuses('token-analyst')).toEqual([403, 403, ...reads(403)])
    expect(await statuses('unknown')).toEqual([401, 401, ...reads(401)])
    expect(await statuses(null)).toEqual([401, 401, ...reads(401)])
  })

  test('a token of a project imports into and reads only that project', async () => {
    const token = 'token-of-shop'
    const file = tokensFile([{ name: 'shop', token, scopes: ['read', 'write'], project: 'shop' }])
    const started = await start({ TURNGRAPH_TOKENS: file, TURNGRAPH_PROJECT: 'elsewhere' })
    await upload(started, S1, bytesOf(turn('theirs', ['Bash'])))
    expect(await upload(started, S1, FILE, '', token)).toMatchObject({ status: 200 })
    for (const query of ['?project=elsewhere', '?project=']) {
      expect((await upload(started, S1, FILE, query, token)).status).toBeGreaterThanOrEqual(400)
      const asked = await started.call('GET', `/v1/transcripts/${S1}/progress${query}`, { token })
      expect(asked.status).toBeGreaterThanOrEqual(400)
    }
    const byHeader = await started.call('POST', `/v1/transcripts/${S1}`, {
      token,
      body: FILE.toString(),
      headers: { 'turngraph-project': 'elsewhere', 'content-type': 'application/jsonl' },
    })
    expect([byHeader.status, byHeader.body.error?.code]).toEqual([403, 'forbidden'])
    const own = await everyTurn(httpClient({ url: started.service.url, token }))
    expect(own.map(({ turnId }) => turnId)).toEqual(['t1', 't2'])
    expect(await everyTurn(clientAt(started))).toMatchObject([{ turnId: 'theirs' }])
  })
})

describe('reports', () => {
  test('reports have snake_case fields, and the same answers as in process', async () => {
    const started = await start()
    const client = clientAt(started)
    for (const n of [1, 2, 3])
      await send(client, sessionOf(n), bytesOf(turn(`t${n}`, LONG, { from: n, errors: { 5: 'no' } })))
    const inside = inProcessClient({ graph: started.graph, project: 'default' })
    const parsed = (answers: string[]) => answers.map((answer) => JSON.parse(answer))
    expect(parsed(await reportsOf(client))).toEqual(parsed(await reportsOf(inside)))
    const [item] = (await started.call('GET', '/v1/transcript-turns?limit=1')).body.items
    expect(Object.keys(item)).toEqual([
      'turn_id',
      'session_id',
      'agent',
      'index',
      'kind',
      'status',
      'started_at',
      'duration_ms',
      'length',
      'tools',
      'pattern',
      'errors',
      'parallel_steps',
      'models',
      'effort',
      'input_tokens',
      'output_tokens',
      'cache_read_tokens',
      'cache_creation_tokens',
    ])
    const keys = async (route: string) => Object.keys((await started.call('GET', route)).body.items[0])
    expect(await keys('/v1/transcript-patterns')).toEqual(['pattern', 'count', 'avg_length', 'sessions'])
    expect(await keys('/v1/tool-stats')).toEqual([
      'tool_name',
      'count',
      'turns',
      'avg_turn_len',
      'long_turn_pct',
    ])
    expect((await keys('/v1/desires')).sort()).toEqual(
      [
        'tool_name',
        'error',
        'category',
        'source',
        'pattern',
        'count',
        'avg_length',
        'sessions',
        'first_seen',
        'last_seen',
      ].sort(),
    )
    const pattern = encodeURIComponent('Grep → Read{2+} → Edit → Bash')
    expect((await started.call('GET', `/v1/transcript-turns?pattern=${pattern}`)).body.items).toHaveLength(3)
  })

  test('tokens are listed with snake_case fields, also those of each model', async () => {
    const started = await start()
    const usage = {
      input_tokens: 3,
      output_tokens: 4,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 6,
    }
    const records = [user('Do it'), says('Done', { id: 'm1', usage })]
    await upload(started, S1, linesOf(placed(records)))
    const tokens = { input_tokens: 3, output_tokens: 4, cache_read_tokens: 5, cache_creation_tokens: 6 }
    const { body } = await started.call('GET', '/v1/cost?by=session')
    expect(body).toEqual({
      items: [{ name: S1, parent: null, turns: 1, ...tokens, models: [{ model: 'claude-x', ...tokens }] }],
      next_cursor: null,
    })
  })

  test('an import of several transcripts refreshes the desires once, at the end', async () => {
    const started = await start()
    for (const n of [1, 2, 3]) {
      const body = bytesOf(turn(`t${n}`, LONG, { from: n, errors: { 5: 'no' } }))
      expect((await upload(started, sessionOf(n), body, '?more=true')).status).toBe(200)
    }
    const nodes = () => started.graph.read(DESIRES, {})
    expect(await nodes()).toEqual([{ pattern: null, desires: 0 }])
    const refreshed = await started.call('POST', '/v1/desires/refresh', { body: {} })
    expect(refreshed.body.items).toMatchObject([{ tool_name: 'Grep', count: 3, sessions: 3 }])
    expect(await nodes()).toEqual([{ pattern: 'Grep → Read{2+} → Edit → Bash', desires: 1 }])
    const { body: paths } = await started.call('GET', '/v1/paths')
    expect(paths.items).toEqual([
      { pattern: 'Bash: no', count: 3, sessions: 3, category: 'tool-error', last_seen: expect.any(String) },
      expect.objectContaining({ category: 'turn-pattern', count: 3 }),
    ])
    const sources = [1, 2, 9].map((n) => ({ session_id: sessionOf(n) }))
    const counted = await started.call('POST', '/v1/transcripts/count', { body: { sources } })
    expect(counted.body).toEqual({ sessions: 2, turns: 2, steps: 12, merged_turns: 0 })
  })

  test('the threshold is the configured one', async () => {
    const started = await start({ TURNGRAPH_TURN_LENGTH_THRESHOLD: '6' })
    const client = clientAt(started)
    for (const n of [1, 2, 3]) await send(client, sessionOf(n), bytesOf(turn(`t${n}`, LONG)))
    expect((await client.listTranscriptTurns({})).items).toHaveLength(3)
    expect((await client.listDesires({})).items).toEqual([])
    expect((await client.listToolStats({})).items[0]?.longTurnPct).toBe(0)
  })
})

test('a compressed transcript is rejected with 400', async () => {
  const started = await start()
  const response = await fetch(`${started.service.url}/v1/transcripts/${S1}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${started.token}`,
      'content-type': 'application/jsonl',
      'content-encoding': 'gzip',
    },
    body: new Uint8Array(gzipSync(FILE)),
  })
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: 'invalid_request' } },
  ])
})
