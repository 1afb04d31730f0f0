import { beforeEach, describe, expect, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { toWire } from '../../src/core/wire-form.ts'
import { operations } from '../../src/operations/table.ts'
import { everyField } from '../support/records.ts'
import { record, type Started, start } from './http-start.ts'
import { type Json, overHttp } from './mcp-connect.ts'

/** The output of `TurnStateEntity.to_episode_body` of the seed, with its keys and Python's instants without a zone. */
const episode = {
  entity_type: 'turn_state',
  id: 'TURN-FEAT-GE-2',
  feature_id: 'FEAT-GE',
  task_id: 'TASK-GE-002',
  turn_number: 2,
  player_summary: 'Wrote the entity',
  player_decision: 'implemented',
  coach_decision: 'feedback',
  coach_feedback: 'The integration test is missing',
  mode: 'continuing_work',
  blockers_found: ['no graph on this machine'],
  progress_summary: 'two of three',
  acceptance_criteria_status: { criterion_1: 'verified', criterion_2: 'rejected', criterion_3: 'pending' },
  tests_passed: 12,
  tests_failed: 1,
  coverage: 81.5,
  arch_score: null,
  started_at: '2026-01-29T10:00:00.123456',
  completed_at: '2026-01-29T10:05:00.123456',
  duration_seconds: null,
  lessons_from_turn: ['start the graph first'],
  what_to_try_next: 'criterion_2',
}

/** Captures a record that was read over REST, MCP, the library and an attempt (command line: test/e2e/capture.test.ts). */
describe('a record that is sent back', () => {
  let started: Started
  const turnOf = async (project: string, world: string, turn: number): Promise<Json> => {
    const at = `/v1/worlds/${encodeURIComponent(world)}/turns/${turn}?project=${encodeURIComponent(project)}`
    const { status, body } = await started.call('GET', at)
    expect(status).toBe(200)
    return body
  }
  beforeEach(async () => {
    started = await start()
    const sent = toWire(operations.captureTurnState.input, everyField)
    expect((await started.call('POST', '/v1/turns', { body: sent })).status).toBe(201)
  })

  test('is accepted by REST in the form of GET: 200, created false', async () => {
    const read = await turnOf('shop', 'session%2F1~%CE%B1', 3)
    const again = await started.call('POST', '/v1/turns', { body: read })
    expect([again.status, again.body]).toEqual([
      200,
      { ...read, created: false, superseded: false, world_created: false, redactions: 0 },
    ])
    const differs = await started.call('POST', '/v1/turns', { body: { ...read, player_decision: 'failed' } })
    expect([differs.status, differs.body.error.details.problems]).toEqual([
      400,
      [
        {
          path: 'player_decision_raw',
          message: 'is "Completed", which does not mean "failed" as player_decision does',
        },
      ],
    ])
  })

  test('is accepted by the library over HTTP in the form of its answer', async () => {
    const client = httpClient({ url: started.service.url, token: started.token, project: 'shop' })
    const read = await client.getTurn({ worldSlug: 'session%2F1~%CE%B1', turnNumber: 3 })
    expect(await client.captureTurnState(read)).toMatchObject({ ...read, created: false })
    const { items } = await client.listTurns({ worldSlug: 'session%2F1~%CE%B1' })
    expect(await client.captureTurnState(items[0] as (typeof items)[number])).toMatchObject({
      created: false,
    })
    await client.close()
  })

  test('is accepted by MCP with the project of the connection', async () => {
    const { call, refused } = await overHttp()
    await call('capture_turn_state', { ...record(), coach_decision: 'LGTM' })
    const { items } = await call('list_turns', { world_slug: 'TASK-1' })
    const [read] = items
    expect(await call('capture_turn_state', read)).toEqual({
      ...read,
      created: false,
      world_created: false,
      superseded: false,
      redactions: 0,
    })
    const { key, ...keyless } = read
    expect((await refused('capture_turn_state', keyless)).message).toBe(
      "project: is the connection's; leave it out, or send the record with its key",
    )
    const ofAnother = { ...read, project: 'till', key: 'till/TASK-1/1' }
    expect((await refused('capture_turn_state', ofAnother)).details.problems).toEqual([
      {
        path: 'key',
        message: 'is "till/TASK-1/1", but project, world_slug and turn_number make it "shop/TASK-1/1"',
      },
    ])
    expect((await refused('capture_turn_state', { ...read, project: 'till' })).message).toBe(
      'project: is "till", but the key "shop/TASK-1/1" is of another one',
    )
  })

  test("ends an attempt at its turn, if its place is the attempt's", async () => {
    const scope = { project: 'shop', feature_id: 'FEAT-1', task_id: 'TASK-1' }
    const first = (await started.call('POST', '/v1/turns', { body: record({ ...scope, world_slug: 'a' }) }))
      .body
    await started.call('POST', '/v1/worlds', { body: { ...scope, world_slug: 'b' } })
    const run = (await started.call('POST', '/v1/worlds/b/turn-runs', { body: { project: 'shop' } })).body
    const at = `/v1/attempts/${run.attempt_id}`
    const claim = { project: 'shop', worker_id: 'w' }
    const { fence } = (await started.call('POST', `${at}/claim`, { body: claim })).body
    const { created, superseded, world_created, redactions, key, ...read } = first
    const commit = (turn: object) =>
      started.call('POST', `${at}/commit`, { body: { project: 'shop', fence, turn } })
    const refused = await commit({ ...read, world_slug: 'b', key })
    expect([refused.status, refused.body.error.details.problems[0].path]).toEqual([400, 'key'])
    expect((await commit({ ...read, feature_id: '', world_slug: 'b' })).status).toBe(200)
    const { created_at, ...expected } = { ...read, world_slug: 'b', key: 'shop/b/1' }
    expect(await turnOf('shop', 'b', 1)).toMatchObject(expected)
  })

  test('the episode body of the seed is a record, can be repeated, and its id is checked', async () => {
    const stored = await started.call('POST', '/v1/turns', { body: episode })
    expect(stored.status).toBe(201)
    const { entity_type, duration_seconds, started_at, completed_at, ...same } = episode
    expect(stored.body).toMatchObject({
      ...same,
      started_at: '2026-01-29T10:00:00.123456Z',
      completed_at: '2026-01-29T10:05:00.123456Z',
      duration_seconds: 300,
    })
    const again = await started.call('POST', '/v1/turns', { body: episode })
    expect([again.status, again.body.created]).toEqual([200, false])
    const bare = await started.call('POST', '/v1/turns', { body: { ...same, started_at, completed_at } })
    expect([bare.status, bare.body.created]).toEqual([200, false])
    const renamed = await started.call('POST', '/v1/turns', { body: { ...episode, id: 'TURN-2' } })
    expect([renamed.status, renamed.body.id]).toEqual([200, 'TURN-FEAT-GE-2'])
    const body = { ...episode, entity_type: 'feature_overview' }
    const refused = await started.call('POST', '/v1/turns', { body })
    expect([refused.status, refused.body.error.details.problems[0].path]).toEqual([400, 'entity_type'])
  })
})
