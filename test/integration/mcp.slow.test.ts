import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { atEndOfSuite } from './http-start.ts'
import { type Connection, type Json, overHttp, overStdio, type Prepared } from './mcp-connect.ts'

/** The MCP tests that seed 001 requires, with its names, over both transports. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('over streamable HTTP', () => tools((prepared) => overHttp('shop', prepared)))

describe('over stdio, by a client of 2026-07-28', () => {
  const atEnd = atEndOfSuite()
  let shared: Promise<Connection> | undefined
  // Starting the command takes longer than most tests.
  tools((prepared) => {
    if (prepared !== undefined) return overStdio('shop', prepared)
    shared ??= overStdio('shop', {}, atEnd)
    return shared
  })
})

function tools(connect: (prepared?: Prepared) => Promise<Connection>): void {
  let tests = 0
  let task = { feature_id: '', task_id: '' }
  let world_slug = ''
  // The tests may share a graph, so each has its own task and world.
  beforeEach(() => {
    tests++
    task = { feature_id: 'FEAT-1', task_id: `TASK-${tests}` }
    world_slug = `w-${tests}`
  })

  const inWorld = async (executor = 'trial'): Promise<Connection> => {
    const connection = await connect()
    await connection.call('create_world', { ...task, world_slug, executor })
    return connection
  }

  const untilEnded = async ({ call }: Connection, started: Json): Promise<Json> => {
    for (;;) {
      const status = await call(started.poll_with.tool, started.poll_with.args)
      if (status.ended_at !== null) return status
      await sleep(20)
    }
  }

  const errorOf = (code: string, more: object = {}) => expect.objectContaining({ code, ...more })

  test('run_turn_without_turn_count_preserves_single_attempt_contract', async () => {
    const mcp = await inWorld()
    const started = await mcp.call('run_turn', { world_slug })
    expect(started).toEqual({
      run_mode: 'single_attempt',
      message: expect.any(String),
      world_slug,
      attempt_id: expect.stringMatching(UUID),
      status: 'running',
      turn_before: 0,
      attempted_turn: 1,
      turn_count: 1,
      turn_count_source: 'default',
      turn_count_hint:
        'No turn_count was supplied; run_turn defaulted to turn_count=1 and started one single-turn attempt.',
      max_attempts: 1,
      max_attempts_source: 'default',
      max_attempts_hint: 'No max_attempts was supplied; max_attempts defaulted to turn_count (1).',
      poll_with: { tool: 'get_turn_status', args: { world_slug, attempt_id: started.attempt_id } },
    })
    expect(started).not.toHaveProperty('turn_run_id')
    const ended = await untilEnded(mcp, started)
    expect(ended).toEqual({
      message: expect.any(String),
      world_slug,
      attempt_id: started.attempt_id,
      status: 'committed',
      turn_before: 0,
      attempted_turn: 1,
      produced_turn: 1,
      turn_run_id: null,
      turn_run_seq: null,
      failure_reason: null,
      started_at: expect.stringMatching(/Z$/),
      ended_at: expect.stringMatching(/Z$/),
      executor: 'trial',
      poll_with: null,
    })
  })

  test('run_turn_with_turn_count_starts_turn_run', async () => {
    const mcp = await inWorld('flaky')
    const started = await mcp.call('run_turn', { world_slug, turn_count: 3, max_attempts: 9 })
    const args = { world_slug, turn_run_id: started.turn_run_id }
    expect(started).toEqual({
      run_mode: 'turn_run',
      message: expect.any(String),
      world_slug,
      turn_run_id: expect.stringMatching(UUID),
      status: 'running',
      turn_count: 3,
      turn_count_source: 'explicit',
      turn_count_hint:
        'turn_count was supplied as 3; run_turn started a turn run targeting 3 committed turn(s).',
      max_attempts: 9,
      max_attempts_source: 'explicit',
      max_attempts_hint: 'max_attempts was supplied as 9; the turn run will stop after at most 9 attempt(s).',
      start_turn: 0,
      target_turn: 3,
      poll_with: { tool: 'get_turn_run_status', args },
      list_attempts_with: { tool: 'list_attempts', args },
    })
    expect(started).not.toHaveProperty('attempt_id')
    const ended = await untilEnded(mcp, started)
    expect(ended).toMatchObject({
      status: 'completed',
      current_turn: 3,
      committed_turn_count: 3,
      remaining_committed_turns: 0,
      attempt_count: 6,
      failed_attempt_count: 3,
      progress: '3 of 3 turns committed after 6 attempts (3 failed)',
    })
    const { items } = await mcp.call('list_turns', { world_slug })
    expect(items.map((turn: Json) => turn.turn_number)).toEqual([1, 2, 3])
  })

  test('run_turn_with_explicit_one_uses_single_attempt_path', async () => {
    const mcp = await inWorld()
    const one = await mcp.call('run_turn', { world_slug, turn_count: 1 })
    expect(one).toMatchObject({
      run_mode: 'single_attempt',
      turn_count: 1,
      turn_count_source: 'explicit',
      turn_count_hint: 'turn_count was supplied as 1; run_turn started one single-turn attempt.',
      max_attempts_source: 'default',
    })
    await untilEnded(mcp, one)
    const both = await mcp.call('run_turn', { world_slug, turn_count: 1, max_attempts: 1 })
    expect(both).toMatchObject({
      run_mode: 'single_attempt',
      max_attempts: 1,
      max_attempts_source: 'explicit',
      max_attempts_hint: 'max_attempts was supplied as 1; the turn run will stop after at most 1 attempt(s).',
    })
    await untilEnded(mcp, both)
    const run = await mcp.call('run_turn', { world_slug, max_attempts: 2 })
    expect(run).toMatchObject({
      run_mode: 'turn_run',
      turn_count: 1,
      turn_count_source: 'default',
      turn_count_hint:
        'No turn_count was supplied; run_turn defaulted to turn_count=1 and started a turn run targeting 1 committed turn(s).',
    })
    expect(await untilEnded(mcp, run)).toMatchObject({ status: 'completed' })
  })

  test('run_turn_rejects_invalid_turn_count', async () => {
    const mcp = await inWorld()
    const wrong: [string, object][] = [
      ['turn_count', { turn_count: 0 }],
      ['turn_count', { turn_count: 100_001 }],
      ['turn_count', { turn_count: 1.5 }],
      ['turn_count', { turn_count: '3' }],
      ['turn_count', { turn_count: null }],
      ['turn_count', { turn_count: true }],
      ['max_attempts', { max_attempts: 0 }],
      ['max_attempts', { max_attempts: 1_000_001 }],
      ['max_attempts', { turn_count: 3, max_attempts: 2 }],
      ['max_attempts', { max_attempts: null }],
      ['turns', { turns: 3 }],
      ['project', { project: 'another' }],
      ['world_slug', { world_slug: null }],
    ]
    for (const [path, args] of wrong) {
      const refused = await mcp.refused('run_turn', { world_slug, ...args })
      expect([refused.code, refused.details.problems.map((problem: Json) => problem.path)]).toEqual([
        'invalid_request',
        [path],
      ])
      expect(refused.message).toContain(path)
    }
    expect(await mcp.refused('run_turn', {})).toEqual(errorOf('invalid_request'))
    expect(await mcp.refused('run_turn', { world_slug: 'nowhere' })).toEqual(errorOf('unknown_world'))
    expect(await mcp.call('list_attempts', { world_slug })).toMatchObject({ attempts: [] })
  })

  test('get_turn_run_status_reports_active_and_recent_attempts', async () => {
    const mcp = await inWorld('slow')
    const started = await mcp.call('run_turn', { world_slug, turn_count: 2 })
    const args = { world_slug, turn_run_id: started.turn_run_id }
    let status: Json
    do status = await mcp.call('get_turn_run_status', args)
    while (status.active_attempt_id === null)
    expect(status).toEqual({
      message: expect.any(String),
      ...args,
      status: 'running',
      requested_turn_count: 2,
      max_attempts: 2,
      turn_count_source: 'explicit',
      max_attempts_source: 'default',
      start_turn: 0,
      target_turn: 2,
      current_turn: 0,
      committed_turn_count: 0,
      remaining_committed_turns: 2,
      attempt_count: 1,
      failed_attempt_count: 0,
      interrupted_attempt_count: 0,
      active_attempt_id: status.last_attempt_id,
      last_attempt_id: expect.stringMatching(UUID),
      last_attempt_status: 'running',
      progress: '0 of 2 turns committed after 1 attempt (0 failed)',
      cancel_requested_at: null,
      cancel_reason: null,
      failure_reason: null,
      last_attempt_failure_reason: null,
      stop_reason: null,
      used_tokens: 0,
      next_attempt_at: null,
      resumes: null,
      enqueued_at: expect.stringMatching(/Z$/),
      started_at: expect.stringMatching(/Z$/),
      ended_at: null,
      poll_active_attempt_with: {
        tool: 'get_turn_status',
        args: { world_slug, attempt_id: status.active_attempt_id },
      },
      poll_with: { tool: 'get_turn_run_status', args },
      list_attempts_with: { tool: 'list_attempts', args },
    })
    const busy = await mcp.refused('run_turn', { world_slug })
    expect(busy).toEqual(
      errorOf('busy', { details: { attempt_id: expect.any(String), turn_run_id: started.turn_run_id } }),
    )
    const attempt = await mcp.call('get_turn_status', status.poll_active_attempt_with.args)
    expect(attempt).toMatchObject({ turn_run_id: started.turn_run_id, turn_run_seq: 1 })
    await untilEnded(mcp, started)
    const ended = await mcp.call('get_turn_run_status', { ...args, include_attempts: true })
    expect(ended).toMatchObject({
      status: 'completed',
      poll_with: null,
      poll_active_attempt_with: null,
      active_attempt_id: null,
    })
    expect(ended.recent_attempts).toHaveLength(2)
    expect(ended.recent_attempts[0]).toMatchObject({
      attempt_id: ended.last_attempt_id,
      turn_run_id: started.turn_run_id,
      turn_run_seq: 2,
      status: 'committed',
      turn_before: 1,
      attempted_turn: 2,
      produced_turn: 2,
    })
    expect(ended.recent_attempts[1]).toMatchObject({ turn_run_seq: 1, attempt_id: status.active_attempt_id })
    const newest = await mcp.call('get_turn_run_status', {
      ...args,
      include_attempts: true,
      attempt_limit: 1,
    })
    expect(newest.recent_attempts).toEqual(ended.recent_attempts.slice(0, 1))
    for (const attempt_limit of [0, 101, '5', null]) {
      expect(await mcp.refused('get_turn_run_status', { ...args, attempt_limit })).toEqual(
        errorOf('invalid_request'),
      )
    }
    const other = '00000000-0000-4000-8000-000000000000'
    expect(await mcp.refused('get_turn_run_status', { ...args, turn_run_id: other })).toEqual(
      errorOf('not_found'),
    )
    expect(await mcp.refused('get_turn_run_status', { ...args, world_slug: 'v' })).toEqual(
      errorOf('unknown_world'),
    )
    for (const turn_run_id of ['nonsense', null, 7]) {
      expect(await mcp.refused('get_turn_run_status', { ...args, turn_run_id })).toEqual(
        errorOf('invalid_request'),
      )
    }
  })

  test('cancel_turn_run_stops_before_next_attempt', async () => {
    const mcp = await inWorld('slow')
    const started = await mcp.call('run_turn', { world_slug, turn_count: 50 })
    const args = { world_slug, turn_run_id: started.turn_run_id }
    let active: Json
    do active = await mcp.call('get_turn_run_status', args)
    while (active.active_attempt_id === null)
    const asked = await mcp.call('cancel_turn_run', { ...args, reason: 'enough' })
    expect(['cancel_requested', 'cancelled']).toContain(asked.status)
    expect(asked).toMatchObject({ cancel_reason: 'enough', attempt_count: 1 })
    expect(await mcp.call('cancel_turn_run', { ...args, reason: 'again' })).toMatchObject({
      cancel_reason: 'enough',
    })
    const ended = await untilEnded(mcp, started)
    expect(ended).toMatchObject({
      status: 'cancelled',
      attempt_count: 1,
      committed_turn_count: 1,
      cancel_reason: 'enough',
      failure_reason: null,
    })
    await sleep(100)
    expect(await mcp.call('cancel_turn_run', args)).toEqual(ended)
    const defaulted = await mcp.call('run_turn', { world_slug, turn_count: 50 })
    const again = await mcp.call('cancel_turn_run', { world_slug, turn_run_id: defaulted.turn_run_id })
    expect(again.cancel_reason).toBe('cancelled by caller')
    await untilEnded(mcp, defaulted)
    const long = 'x'.repeat(2_001)
    expect(await mcp.refused('cancel_turn_run', { ...args, reason: long })).toEqual(
      errorOf('invalid_request'),
    )
    expect(await mcp.refused('cancel_turn_run', { ...args, reason: null })).toEqual(
      errorOf('invalid_request'),
    )
    expect(await mcp.refused('cancel_turn_run', { ...args, abort: true })).toEqual(errorOf('invalid_request'))
  })

  test('list_attempts_filters_by_turn_run_id', async () => {
    const mcp = await inWorld('failing')
    await untilEnded(mcp, await mcp.call('run_turn', { world_slug }))
    const run = await mcp.call('run_turn', { world_slug, turn_count: 2, max_attempts: 3 })
    expect(await untilEnded(mcp, run)).toMatchObject({
      status: 'failed',
      failure_reason: 'max_attempts exhausted before requested turn_count committed',
      last_attempt_failure_reason: 'simulated failure',
      failed_attempt_count: 3,
    })
    const of = await mcp.call('list_attempts', run.list_attempts_with.args)
    expect(Object.keys(of)).toEqual(['world_slug', 'turn_run_id', 'attempts'])
    expect(of.attempts.map((attempt: Json) => [attempt.turn_run_id, attempt.turn_run_seq])).toEqual(
      [3, 2, 1].map((seq) => [run.turn_run_id, seq]),
    )
    const all = await mcp.call('list_attempts', { world_slug })
    expect(all.turn_run_id).toBeNull()
    expect(all.attempts).toHaveLength(4)
    expect(all.attempts[3]).toEqual({
      attempt_id: expect.stringMatching(UUID),
      turn_run_id: null,
      turn_run_seq: null,
      status: 'failed',
      turn_before: 0,
      attempted_turn: 1,
      produced_turn: null,
      failure_reason: 'simulated failure',
      started_at: expect.stringMatching(/Z$/),
      ended_at: expect.stringMatching(/Z$/),
    })
    expect(await mcp.refused('list_attempts', { world_slug, limit: 5 })).toEqual(errorOf('invalid_request'))
  })

  test('the memory tools store turns and return the context of the next one', async () => {
    const mcp = await connect()
    const turn = await mcp.call('capture_turn_state', {
      ...task,
      turn_number: 1,
      player_summary: 'Built it',
      coach_decision: 'feedback',
      acceptance_criteria_status: { 'AC-001': 'verified', 'AC-002': 'rejected' },
      promises: [{ criterion_id: 'AC-002', status: 'complete' }],
    })
    expect(turn).toMatchObject({ created: true, project: 'shop', world_slug: task.task_id })
    const context = await mcp.call('load_continuation_context', { ...task, current_turn: 2, role: 'coach' })
    expect(context.context).toContain('✓ AC-001: verified')
    expect(await mcp.call('get_criteria', task)).toMatchObject({ verified: 1, total: 2 })
    expect(await mcp.call('recover_promises', { ...task, turn: 2 })).toMatchObject({ source: 'recovered' })
    expect(await mcp.call('analyze_stall', task)).toHaveProperty('verdict')
    expect((await mcp.call('list_turns', { world_slug: task.task_id })).items).toHaveLength(1)
    expect(await mcp.refused('capture_turn_state', { ...task, turn_number: 1 })).toEqual(
      errorOf('invalid_request'),
    )
    await expect(mcp.client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('There is no tool "no_such_tool". The tools are'),
    })
  })

  test('consumer_manifest_examples_execute', async () => {
    const mcp = await connect({ transcripts: TRANSCRIPTS })
    const { tools: published } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
    const { tools: listed } = await mcp.client.listTools()
    expect(listed).toEqual(published.map(({ examples, ...tool }: Json) => tool))
    const known: Record<string, unknown> = {}
    for (const { name, examples } of published) {
      for (const { arguments: args } of examples) {
        const filled = Object.fromEntries(
          Object.entries(args).map(([key, value]) => [
            key,
            typeof value === 'string' && value.startsWith('$') ? known[value.slice(1)] : value,
          ]),
        )
        const answer = await mcp.call(name, filled)
        for (const [key, value] of Object.entries(answer)) if (value !== null) known[key] = value
        if (name === 'run_turn') await untilEnded(mcp, answer)
      }
    }
    expect(known).toHaveProperty('turn_run_id')
  })
}

const MANIFEST = new URL('../../docs/mcp-tools.json', import.meta.url)
const TRANSCRIPTS = fileURLToPath(new URL('../../examples/transcripts', import.meta.url))
