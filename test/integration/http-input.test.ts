import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { snakeCase, wireSchema } from '../../src/core/wire-form.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { hasBody, routes } from '../../src/operations/routes.ts'
import { operations } from '../../src/operations/table.ts'
import { record, start, useService } from './http-start.ts'

const fields = Object.entries(captureRequest.shape).map(
  ([name, schema]) => [snakeCase(name), wireSchema(schema as z.ZodType)] as const,
)

/** The service of all tests that do not need an empty graph. */
const shared = useService(async () => {})

type Problem = { path: string; message: string }

async function problemsOf(body: unknown): Promise<Problem[]> {
  const { call } = shared()
  const answer = await call('POST', '/v1/turns', { body })
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
  return answer.body.error.details.problems
}

/** Sends these bytes. Returns the whole answer, until the connection ends. */
const rawAnswer = (port: number, sent: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(sent))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text)).on('error', reject)
  })

/** Sends these bytes. Returns the first part of the answer, while the connection stays open. */
const firstOfAnswer = (port: number, sent: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent))
    onTestFinished(() => void socket.destroy())
    socket.once('data', (chunk) => resolve(String(chunk))).on('error', reject)
  })

describe('an invalid record is 400 with all its problems', () => {
  test('every field with a wrong type is named', async () => {
    const candidates = [{ a: [] }, 7.5, 'no such word', true]
    const wrong = fields
      .filter(([name]) => name !== 'extra')
      .map(([name, schema]) => [name, candidates.find((value) => !schema.safeParse(value).success)] as const)
    expect(wrong.filter(([, value]) => value === undefined)).toEqual([])
    const problems = await problemsOf({ ...Object.fromEntries(wrong), extra: 'no object' })
    const named = problems.map(({ path }) => path.split(/[.[]/)[0])
    for (const [name] of fields) expect(named).toContain(name)
  })

  test('every missing field is named', async () => {
    const problems = await problemsOf({})
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'feature_id',
      'player_summary',
      'task_id',
      'turn_number',
    ])
  })

  test('every unknown field is named, at any depth', async () => {
    const problems = await problemsOf(
      record({
        turnNumber: 1,
        nope: 1,
        constructor: 1,
        verifications: [{ criterion_id: 'AC-1', status: 'verified', sauce: 'coach' }],
      }),
    )
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'constructor',
      'nope',
      'turnNumber',
      'verifications[0].sauce',
    ])
    const proto = await problemsOf('{"__proto__": {"feature_id": "F"}, "task_id": "T"}')
    expect(proto.map(({ path }) => path)).toContain('__proto__')
  })

  test('every text, name, label and list over its limit is named', async () => {
    const long = 'x'.repeat(64 * 1024 + 1)
    const name = 'n'.repeat(257)
    const many = Array.from({ length: 1001 }, () => '')
    const sent = {
      project: name,
      feature_id: name,
      task_id: name,
      world_slug: 'ü'.repeat(257),
      player_summary: long,
      player_decision: name,
      coach_decision: name,
      coach_feedback: long,
      progress_summary: long,
      what_to_try_next: long,
      commit: name,
      blockers_found: [long],
      lessons_from_turn: many,
      files_modified: many,
      transcript_session_ids: [name],
      acceptance_criteria_status: { [name]: 'verified' },
      gates: { [name]: 'passed' },
      turn_number: 1_000_001,
      verifications: [{ criterion_id: name, criterion_text: long, status: 'verified', evidence: long }],
    }
    const paths = (await problemsOf(sent)).map(({ path }) => path)
    const expected = [
      ...Object.keys(sent).filter(
        (key) =>
          ![
            'blockers_found',
            'verifications',
            'transcript_session_ids',
            'acceptance_criteria_status',
            'gates',
          ].includes(key),
      ),
      'blockers_found[0]',
      'transcript_session_ids[0]',
      `acceptance_criteria_status.${name}`,
      `gates.${name}`,
      'verifications[0].criterion_id',
      'verifications[0].criterion_text',
      'verifications[0].evidence',
    ]
    expect(paths.sort()).toEqual(expected.sort())
  })

  test('every criterion id and gate name without a visible character is named', async () => {
    const problems = await problemsOf(
      record({
        acceptance_criteria_status: { '': 'verified', ' ': 'rejected' },
        gates: { '\u00a0': 'passed' },
        verifications: [{ criterion_id: '\u00a0', status: 'verified' }],
        promises: [{ criterion_id: ' ', status: 'complete' }],
      }),
    )
    expect(problems.map(({ path }) => path)).toEqual([
      ...['acceptance_criteria_status.', 'acceptance_criteria_status. ', 'verifications[0].criterion_id'],
      ...['promises[0].criterion_id', 'gates.\u00a0'],
    ])
  })

  test('NUL and lone surrogates are rejected, not replaced', async () => {
    const problems = await problemsOf(record({ feature_id: 'a\0', player_summary: '\ud800' }))
    expect(problems.map(({ path }) => path).sort()).toEqual(['feature_id', 'player_summary'])
  })
})

describe('an invalid body', () => {
  test.each([
    ['not JSON', '{"feature_id": '],
    ['a list', '[]'],
    ['a text', '"turn"'],
    ['null', 'null'],
    ['empty', ''],
    ['deeper than any record', `{"extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('%s is 400', async (_what, body) => {
    const answer = await shared().call('POST', '/v1/turns', { body })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
  })

  test.each(['null', '[]', '"turn"', '7'])('%s is JSON, but the error asks for an object', async (body) => {
    const { error } = (await shared().call('POST', '/v1/turns', { body })).body
    expect(error.message).toBe('The body must be one JSON object.')
  })

  test('a missing body or another content type than JSON is 400, and the error names the expected type', async () => {
    const { call } = shared()
    expect((await call('POST', '/v1/turns')).status).toBe(400)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await call('POST', '/v1/turns', {
        body: JSON.stringify(record()),
        headers: { 'content-type': type },
      })
      expect([answer.status, answer.body.error.hint]).toEqual([
        400,
        expect.stringContaining('application/json'),
      ])
    }
  })

  test.each([
    ['says that it has none', 'Content-Length: 0\r\n'],
    ['says nothing of one', ''], // as `curl -X POST` does
  ])('a request whose fields are all optional needs no body: one that %s', async (_how, header) => {
    const { call, service, token } = await start()
    await call('POST', '/v1/turns', { body: record() })
    const [{ world_slug }] = (await call('GET', '/v1/worlds')).body.items
    const answer = await rawAnswer(
      service.port,
      `POST /v1/worlds/${encodeURIComponent(world_slug)}/turn-runs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${header}Connection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    expect(answer).toMatch(/"attempt_id":"/)
  })

  test('bytes that are no UTF-8 are rejected', async () => {
    const { service, token } = shared()
    const body = Buffer.from(JSON.stringify(record({ player_summary: 'caf\u00e9' })), 'latin1')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${service.url}/v1/turns`, { method: 'POST', headers, body })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_request' } }])
  })

  test('2 MB are 413, and slightly less than 1 MiB is accepted', async () => {
    const { call } = shared()
    const large = await call('POST', '/v1/turns', { body: record({ player_summary: 'x'.repeat(2_000_000) }) })
    expect([large.status, large.body.error.code]).toEqual([413, 'too_large'])
    const extra = { parts: Array.from({ length: 16 }, () => 'x'.repeat(65_000)) }
    expect((await call('POST', '/v1/turns', { body: record({ task_id: 'LARGE', extra }) })).status).toBe(201)
  })
})

test('a compressed body is rejected with 400', async () => {
  const { service, token } = shared()
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  }
  const body = new Uint8Array(gzipSync(JSON.stringify(record())))
  const answer = await fetch(`${service.url}/v1/turns`, { method: 'POST', headers, body })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_request' } }])
})

test('a body that is declared larger than 1 MiB is 413 before any of it is sent', async () => {
  const { service, token } = shared()
  const answer = await firstOfAnswer(
    service.port,
    `POST /v1/turns HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})

test('a body in another charset than UTF-8 is 400 with the reason', async () => {
  const { call } = shared()
  const answer = await call('POST', '/v1/turns', {
    body: JSON.stringify(record()),
    headers: { 'content-type': 'application/json; charset=latin1' },
  })
  expect([answer.status, answer.body.error.message]).toEqual([400, 'The charset of the body is not UTF-8.'])
})

describe('an invalid query or path', () => {
  test.each([
    ['a field given twice', '/v1/worlds?limit=1&limit=2', ['limit']],
    ['a field in path and query', '/v1/worlds/w?world_slug=v', ['world_slug']],
    ['unknown fields', '/v1/worlds?nope=1&limit=2&__proto__=1', ['__proto__', 'nope']],
    ['wrong types', '/v1/worlds/w/turns/one?limit=0', ['limit', 'turn_number']],
    ['a missing field', '/v1/continuation-context', ['current_turn']],
    ['neither a task nor a world', '/v1/continuation-context?current_turn=1', ['feature_id', 'task_id']],
    ['bytes that are no UTF-8', '/v1/worlds?feature_id=%ff', ['']],
    ['a path that cannot be decoded', '/v1/worlds/%ff', ['']],
    ['a cursor of somebody else', '/v1/worlds/TASK-1/turns?cursor=abc', ['cursor']],
  ])('%s: 400 that names it', async (_what, path, named) => {
    const { call } = shared()
    await call('POST', '/v1/turns', { body: record() })
    const answer = await call('GET', path)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
    expect(answer.body.error.details.problems.map((problem: Problem) => problem.path).sort()).toEqual(named)
  })

  test('a field in both query and body is rejected, because one of them would be ignored', async () => {
    const { call } = shared()
    const answer = await call('POST', '/v1/turns?project=a', { body: record({ project: 'b' }) })
    expect([answer.status, answer.body.error.details.problems[0].path]).toEqual([400, 'project'])
    expect((await call('POST', '/v1/turns?project=a', { body: record() })).body.project).toBe('a')
  })

  test('an unexpected body and an unknown query key are rejected', async () => {
    const { call } = shared()
    await call('POST', '/v1/worlds', { body: { feature_id: 'F', task_id: 'T', world_slug: 'w' } })
    const deleted = await call('DELETE', '/v1/worlds/w', { body: { project: 'another' } })
    expect([deleted.status, deleted.body.error.message]).toEqual([400, 'The body of a DELETE is not read.'])
    for (const route of [
      '/v1/worlds?colour=red',
      '/v1/worlds/w?colour=red',
      '/v1/worlds/w/turns?colour=red',
    ]) {
      const { status, body } = await call('GET', route)
      expect([status, body.error.details.problems[0].path]).toEqual([400, 'colour'])
    }
    expect((await call('GET', '/v1/worlds/w')).body.deleted_at).toBeNull()
  })

  test('invalid headers are rejected', async () => {
    const { call } = shared()
    for (const headers of [
      { 'idempotency-key': 'k'.repeat(257) },
      { 'turngraph-project': 'p'.repeat(257) },
      { 'turngraph-project': '\xff\xfe' },
    ]) {
      const answer = await call('POST', '/v1/turns', {
        body: record(),
        headers: headers as Record<string, string>,
      })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
    }
  })
})

test('bytes that are not HTTP get an error in the same form', async () => {
  const { service } = shared()
  const answer = await rawAnswer(service.port, 'NONSENSE\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code: 'invalid_request' } })
})

test('Cypher in any text is stored as that text', async () => {
  const { call } = shared()
  const cypher = '\'}) MATCH (n) DETACH DELETE n // " ` $key {key: 1}'
  const texts = {
    project: `p ${cypher}`,
    feature_id: `f ${cypher}`,
    task_id: `t ${cypher}`,
    world_slug: `w${encodeURIComponent(cypher).replace(/["'()*]/g, '')}`,
    player_summary: cypher,
    coach_feedback: cypher,
    progress_summary: cypher,
    what_to_try_next: cypher,
    commit: cypher,
    blockers_found: [cypher],
    lessons_from_turn: [cypher],
    files_modified: [cypher],
    transcript_session_ids: [cypher],
    acceptance_criteria_status: { [cypher]: 'verified' },
    gates: { [cypher]: 'passed' },
    extra: { [cypher]: cypher },
  }
  const parts = {
    verifications: [{ criterion_id: cypher, criterion_text: cypher, status: 'verified', evidence: cypher }],
    promises: [
      {
        criterion_id: cypher,
        criterion_text: cypher,
        status: 'complete',
        evidence: cypher,
        evidence_type: cypher,
        test_file: cypher,
        implementation_files: [cypher],
      },
    ],
    issues: [
      {
        severity: 'nit',
        category: cypher,
        description: cypher,
        criterion_ids: [cypher],
        suggestion: cypher,
        details: { [cypher]: cypher },
      },
    ],
  }
  const raw = {
    player_decision: 'unknown',
    player_decision_raw: cypher,
    coach_decision: 'unknown',
    coach_decision_raw: cypher,
  }
  const captured = await call('POST', '/v1/turns', { body: record({ ...texts, ...parts, ...raw }) })
  expect([captured.status, captured.body.error]).toEqual([201, undefined])
  const scope = `?project=${encodeURIComponent(texts.project)}`
  const turn = await call('GET', `/v1/worlds/${encodeURIComponent(texts.world_slug)}/turns/1${scope}`)
  expect(turn.body).toMatchObject(texts)
  expect(turn.body).toMatchObject({
    player_decision_raw: cypher,
    coach_decision_raw: cypher,
    verifications: [{ ...parts.verifications[0], source: 'coach' }],
    promises: parts.promises,
    issues: [{ ...parts.issues[0], severity: 'advisory', severity_raw: 'nit' }],
  })
})

test.each(['9007199254740993', '-12345678901234567890', '1e400'])(
  'a number that JSON rounds, %s, is refused in free JSON',
  async (number) => {
    const { call } = shared()
    const { player_summary, ...rest } = record()
    const body = `${JSON.stringify({ ...rest, player_summary }).slice(0, -1)},"extra":{"a":[{"b":${number}}]}}`
    const answer = await call('POST', '/v1/turns', { body })
    expect([answer.status, answer.body.error.details.problems[0].path]).toEqual([
      400,
      expect.stringMatching(/^extra/),
    ])
  },
)

test('an integer that JSON can represent is stored with all its digits', async () => {
  const { call } = shared()
  const extra = { most: Number.MAX_SAFE_INTEGER, part: 0.1 }
  const answer = await call('POST', '/v1/turns', { body: record({ task_id: 'DIGITS', extra }) })
  expect([answer.status, answer.body.extra]).toEqual([201, extra])
})

test('an id that is both in the path and in the body is rejected', async () => {
  const { call } = shared()
  for (const world_slug of ['w', 'other']) {
    const answer = await call('POST', '/v1/worlds/w/turn-runs', { body: { world_slug } })
    expect([answer.status, answer.body.error.details.problems[0].path]).toEqual([400, 'world_slug'])
  }
})

test('a valid x-request-id is echoed, and an invalid one is replaced', async () => {
  const { call } = shared()
  const idFor = async (id?: string) => {
    const headers: Record<string, string> = id === undefined ? {} : { 'x-request-id': id }
    return (await call('GET', '/v1/worlds', { headers })).headers.get('x-request-id')
  }
  expect(await idFor('a.b_c-1')).toBe('a.b_c-1')
  for (const id of [undefined, 'a b', 'x'.repeat(129)]) expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/)
})

test('a header with an invalid project is rejected, even if the query names one', async () => {
  const { call } = shared()
  const headers = { 'turngraph-project': 'x'.repeat(257) }
  expect((await call('GET', '/v1/worlds?project=shop', { headers })).status).toBe(400)
})

/** Replaces every value of a schema with the given value, at any depth. */
function fillWith(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fillWith(schema.unwrap() as z.ZodType, value)
  if (schema instanceof z.ZodArray) return [fillWith(schema.element as z.ZodType, value)]
  if (schema instanceof z.ZodRecord) return { AC: fillWith(schema.valueType as z.ZodType, value) }
  return schema instanceof z.ZodObject ? fillFields(schema, value) : value
}

const fillFields = (schema: z.ZodObject, value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [name, fillWith(field as z.ZodType, value)]),
  )

describe('a wrong value of any parameter of any route is rejected with a clear message', () => {
  const OF_THE_PARSER =
    /invalid (?!request)|too (small|big)|expected|unrecognized|must be of type (int|nonoptional)/i
  const wrong: [string, unknown][] = [
    ['a word', 'garbage'],
    ['no text', ''],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['a number beyond all bounds', 1e20],
    ['true', true],
    ['null', null],
    ['a list', [[]]],
    ['a list of nothing', []],
    ['an object', {}],
  ]

  test.each(wrong)('%s', async (_what, value) => {
    const { call } = shared()
    let refused = 0
    for (const { method, path, operation } of routes) {
      const { input } = operations[operation]
      const schema = wireSchema(input) as z.ZodObject
      const shallow = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, value]))
      const asked = new Set<string>()
      for (const fields of [shallow, fillFields(schema, value)]) {
        const rest = { ...fields }
        const route = path.replace(/\{(\w+)\}/g, (_, name: string) => {
          delete rest[name]
          return encodeURIComponent(String(fields[name]) || '~')
        })
        const texts = Object.entries(rest).map(([name, given]): [string, string] => [name, String(given)])
        const query = new URLSearchParams(texts)
        const sent = hasBody({ method }) ? JSON.stringify(rest) : String(query)
        if (asked.has(sent)) continue
        asked.add(sent)
        const { status, body } = await (hasBody({ method })
          ? call(method, route, { body: rest })
          : call(method, `${route}?${query}`))
        if (status < 400) continue
        refused++
        expect(status, `${method} ${route}`).toBeLessThan(500)
        const { message, details } = body.error
        for (const said of [message, ...(details?.problems ?? []).map((problem: Problem) => problem.message)])
          expect(said, `${method} ${route} ${JSON.stringify(rest)}`).not.toMatch(OF_THE_PARSER)
      }
    }
    expect(refused).toBeGreaterThan(30)
  })
})
