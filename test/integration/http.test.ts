import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/operations/operation.ts'
import { routes } from '../../src/operations/routes.ts'
import { createLog } from '../../src/platform/log.ts'
import { record, start } from './http-start.ts'

const WORLD = {
  world_slug: 'TASK-1',
  project: 'default',
  feature_id: 'FEAT-1',
  task_id: 'TASK-1',
  current_turn: 1,
  executor: 'external',
  lease_ttl_ms: 60_000,
  active_turn_run_id: null,
  active_attempt_id: null,
  created_at: expect.any(String),
  deleted_at: null,
  last_decision: 'feedback',
  verified: 1,
  observed: 0,
  judged: 0,
  repeated: 0,
  misplaced: 0,
  bare: 1,
  contested: 0,
  refuted: 0,
  criteria: 1,
  verdict: 'insufficient_data',
  outcome: expect.any(String),
  last_activity: expect.any(String),
}

describe('every route of the contract', () => {
  test('every route answers as in the contract, in snake_case', async () => {
    const { call } = await start()
    const seen = new Set<string>()
    const run = (route: string, path: string, options?: Parameters<typeof call>[2]) => {
      seen.add(route)
      return call(route.split(' ')[0]!, path, options)
    }

    const captured = await run('POST /v1/turns', '/v1/turns', {
      body: record({
        coach_decision: 'feedback',
        acceptance_criteria_status: { 'AC-001': 'verified' },
        issues: [{ severity: 'advisory', description: 'It is slow' }],
      }),
    })
    expect(captured.status).toBe(201)
    expect(captured.body).toMatchObject({
      id: 'TURN-FEAT-1-1',
      world_slug: 'TASK-1',
      created: true,
      superseded: false,
      acceptance_criteria_status: { 'AC-001': 'verified' },
    })
    const { created, superseded, world_created, redactions, ...stored } = captured.body
    expect([created, superseded, world_created, redactions]).toEqual([true, false, true, 0])

    const context = await run(
      'GET /v1/continuation-context',
      '/v1/continuation-context?feature_id=FEAT-1&task_id=TASK-1&current_turn=2&role=coach&perspective_reset=false',
    )
    expect(context.status).toBe(200)
    expect(context.body).toMatchObject({ status: 'ok', role: 'coach', previous_turn: 1, gap: false })
    expect(context.body.context).toContain('## Previous Turn Summary (Turn 1)')

    const nextStep = await run('GET /v1/next-step', '/v1/next-step?feature_id=FEAT-1&task_id=TASK-1')
    expect([nextStep.status, nextStep.body]).toEqual([
      200,
      {
        text: expect.stringMatching(/^Turn 2 of session TASK-1 is next\. 1 of 1 verified\./),
        world_slug: 'TASK-1',
        turn_number: 2,
        all_verified: true,
        task_known: true,
      },
    ])

    const world = await run('GET /v1/worlds/{world_slug}', '/v1/worlds/TASK-1')
    expect([world.status, world.body]).toEqual([200, WORLD])

    const summary = await run('GET /v1/worlds/{world_slug}/summary', '/v1/worlds/TASK-1/summary')
    expect([summary.status, summary.body]).toEqual([
      200,
      {
        ...{ project: WORLD.project, feature_id: 'FEAT-1', task_id: 'TASK-1', world_slug: 'TASK-1', turn: 1 },
        outcome: WORLD.outcome,
        summary: expect.stringMatching(/ after 1 turn: /),
        reversals: [],
      },
    ])
    const attention = await run('GET /v1/attention', '/v1/attention')
    expect([attention.status, attention.body]).toEqual([200, { items: [], next_cursor: null }])

    const projects = await run('GET /v1/projects', '/v1/projects')
    expect([projects.status, projects.body.items]).toEqual([200, [{ project: WORLD.project }]])

    const made = await run('POST /v1/worlds', '/v1/worlds', {
      body: { feature_id: 'FEAT-1', task_id: 'TASK-1' },
      headers: { 'idempotency-key': 'k-1' },
    })
    expect([made.status, made.body.world_slug, made.body.created]).toEqual([201, 'TASK-1.2', true])
    const again = await call('POST', '/v1/worlds', {
      body: { feature_id: 'FEAT-1', task_id: 'TASK-1' },
      headers: { 'idempotency-key': 'k-1' },
    })
    expect([again.status, again.body.world_slug, again.body.created]).toEqual([200, 'TASK-1.2', false])

    const worlds = await run('GET /v1/worlds', '/v1/worlds?feature_id=FEAT-1&limit=1')
    expect(worlds.body).toEqual({
      items: [
        {
          ...WORLD,
          verdict: 'finished',
          decisions: [{ turn: 1, decision: 'feedback' }],
          lease_owners: [],
          tokens: null,
        },
      ],
      next_cursor: expect.any(String),
    })
    const rest = await call('GET', `/v1/worlds?feature_id=FEAT-1&cursor=${worlds.body.next_cursor}`)
    expect(rest.body).toMatchObject({ items: [{ world_slug: 'TASK-1.2' }], next_cursor: null })

    const turns = await run('GET /v1/worlds/{world_slug}/turns', '/v1/worlds/TASK-1/turns')
    expect([turns.status, turns.body]).toEqual([200, { items: [stored], next_cursor: null }])
    const turn = await run(
      'GET /v1/worlds/{world_slug}/turns/{turn_number}',
      '/v1/worlds/TASK-1/turns/1?project=default',
    )
    expect([turn.status, turn.body]).toEqual([200, stored])

    const task = 'feature_id=FEAT-1&task_id=TASK-1&world_slug=TASK-1'
    const criteria = await run('GET /v1/criteria', `/v1/criteria?${task}`)
    expect([criteria.status, criteria.body]).toMatchObject([
      200,
      {
        world_slug: 'TASK-1',
        as_of_turn: 1,
        policy: 'sticky',
        total: 1,
        verified: 1,
        bare: 1,
        remaining: [],
      },
    ])
    const { key } = criteria.body.criteria[0]
    expect(criteria.body.criteria[0]).toMatchObject({
      criterion_id: 'AC-001',
      verified_in_turn: 1,
      last_turn: 1,
      basis: 'bare',
      refuted: false,
    })
    const said = await run(
      'GET /v1/criteria/{key}/history',
      `/v1/criteria/${encodeURIComponent(key)}/history?world_slug=TASK-1`,
    )
    expect(said.body).toEqual({
      items: [{ turn: 1, status: 'verified', source: 'coach', evidence: null }],
      next_cursor: null,
    })
    const promises = await run('GET /v1/promises', `/v1/promises?${task}&turn=2`)
    expect(promises.body).toEqual({ source: 'none', items: [], task_known: true })
    const stall = await run('GET /v1/stall', `/v1/stall?${task}&turn=1`)
    expect(stall.body).toMatchObject({
      verdict: 'finished',
      should_stop: false,
      since_turn: 1,
      window: 1,
    })
    const found = await run('GET /v1/search', '/v1/search?q=slo&kind=issue&limit=1')
    expect([found.status, found.body]).toEqual([
      200,
      {
        items: [
          {
            kind: 'issue',
            project: 'default',
            feature_id: 'FEAT-1',
            task_id: 'TASK-1',
            world_slug: 'TASK-1',
            turn: 1,
            at: expect.any(String),
            criterion_key: null,
            session_id: null,
            snippet: 'It is slow',
            link: '/p/default/w/TASK-1/t/1',
          },
        ],
        next_cursor: null,
      },
    ])
    const issues = await run('GET /v1/issues', `/v1/issues?${task}&state=open`)
    expect([issues.status, issues.body]).toMatchObject([
      200,
      {
        items: [
          {
            description: 'It is slow',
            opened_in_turn: 1,
            last_seen_in_turn: 1,
            turns: [1],
            gone_in_turn: null,
          },
        ],
        next_cursor: null,
      },
    ])
    const why = await run('GET /v1/why', `/v1/why?${task}`)
    expect(why.body).toMatchObject({ turn: 1, coach_decision: 'feedback', won: [{ criterion_id: 'AC-001' }] })
    const compared = await run('GET /v1/compare', '/v1/compare?a=TASK-1&b=TASK-1')
    expect(compared.body).toMatchObject({ a: { world_slug: 'TASK-1', turns: 1 }, same_task: true })
    const replayed = await run('GET /v1/replay', '/v1/replay?policy=sticky&limit=1')
    expect(replayed.body).toMatchObject({
      items: [{ world_slug: 'TASK-1', policies: [{ policy: 'sticky', counted: [] }] }],
      totals: [{ policy: 'sticky', sessions: 1, turns: 1, repeated: 0 }],
      too_long: [],
    })

    const analyses = await run('GET /v1/analyses', '/v1/analyses')
    expect(analyses.body.items).toContainEqual(
      expect.objectContaining({ name: 'blockers', question: 'What blocked most?' }),
    )
    const answer = await run('GET /v1/analyses/{name}', '/v1/analyses/last-turn?world_slug=TASK-1&limit=1')
    expect(answer.body).toMatchObject({
      columns: expect.arrayContaining(['turn', 'attempted']),
      rows: [['FEAT-1', 'TASK-1', 'TASK-1', 1, 'Built it', 'feedback', null, [], []]],
      truncated: false,
    })
    const unknown = await call('GET', '/v1/analyses/nonsense')
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])

    const declared = await run('PUT /v1/specification', '/v1/specification', {
      body: { feature_id: 'FEAT-1', task_id: 'TASK-1', criteria: [{ text: 'It is quick' }] },
    })
    expect([declared.status, declared.body.version, declared.body.created]).toEqual([201, 1, true])
    const specified = await run('GET /v1/specification', '/v1/specification?feature_id=FEAT-1&task_id=TASK-1')
    expect(specified.body).toMatchObject({ version: 1, total: 1, criteria: [{ criterion_id: 'AC-001' }] })
    const first = await call('GET', '/v1/specification?feature_id=FEAT-1&task_id=TASK-1&version=1')
    expect([first.status, first.body]).toEqual([200, specified.body])
    const twice = await call('PUT', '/v1/specification', {
      body: {
        feature_id: 'FEAT-1',
        task_id: 'TASK-1',
        criteria: [
          { criterion_id: 'AC-1', text: 'It is quick' },
          { criterion_id: 'AC-001', text: 'It is right' },
        ],
      },
    })
    expect([twice.status, twice.body.error.details.problems]).toEqual([
      400,
      [{ path: 'criteria[1].criterion_id', message: expect.stringContaining('"AC-001"') }],
    ])

    const ofText = await call('PUT', '/v1/specification', {
      body: {
        feature_id: 'FEAT-2',
        task_id: 'TASK-2',
        format: 'markdown',
        text: '# Acceptance criteria\n- It parses',
      },
    })
    expect(ofText).toMatchObject({
      status: 201,
      body: { version: 1, total: 1, criteria: [{ criterion_id: 'AC-001', text: 'It parses' }] },
    })
    const reported = await run('POST /v1/turn-reports', '/v1/turn-reports', {
      body: {
        feature_id: 'FEAT-2',
        task_id: 'TASK-2',
        turn_number: 1,
        player_report: { summary: 'Wrote the parser', mood: 'good' },
        coach_report: {
          decision: 'feedback',
          criteria_results: [{ criterion_id: 'AC-001', status: 'verified' }],
        },
      },
    })
    expect(reported).toMatchObject({
      status: 201,
      body: {
        world_slug: 'TASK-2',
        created: true,
        player_summary: 'Wrote the parser',
        coach_decision: 'feedback',
        verifications: [{ criterion_id: 'AC-001', status: 'verified' }],
        warnings: [expect.stringContaining('mood')],
      },
    })

    const changed = await call('POST', '/v1/turns', {
      body: record({ world_slug: 'TASK-1', player_summary: 'Built it anew', on_conflict: 'supersede' }),
    })
    expect([changed.status, changed.body.superseded]).toEqual([201, true])
    const history = await run(
      'GET /v1/worlds/{world_slug}/turns/{turn_number}/history',
      '/v1/worlds/TASK-1/turns/1/history',
    )
    const past = { ...stored, key: expect.any(String) }
    expect([history.status, history.body]).toEqual([200, { items: [past], next_cursor: null }])

    const byTurn = await run(
      'GET /v1/worlds/{world_slug}/criteria-by-turn',
      '/v1/worlds/TASK-1/criteria-by-turn',
    )
    expect(byTurn.body).toMatchObject({ world_slug: 'TASK-1', criteria: expect.any(Array) })
    const listed = await run('GET /v1/worlds', '/v1/worlds?feature_id=FEAT-1&limit=1')
    expect(listed.body.items).toMatchObject([
      { world_slug: 'TASK-1', decisions: [{ turn: 1, decision: 'unknown' }], lease_owners: [] },
    ])
    const caller = await run('GET /v1/caller', '/v1/caller')
    expect(caller.body).toMatchObject({ scopes: [...SCOPES], only_project: null })

    const patched = await run('PATCH /v1/worlds/{world_slug}', '/v1/worlds/TASK-1', {
      body: { stop_when: ['budget'], budget: { attempts_failed_in_a_row: 3 } },
    })
    expect(patched).toMatchObject({
      status: 200,
      body: { stop_when: ['budget'], budget: { attempts_failed_in_a_row: 3 } },
    })
    const added = await run('POST /v1/verifications', '/v1/verifications', {
      body: {
        ...{ feature_id: 'FEAT-1', task_id: 'TASK-1', world_slug: 'TASK-1', turn_number: 1 },
        verifications: [
          {
            criterion_id: 'AC-1',
            status: 'rejected',
            observation: { command: ['npm', 'test'], exit_code: 1, started_at: '2026-03-01T10:00:00Z' },
          },
        ],
      },
    })
    expect([added.status, added.body]).toMatchObject([
      200,
      {
        ...{ world_slug: 'TASK-1', turn_number: 1, added: 1, redactions: 0 },
        verifications: [
          {
            ...{ criterion_id: 'AC-1', source: 'command', evidence: '`npm test` exited with 1' },
            observation: { exit_code: 1, tests: [] },
            added_at: expect.any(String),
          },
        ],
      },
    ])
    const rolledBack = await run('POST /v1/worlds/{world_slug}/rollback', '/v1/worlds/TASK-1/rollback', {
      body: { to_turn: 0, reason: 'wrong branch' },
    })
    expect(rolledBack).toMatchObject({
      status: 200,
      body: { world_slug: 'TASK-1', withdrawn: 1, current_turn: 0 },
    })
    const withdrawn = await call('GET', '/v1/worlds/TASK-1/turns/1/history')
    expect(withdrawn.body.items[0]).toMatchObject({
      withdrawn_at: expect.any(String),
      withdrawn_reason: 'wrong branch',
    })
    const deleted = await run('DELETE /v1/worlds/{world_slug}', '/v1/worlds/TASK-1')
    expect([deleted.status, deleted.body.deleted_at]).toEqual([200, expect.any(String)])
    const gone = await call('GET', '/v1/worlds/TASK-1')
    expect([gone.status, gone.body.error.code]).toEqual([410, 'world_deleted'])

    const examined = await run('POST /v1/doctor/graph', '/v1/doctor/graph', { body: {} })
    expect(examined.body).toEqual({ findings: [], examined: expect.any(Number), next_cursor: null })
    const ofProject = await run('POST /v1/doctor', '/v1/doctor', { body: {} })
    expect(ofProject.body).toMatchObject({ findings: [], next_cursor: null })
    const foreign = await call('POST', '/v1/doctor', { body: { cursor: 'nonsense' } })
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'invalid_request'])
    const forgotten = await run('POST /v1/forget', '/v1/forget', {
      body: { world_slug: 'TASK-1', dry_run: false },
    })
    expect(forgotten.body).toMatchObject({
      dry_run: false,
      done: true,
      next_cursor: null,
      counts: { World: 1, SupersededTurn: 2 },
      worlds: ['TASK-1'],
      skipped: [],
    })

    // The routes of turn runs, transcripts, queries and exports have their own tests.
    const others =
      /v1\/graph|cypher|export|restore|turn-runs|attempts|next$|transcript|tool-stats|cost|paths|desires/
    const ofTheMemory = routes.filter(({ path }) => !others.test(path))
    expect([...seen].sort()).toEqual(ofTheMemory.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test('a repeated capture is 200, and a different record at its turn is a 409 that shows both', async () => {
    const { call } = await start()
    expect((await call('POST', '/v1/turns', { body: record() })).status).toBe(201)
    const again = await call('POST', '/v1/turns', { body: record() })
    expect([again.status, again.body.created]).toEqual([200, false])
    const other = await call('POST', '/v1/turns', { body: record({ player_summary: 'Something else' }) })
    expect(other.status).toBe(409)
    expect(other.body.error).toMatchObject({
      code: 'turn_conflict',
      details: { fields: ['player_summary'], stored: { player_summary: 'Built it' } },
    })
  })

  test('names with any characters work in paths, queries and the project header', async () => {
    const { call } = await start()
    const names = {
      project: ' Prøject/ä b ',
      feature_id: 'F/1?&#',
      task_id: '100% 日本',
      world_slug: 'w~..%2F%20%2B1',
    }
    expect((await call('POST', '/v1/turns', { body: record(names) })).status).toBe(201)
    const world = `/v1/worlds/${encodeURIComponent(names.world_slug)}`
    const turn = await call('GET', `${world}/turns/1?project=${encodeURIComponent(names.project)}`)
    expect([turn.status, turn.body.task_id]).toEqual([200, names.task_id])

    const plain = { ...names, project: 'Prøject ä' }
    await call('POST', '/v1/turns', { body: record(plain) })
    const header = Buffer.from(plain.project, 'utf8').toString('latin1')
    const byHeader = await call('GET', `${world}/turns/1`, { headers: { 'turngraph-project': header } })
    expect([byHeader.status, byHeader.body.project]).toEqual([200, plain.project])
  })

  test('the project of a request is its own, then that of the header, then the configured one', async () => {
    const { call } = await start({ TURNGRAPH_PROJECT: 'configured' })
    const headers = { 'turngraph-project': 'of-the-header' }
    const projectOf = async (options: Parameters<typeof call>[2]) =>
      (await call('POST', '/v1/turns', options)).body.project
    expect(await projectOf({ body: record() })).toBe('configured')
    expect(await projectOf({ body: record(), headers })).toBe('of-the-header')
    expect(await projectOf({ body: record({ project: null }), headers })).toBe('of-the-header')
    expect(await projectOf({ body: record({ project: 'of-the-body' }), headers })).toBe('of-the-body')
    const inQuery = await call('GET', '/v1/worlds?project=of-the-body', { headers })
    expect(inQuery.body.items).toMatchObject([{ project: 'of-the-body' }])
  })
})

describe('promise recovery', () => {
  test('a recovery is logged at INFO, in the words of seed 004, once by REST and by MCP, with the context of the Coach too', async () => {
    const lines: string[] = []
    const log = createLog('info', { write: (line: string) => void lines.push(line) })
    const { call } = await start({}, { log })
    const promises = [{ criterion_id: 'AC-001', status: 'complete' }]
    await call('POST', '/v1/turns', { body: record({ promises }) })
    const task = 'feature_id=FEAT-1&task_id=TASK-1'
    const { body } = await call('GET', `/v1/promises?${task}&turn=2`)
    const message = 'No completion_promises in current turn — recovered from player_turn_1.json (1 promises)'
    expect(body).toMatchObject({ source: 'recovered', recovered_from_turn: 1, message })
    const logged = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
    expect(logged()).toMatchObject([{ level: 'info' }])
    await call('GET', `/v1/continuation-context?${task}&current_turn=2&role=coach`)
    expect(logged()).toHaveLength(2)
    const tool = (name: string, args: object) =>
      call('POST', '/mcp', {
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      })
    const target = { feature_id: 'FEAT-1', task_id: 'TASK-1' }
    await tool('recover_promises', { ...target, turn: 2 })
    await tool('load_continuation_context', { ...target, current_turn: 2, role: 'coach' })
    expect(logged()).toHaveLength(4)
  })
})

describe('an unknown route', () => {
  test('an unknown route is 404, a wrong method of a known one 405 with Allow, TRACE too', async () => {
    const { call, service, token } = await start()
    for (const path of [
      '/other',
      '/v1',
      '/v2/turns',
      '/v1/turns/',
      '/V1/turns',
      '/v1/worlds/a/b/c',
      '/metric',
    ]) {
      const answer = await call('GET', path)
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'not_found'])
    }
    const put = await call('PUT', '/v1/worlds', { body: {} })
    expect([put.status, put.body.error.code, put.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'POST, GET, HEAD',
    ])
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(service.url)
        const headers = { authorization: `Bearer ${token}` }
        request({ host: hostname, port, path, method: 'TRACE', headers }, (res) => {
          res.resume()
          resolve(res.statusCode)
        })
          .on('error', reject)
          .end()
      })
    for (const path of ['/v1/turns', '/v1/transcripts/s', '/healthz', '/metrics', '/mcp'])
      expect([path, await status(path)]).toEqual([path, 405])
  })

  test('HEAD answers like GET, without the body', async () => {
    const { call } = await start()
    const answer = await call('HEAD', '/v1/worlds')
    expect([answer.status, answer.body]).toEqual([200, ''])
  })
})

describe('the headers of an answer', () => {
  test('an answer has the id of its request, if that is well-formed', async () => {
    const { call } = await start()
    const named = await call('GET', '/v1/nothing', { headers: { 'x-request-id': 'run-7.A_b' } })
    expect([named.headers.get('x-request-id'), named.body.error.request_id]).toEqual([
      'run-7.A_b',
      'run-7.A_b',
    ])
    for (const bad of ['has space', 'x'.repeat(129), 'a/b']) {
      const answer = await call('GET', '/v1/worlds', { headers: { 'x-request-id': bad } })
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    }
  })

  test('the headers of an answer forbid caching and embedding, and do not name the software', async () => {
    const { headers } = await (await start()).call('GET', '/v1/worlds')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests')
    expect([headers.get('x-powered-by'), headers.get('etag')]).toEqual([null, null])
  })
})
