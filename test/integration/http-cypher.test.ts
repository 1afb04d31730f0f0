import path from 'node:path'
import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { newFolder, record, start, tokensFile } from './http-start.ts'

const TURNS = 'MATCH (t:Turn) RETURN t.number AS turn, t.playerSummary AS summary ORDER BY turn'

test('a query sees every turn that was acknowledged, in a graph on disk', async () => {
  const { call } = await start({}, { graph: EmbeddedGraph.open({ folder: path.join(newFolder(), 'graph') }) })
  for (const turn of [1, 2, 3]) {
    await call('POST', '/v1/turns', { body: record({ turn_number: turn, player_summary: `Turn ${turn}` }) })
    const { status, body } = await call('POST', '/v1/cypher', { body: { query: TURNS } })
    expect(status).toBe(200)
    expect(body).toEqual({
      columns: ['turn', 'summary'],
      rows: Array.from({ length: turn }, (_, index) => [index + 1, `Turn ${index + 1}`]),
      truncated: false,
      elapsed_ms: expect.any(Number),
      warnings: [],
    })
  }
})

test('parameters are passed unchanged, and rows beyond the limit are cut and reported as truncated', async () => {
  const { call } = await start()
  const ask = async (body: object) => (await call('POST', '/v1/cypher', { body })).body
  const params = { text: "'; CREATE (:Evil) //", list: [1, 2.5, null], snake_case: { aKey: true } }
  const query = 'RETURN $text AS text, $list AS list, $snake_case.aKey AS held'
  expect((await ask({ query, params })).rows).toEqual([["'; CREATE (:Evil) //", [1, 2.5, null], true]])
  expect((await ask({ query: 'RETURN $a AS a', params: { a: 1, unused: 2 } })).rows).toEqual([[1]])
  const many = await ask({ query: 'UNWIND range(1, 50) AS x RETURN x ORDER BY x', limit: 3 })
  expect([many.rows, many.truncated]).toEqual([[[1], [2], [3]], true])
  const large = 'UNWIND range(1, 2000) AS x RETURN reduce(s = "y", i IN range(1, 12) | s + s) AS s'
  const { rows, truncated } = await ask({ query: large, limit: 10_000 })
  expect([truncated, rows.length > 500 && rows.length < 1100]).toEqual([true, true])
})

test('a name that the graph does not have is a warning with similar names', async () => {
  const { call } = await start()
  const { body } = await call('POST', '/v1/cypher', { body: { query: 'MATCH (t:Trun) RETURN t.nubmer' } })
  expect(body.warnings).toEqual([
    { unknown: 'Trun', near: ['Turn'] },
    { unknown: 'nubmer', near: ['number'] },
  ])
})

test.each([
  [{}, 'query'],
  [{ query: '' }, 'query'],
  [{ query: 5 }, 'query'],
  [{ query: 'x'.repeat(20_001) }, 'query'],
  [{ query: 'RETURN 1', params: [1] }, 'params'],
  [{ query: "RETURN $a, 'and $b' // $b", params: { b: 2 } }, 'query'],
  [{ query: 'RETURN 1', limit: 0 }, 'limit'],
  [{ query: 'RETURN 1', limit: 10_001 }, 'limit'],
  [{ query: 'RETURN 1', timeout_ms: 60_001 }, 'timeout_ms'],
  [{ query: 'RETURN 1', project: 'shop' }, 'project'],
  [{ query: 'RETURN nothing' }, 'query'],
  [{ query: 'RETURN 1 +' }, 'query'],
])('%j is refused by the name of its field', async (body, field) => {
  const { call } = await start()
  const answer = await call('POST', '/v1/cypher', { body })
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
  expect(answer.body.error.details.problems[0].path).toBe(field)
})

test('it requires a token with the scope analyst and without a project', async () => {
  const file = tokensFile([
    { name: 'analyst', token: 'analyst-token', scopes: ['analyst'] },
    { name: 'reader', token: 'reader-token', scopes: ['read', 'write'] },
    { name: 'bound', token: 'bound-token', scopes: ['analyst', 'read'], project: 'shop' },
  ])
  const { call } = await start({ TURNGRAPH_TOKENS: file })
  const statusFor = async (who: string, method: string, url: string, body?: object) =>
    (await call(method, url, { token: `${who}-token`, ...(body && { body }) })).status
  const query = { query: 'RETURN 1 AS x' }
  expect(await statusFor('analyst', 'POST', '/v1/cypher', query)).toBe(200)
  expect(await statusFor('reader', 'POST', '/v1/cypher', query)).toBe(403)
  expect(await statusFor('bound', 'POST', '/v1/cypher', query)).toBe(403)
  expect(await statusFor('bound', 'GET', '/v1/analyses')).toBe(200)
})

test('every call is in the audit log with its caller, query and outcome, with masked secrets and without values', async () => {
  let logged = ''
  const log = pino(
    { level: 'info' },
    new Writable({
      write(chunk, _encoding, done) {
        logged += chunk
        done()
      },
    }),
  )
  const { call } = await start({}, { log })
  const ask = (query: string) => call('POST', '/v1/cypher', { body: { query, params: { a: 'canary' } } })
  await ask("RETURN $a AS a, 'postgres://app:hunter2@db/app' AS x")
  await ask('CREATE (:Evil {a: $a})')
  const lines = logged
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({
      audit: 'query',
      caller: 'data folder',
      query: expect.stringContaining('[redacted]'),
      params: ['a'],
      outcome: 'ok',
      rows: 1,
      request_id: expect.any(String),
    }),
    expect.objectContaining({ audit: 'query', query: 'CREATE (:Evil {a: $a})', outcome: 'invalid_request' }),
  ])
  expect(logged).not.toMatch(/hunter2|canary/)
})

test('captures continue while queries load the machine', async () => {
  const { call } = await start()
  const attack = Promise.all(
    Array.from({ length: 6 }, () =>
      call('POST', '/v1/cypher', {
        body: { query: 'MATCH (a), (b), (c), (d), (e), (f), (g) RETURN count(*)', timeout_ms: 700 },
      }),
    ),
  )
  for (let turn = 1; turn <= 20; turn++) {
    expect((await call('POST', '/v1/turns', { body: record({ turn_number: turn }) })).status).toBe(201)
  }
  for (const { status } of await attack) expect([200, 413, 504]).toContain(status)
  const { body } = await call('POST', '/v1/cypher', {
    body: { query: 'MATCH (t:Turn) RETURN count(t) AS n' },
  })
  expect(body.rows).toEqual([[20]])
})
