import { describe, expect, test } from 'vitest'
import { toWire } from '../../src/core/wire-form.ts'
import { onlyReads } from '../../src/operations/operation.ts'
import { findRoute, hasBody } from '../../src/operations/routes.ts'
import { type OperationName, operationNames, operations } from '../../src/operations/table.ts'
import { sampleInput } from '../support/field-cases.ts'
import { record, type Started, start, tokensFile } from './http-start.ts'

/** A token of a Player sees no evidence of the Coach, and cannot replace a verdict (invariant 9). */

const PLAYER = 'token-of-a-player'
const JUDGE = 'token-of-a-judge'
const OBSERVER = 'token-of-an-observer'
/** Occurs in everything that only a Coach may read. */
const MARK = 'only-the-coach-reads-this'

const judgedTurn = (turnNumber: number, further: object = {}) =>
  record({
    world_slug: 'w',
    turn_number: turnNumber,
    coach_decision: 'feedback',
    coach_feedback: 'Round half to even',
    verifications: [
      { criterion_id: 'AC-001', status: 'verified', evidence: `${MARK} in a proof` },
      { criterion_id: 'AC-002', status: 'rejected', evidence: `${MARK} in a rejection` },
    ],
    issues: [{ severity: 'blocking', description: 'Rounds up', details: { note: `${MARK} in details` } }],
    gates: { [`${MARK} in a gate`]: 'failed' },
    judge: { agent: `${MARK} in a judge` },
    extra: { note: `${MARK} in extra` },
    ...further,
  })

async function aJudgedSession(): Promise<Started> {
  const started = await start({
    TURNGRAPH_TOKENS: tokensFile([
      { name: 'player', token: PLAYER, scopes: ['play'] },
      { name: 'judge', token: JUDGE, scopes: ['judge'] },
      { name: 'observer', token: OBSERVER, scopes: ['observe'] },
    ]),
  })
  const criteria = [{ criterion_id: 'AC-001', text: 'Rounds half to even' }]
  const declared = { feature_id: 'FEAT-1', task_id: 'TASK-1', criteria }
  expect((await started.call('PUT', '/v1/specification', { body: declared })).status).toBe(201)
  for (const turn of [1, 2]) {
    const { status } = await started.call('POST', '/v1/turns', { body: judgedTurn(turn), token: JUDGE })
    expect(status).toBe(201)
  }
  return started
}

/** Values of fields that name the judged session. */
const OF_SESSION: Record<string, unknown> = {
  worldSlug: 'w',
  turnNumber: 1,
  turn: 1,
  currentTurn: 3,
  featureId: 'FEAT-1',
  taskId: 'TASK-1',
  q: MARK,
}

function requestOf(operation: OperationName, fields: Record<string, unknown>) {
  const { input } = operations[operation]
  const known = Object.entries({ ...OF_SESSION, ...fields }).filter(([name]) => name in input.shape)
  const wire = toWire(input, { ...sampleInput(operation), ...Object.fromEntries(known) }) as Record<
    string,
    unknown
  >
  const route = findRoute(operation)
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(wire[name])
    delete wire[name]
    return encodeURIComponent(value)
  })
  if (hasBody(route)) return { method: route.method, path, body: wire }
  const query = new URLSearchParams(
    Object.entries(wire).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return { method: route.method, path: `${path}?${query}` }
}

const send = ({ call }: Started, request: ReturnType<typeof requestOf>, token: string) =>
  call(request.method, request.path, { token, ...('body' in request && { body: request.body }) })

async function sendMcp({ call }: Started, token: string, method: string, params: object = {}, query = '') {
  const body = { jsonrpc: '2.0', id: 1, method, params }
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
  return (await call('POST', `/mcp${query}`, { body, headers, token })).body
}

describe('guarantee: a token of the scope play reads as a Player', () => {
  test('no operation returns facts that only the Coach may read, and the list of answering operations is complete', async () => {
    const started = await aJudgedSession()
    const answering: string[] = []
    for (const operation of operationNames)
      for (const role of ['player', 'coach']) {
        const answer = await send(started, requestOf(operation, { role }), PLAYER)
        expect(JSON.stringify(answer.body), `${operation} ${role}`).not.toContain(MARK)
        if (onlyReads(operations[operation].scope) && answer.status !== 403)
          expect(answer.status, `${operation} ${role}`).toBe(200)
        const takesRole = 'role' in operations[operation].input.shape
        if (answer.status !== 403 && (takesRole || role === 'player'))
          answering.push(takesRole ? `${operation} ${role}` : operation)
      }
    expect(answering.sort()).toEqual([
      'captureReports',
      'captureTurnState',
      'describeCaller',
      'explainTurn player',
      'getNextStep player',
      'getSpecification',
      'getWorld',
      'listCriteria player',
      'listIssues player',
      'listProjects',
      'listWorlds',
      'loadTurnContinuationContext player',
      'recoverPromises',
      'search player',
    ])
  })

  test('a session that a gate blocks does not name the gate', async () => {
    const started = await aJudgedSession()
    // Other complaints in each turn: otherwise the session is stalled.
    const complaints = [
      'The log is empty',
      'Docs lack an example',
      'Slow start',
      'A typo in the menu',
      'Red button',
    ]
    for (const [i, description] of complaints.entries()) {
      const body = judgedTurn(1 + i, {
        task_id: 'TASK-2',
        world_slug: 'blocked',
        verifications: [{ criterion_id: 'AC-001', status: 'rejected', evidence: MARK }],
        issues: [{ severity: 'blocking', description }],
        coach_feedback: description,
      })
      expect((await started.call('POST', '/v1/turns', { body, token: JUDGE })).status).toBe(201)
    }
    for (const path of ['/v1/worlds', '/v1/worlds/blocked']) {
      const ofCoach = await started.call('GET', path, { token: JUDGE })
      expect(JSON.stringify(ofCoach.body), path).toContain(`blocked by ${MARK} in a gate`)
      const ofPlayer = await started.call('GET', path, { token: PLAYER })
      expect(JSON.stringify(ofPlayer.body), path).toContain('"outcome":"blocked"')
      expect(JSON.stringify(ofPlayer.body), path).not.toContain(MARK)
    }
  })

  test('the tokens of a turn, which include those of its Coach, are hidden', async () => {
    const { call } = await aJudgedSession()
    const body = judgedTurn(3, { usage: { player: { output_tokens: 5 }, coach: { output_tokens: 7 } } })
    expect((await call('POST', '/v1/turns', { body, token: JUDGE })).status).toBe(201)
    const path = '/v1/worlds/w?tokens=true'
    const ofCoach = (await call('GET', path, { token: JUDGE })).body
    expect(ofCoach.turn_tokens).toMatchObject([{ turn: 3, output_tokens: 12 }])
    const ofPlayer = (await call('GET', path, { token: PLAYER })).body
    expect(ofPlayer).not.toHaveProperty('turn_tokens')
  })

  test('a Coach reads the mark in the same session', async () => {
    const started = await aJudgedSession()
    const readers: OperationName[] = ['listCriteria', 'explainTurn', 'getTurn', 'loadTurnContinuationContext']
    for (const operation of readers) {
      const { body } = await send(started, requestOf(operation, { role: 'coach' }), JUDGE)
      expect(JSON.stringify(body), operation).toContain(MARK)
    }
  })

  test('a role that is left out is that of the operation, and the error names the field', async () => {
    const { call } = await aJudgedSession()
    expect((await call('GET', '/v1/why?world_slug=w', { token: PLAYER })).body.error).toMatchObject({
      code: 'forbidden',
      message: 'role needs a token with the scope "read" or "judge", unless it is "player".',
      details: { problems: [{ path: 'role', scopes: ['read', 'judge'] }] },
    })
    expect((await call('GET', '/v1/why?world_slug=w&role=player', { token: PLAYER })).status).toBe(200)
  })

  test('events, metrics, uploads and the export are forbidden', async () => {
    const { call } = await aJudgedSession()
    for (const [method, path] of [
      ['GET', '/v1/events?snapshot=true'],
      ['GET', '/metrics'],
      ['GET', '/v1/export'],
      ['POST', '/v1/transcripts/s'],
    ] as const)
      expect([path, (await call(method, path, { token: PLAYER })).status]).toEqual([path, 403])
  })

  test('a conflict does not show the stored record, and a Player cannot replace it', async () => {
    const { call } = await aJudgedSession()
    const own = record({ world_slug: 'w', turn_number: 2, player_summary: 'Approved' })
    const conflict = await call('POST', '/v1/turns', { body: own, token: PLAYER })
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'turn_conflict'])
    expect(JSON.stringify(conflict.body)).not.toContain(MARK)
    expect(conflict.body.error.details.fields).toContain('coach_decision')
    const over = { ...own, on_conflict: 'supersede' }
    const refused = await call('POST', '/v1/turns', { body: over, token: PLAYER })
    expect(refused.body.error).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('on_conflict'),
    })
    expect((await call('GET', '/v1/worlds/w/turns/2', { token: JUDGE })).body.coach_decision).toBe('feedback')
  })

  test('a Player may name itself, but no judge', async () => {
    const { call } = await aJudgedSession()
    const own = record({ world_slug: 'w', turn_number: 3, player: { agent: 'claude-code', model: 'sonnet' } })
    const judge = { agent: 'kind coach' }
    const verifications = [{ criterion_id: 'AC-001', status: 'verified', source: 'player', judge }]
    const refused = await call('POST', '/v1/turns', { body: { ...own, judge, verifications }, token: PLAYER })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden'])
    const paths = refused.body.error.details.problems.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual(['judge', 'verifications[0].judge'])
    const stored = await call('POST', '/v1/turns', { body: own, token: PLAYER })
    expect([stored.status, stored.body.player]).toEqual([201, { agent: 'claude-code', model: 'sonnet' }])
  })

  test('a Player records its own turn with promises, and a verdict in a report is forbidden', async () => {
    const { call } = await aJudgedSession()
    const turn = { feature_id: 'FEAT-1', task_id: 'TASK-1', world_slug: 'w', turn_number: 3 }
    const player_report = {
      implementation_notes: 'Rounds half to even',
      completion_promises: [{ criterion_id: 'AC-002', status: 'complete', evidence: 'rounds' }],
    }
    const coach_report = { decision: 'approve' }
    const refused = await call('POST', '/v1/turn-reports', {
      body: { ...turn, player_report, coach_report },
      token: PLAYER,
    })
    expect(refused.body.error.message).toBe('coach_report needs a token with the scope "judge" or "write".')
    const stored = await call('POST', '/v1/turn-reports', { body: { ...turn, player_report }, token: PLAYER })
    expect(stored.body).toMatchObject({ recorded_by: 'player', coach_decision: 'unknown', verifications: [] })
    const judged = await call('POST', '/v1/turn-reports', {
      body: { ...turn, player_report, coach_report, on_conflict: 'supersede' },
      token: JUDGE,
    })
    expect(judged.body).toMatchObject({ recorded_by: 'judge', superseded: true, coach_decision: 'approved' })
  })
})

describe('MCP offers what the token may do', () => {
  const listNames = async (started: Started, token: string): Promise<string[]> =>
    (await sendMcp(started, token, 'tools/list', {}, '?tools=all')).result.tools.map(
      ({ name }: { name: string }) => name,
    )

  test('a Player gets its tools without the fields of a verdict and without a role', async () => {
    const started = await aJudgedSession()
    expect((await listNames(started, PLAYER)).sort()).toEqual([
      'capture_reports',
      'capture_turn_state',
      'explain_turn',
      'get_continuation_context',
      'get_criteria',
      'get_specification',
      'list_issues',
      'list_worlds',
      'load_continuation_context',
      'next_step',
      'recover_promises',
      'search_memory',
    ])
    const { tools } = (await sendMcp(started, PLAYER, 'tools/list', {}, '?tools=all')).result
    const fieldsOf = (tool: string) =>
      tools.find(({ name }: { name: string }) => name === tool).inputSchema.properties
    const capture = fieldsOf('capture_turn_state')
    expect(capture).toHaveProperty('promises')
    for (const field of ['coach_decision', 'coach_feedback', 'gates', 'issues', 'acceptance_criteria_status'])
      expect(capture).not.toHaveProperty(field)
    expect(capture).not.toHaveProperty('on_conflict')
    expect(JSON.stringify(capture.verifications)).toContain('"enum":["player"]')
    expect(Object.keys(fieldsOf('capture_reports'))).not.toContain('coach_report')
    expect(fieldsOf('explain_turn')).not.toHaveProperty('role')
  })

  test('a Player that names no role gets its own view, and the role of a Coach is forbidden', async () => {
    const started = await aJudgedSession()
    const explain = async (args: object) =>
      (await sendMcp(started, PLAYER, 'tools/call', { name: 'explain_turn', arguments: args })).result
    const own = await explain({ world_slug: 'w' })
    expect(own.structuredContent).toMatchObject({ turn: 2, coach_feedback: 'Round half to even' })
    expect(JSON.stringify(own)).not.toContain(MARK)
    const refused = await explain({ world_slug: 'w', role: 'coach' })
    expect(JSON.parse(refused.content[0].text).error).toMatchObject({ code: 'forbidden' })
  })

  test('a Player gets only the resources and prompts of a Player', async () => {
    const started = await aJudgedSession()
    const { resourceTemplates } = (await sendMcp(started, PLAYER, 'resources/templates/list')).result
    expect(resourceTemplates.map(({ name }: { name: string }) => name)).toEqual(['world', 'context'])
    const { prompts } = (await sendMcp(started, PLAYER, 'prompts/list')).result
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(['continue_turn'])
    const read = (uri: string) => sendMcp(started, PLAYER, 'resources/read', { uri })
    const context = await read('turngraph://default/worlds/w/context/player/3')
    expect(context.result.contents[0].text).toContain('Round half to even')
    for (const uri of [
      'turngraph://default/worlds/w/turns/2',
      'turngraph://default/worlds/w/context/coach/3',
    ])
      expect((await read(uri)).error.data).toMatchObject({ code: 'forbidden' })
    for (const answer of [context, await read('turngraph://default/worlds/w')])
      expect(JSON.stringify(answer)).not.toContain(MARK)
  })

  test('a Coach gets no tool of the orchestrator, and an observer reads what must hold', async () => {
    const started = await aJudgedSession()
    const coach = await listNames(started, JUDGE)
    expect(coach).toEqual(expect.arrayContaining(['capture_turn_state', 'list_turns', 'analyze_stall']))
    for (const tool of ['create_world', 'run_turn', 'declare_criteria', 'rollback_world', 'query_graph'])
      expect(coach).not.toContain(tool)
    const observer = await listNames(started, OBSERVER)
    expect(observer).toEqual(expect.arrayContaining(['add_verifications', 'get_criteria', 'list_worlds']))
    expect(observer).not.toContain('capture_turn_state')
  })
})
