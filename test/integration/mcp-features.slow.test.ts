import { describe, expect, test } from 'vitest'
import { record, type Started, start, tokensFile } from './http-start.ts'
import { CLIENTS } from './mcp-clients.ts'
import { executorsFile } from './mcp-connect.ts'

/** Resources, subscriptions, prompts, progress and cancelling, by clients of both SDKs over both transports. */

const aService = () => start({ TURNGRAPH_EXECUTORS: executorsFile() })

const capture = async ({ call }: Started, fields: object = {}, project = 'shop') => {
  const body = record({ project, world_slug: 'w', coach_decision: 'feedback', ...fields })
  const { status } = await call('POST', '/v1/turns', { body })
  expect(status).toBe(201)
}

describe.each(CLIENTS)('a client of %s', (_name, connect) => {
  test('reads each kind of resource with the same content as REST', async () => {
    const started = await aService()
    const { call } = started
    await capture(started, { acceptance_criteria_status: { 'AC-1': 'verified', 'AC-2': 'rejected' } })
    const world = { project: 'shop', feature_id: 'F', task_id: 'T', world_slug: 'r%20s~t', executor: 'trial' }
    await call('POST', '/v1/worlds', { body: world })
    const inRuns = `/v1/worlds/${encodeURIComponent('r%20s~t')}/turn-runs?project=shop`
    const { turn_run_id: id } = (await call('POST', inRuns, { body: { turn_count: 2 } })).body
    const runAt = `/v1/turn-runs/${id}?project=shop`
    await expect.poll(async () => (await call('GET', runAt)).body.status).toBe('completed')
    const client = await connect(started)
    const twins: [string, string][] = [
      ['turngraph://schema', '/v1/graph/schema'],
      ['turngraph://shop/worlds/w', '/v1/worlds/w?project=shop'],
      ['turngraph://shop/worlds/w/turns/1', '/v1/worlds/w/turns/1?project=shop'],
      ...['player', 'coach'].map((role): [string, string] => [
        `turngraph://shop/worlds/w/context/${role}/2`,
        `/v1/continuation-context?project=shop&world_slug=w&role=${role}&current_turn=2`,
      ]),
      [`turngraph://shop/worlds/r%2520s~t/runs/${id}`, runAt],
    ]
    for (const [uri, path] of twins) {
      const { contents } = await client.readResource(uri)
      expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }])
      expect(JSON.parse(contents[0].text), uri).toEqual((await call('GET', path)).body)
    }
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }: { uri: string }) => uri).sort()).toEqual([
      'turngraph://schema',
      'turngraph://shop/worlds/r%2520s~t',
      'turngraph://shop/worlds/w',
    ])
    const { resourceTemplates } = await client.listTemplates()
    expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      'turngraph://{project}/worlds/{world}',
      'turngraph://{project}/worlds/{world}/turns/{n}',
      'turngraph://{project}/worlds/{world}/context/{role}/{n}',
      'turngraph://{project}/worlds/{world}/runs/{id}',
    ])
  })

  test('a subscriber gets changes of its own resources within 2 s, and no others', async () => {
    const started = await aService()
    await capture(started)
    await capture(started, { world_slug: 'other', task_id: 'TASK-2' })
    const client = await connect(started)
    const heard: string[] = []
    const uris = ['turngraph://shop/worlds/w', 'turngraph://shop/worlds/w/context/coach/3']
    await client.subscribe(uris, (uri) => heard.push(uri))
    await capture(started, { world_slug: 'other', task_id: 'TASK-2', turn_number: 2 })
    await capture(started, { world_slug: 'w', task_id: 'TASK-3' }, 'another')
    const began = performance.now()
    await capture(started, { turn_number: 2 })
    await expect.poll(() => heard.toSorted(), { timeout: 10_000, interval: 20 }).toEqual(uris.toSorted())
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(
      JSON.parse((await client.readResource('turngraph://shop/worlds/w')).contents[0].text),
    ).toMatchObject({ current_turn: 2 })
  })

  test('a subscriber to a run gets its changes until it has ended', async () => {
    const started = await aService()
    const { call } = started
    const world = { project: 'shop', feature_id: 'F', task_id: 'T', world_slug: 'r', executor: 'external' }
    await call('POST', '/v1/worlds', { body: world })
    const client = await connect(started)
    const run = (await call('POST', '/v1/worlds/r/turn-runs?project=shop', { body: { turn_count: 5 } })).body
    const uri = `turngraph://shop/worlds/r/runs/${run.turn_run_id}`
    let changes = 0
    await client.subscribe([uri], () => changes++)
    // The run waits for a worker, so it does not end before the subscription.
    const cancel = { world_slug: 'r', project: 'shop', abort: true }
    expect((await call('POST', `/v1/turn-runs/${run.turn_run_id}/cancel`, { body: cancel })).status).toBe(200)
    const status = async () => JSON.parse((await client.readResource(uri)).contents[0].text).status
    await expect.poll(status, { timeout: 20_000 }).toBe('cancelled')
    await expect.poll(() => changes, { timeout: 20_000 }).toBeGreaterThan(0)
  })

  test('gets the progress of a long query, and ends it by an abort', async () => {
    const started = await aService()
    const client = await connect(started)
    const stop = new AbortController()
    const heard: number[] = []
    const slow = client.callTool(
      'query_graph',
      { query: ENDLESS, timeout_ms: 60_000 },
      { signal: stop.signal, onprogress: ({ progress }) => heard.push(progress) },
    )
    const refused = expect(slow).rejects.toThrow()
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(1)
    expect(heard).toEqual(heard.toSorted((a, b) => a - b))
    stop.abort()
    await refused
    // Queries run one after another, so this one runs only after the other has ended.
    const quick = await client.callTool('query_graph', { query: 'RETURN 1 AS one', timeout_ms: 20_000 })
    expect(quick.structuredContent).toMatchObject({ rows: [[1]] })
  })
})

/** Each SDK once, and each transport once, for content that does not depend on both. */
const SOME_CLIENTS = CLIENTS.filter(([name]) =>
  /^the first SDK over str|^the second SDK over stdio/.test(name),
)

describe.each(SOME_CLIENTS)('a client of %s', (_name, connect) => {
  test('query_graph can return the schema instead of rows, and warns of names that the graph does not have', async () => {
    const started = await aService()
    const client = await connect(started)
    const { structuredContent } = await client.callTool('query_graph', { schema: true })
    const { body: schema } = await started.call('GET', '/v1/graph/schema')
    expect(structuredContent).toEqual({
      columns: [],
      rows: [],
      truncated: false,
      elapsed_ms: 0,
      warnings: [],
      schema,
    })
    const query = 'MATCH (t:Trun) RETURN t'
    for (const refused of [{}, { query, schema: true }]) {
      const { isError, content } = await client.callTool('query_graph', refused)
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining('schema: true')])
    }
    const misspelt = await client.callTool('query_graph', { query })
    expect(misspelt.structuredContent).toMatchObject({ warnings: [{ unknown: 'Trun', near: ['Turn'] }] })
  })

  test('a resource of the Player contains no evidence of the Coach', async () => {
    const started = await aService()
    const evidence = 'seen by the judge alone'
    await capture(started, { verifications: [{ criterion_id: 'AC-1', status: 'verified', evidence }] })
    const client = await connect(started)
    const textAs = async (role: string) =>
      (await client.readResource(`turngraph://shop/worlds/w/context/${role}/2`)).contents[0].text
    expect(await textAs('coach')).toContain(evidence)
    expect(await textAs('player')).not.toContain(evidence)
    const briefOf = async (name: string) =>
      (await client.getPrompt(name, { turn: '2', world_slug: 'w' })).messages[0].content.text
    expect(await briefOf('judge_turn')).toContain(evidence)
    expect(await briefOf('continue_turn')).not.toContain(evidence)
  })

  test('the prompts contain the prior turn, the remaining criteria, the promises and the criteria to check again', async () => {
    const started = await aService()
    const criteria = [
      { criterion_id: 'AC-001', criterion_text: 'The lid closes without a sound', status: 'verified' },
      { criterion_id: 'AC-002', criterion_text: 'The light goes out with it', status: 'rejected' },
    ]
    await capture(started, {
      player_summary: 'Built the lid',
      verifications: criteria,
      promises: [
        {
          criterion_id: 'AC-002',
          criterion_text: 'The light goes out with it',
          status: 'complete',
          evidence: 'src/light.ts',
        },
      ],
    })
    await capture(started, {
      turn_number: 2,
      player_summary: 'Moved the hinge',
      verifications: [{ ...criteria[0], status: 'rejected', evidence: 'it squeaks' }],
    })
    const client = await connect(started)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(['continue_turn', 'judge_turn'])
    const textOf = async (name: string) => {
      const { messages } = await client.getPrompt(name, { turn: '3', world_slug: 'w' })
      expect(messages).toHaveLength(1)
      return messages[0].content.text as string
    }
    const player = await textOf('continue_turn')
    expect(player).toContain('Moved the hinge')
    const contested =
      '- AC-001 — The lid closes without a sound (verified, turn 1, without evidence, contested in turn 2)'
    const rejected = '- AC-002 — The light goes out with it (rejected, turn 1)'
    expect(player).toContain(`## Left to prove\n${contested}\n${rejected}`)
    expect(player).not.toContain('it squeaks')
    const coach = await textOf('judge_turn')
    expect(coach).toContain(`## Criteria\n${contested}\n${rejected}`)
    expect(coach).toContain('AC-002: complete — The light goes out with it — src/light.ts')
    expect(coach).toMatch(
      /## Check again\n- AC-001 — The lid closes without a sound: contested in turn 2, it squeaks/,
    )
  })

  test('the prompts of a task without records name what is missing', async () => {
    const started = await aService()
    const client = await connect(started)
    const textOf = async (name: string, where: object) =>
      (await client.getPrompt(name, { turn: '2', ...where })).messages[0].content.text as string
    const unknown = { feature_id: 'F', task_id: 'TASK-2' }
    for (const name of ['continue_turn', 'judge_turn']) {
      const text = await textOf(name, unknown)
      expect(text).toContain('No task TASK-2 in feature F')
      expect(text).toContain('No criterion is known: none was declared or judged so far.')
      expect(text).not.toMatch(/(criterion|promises).* verified/)
    }
    await capture(started, { verifications: [{ criterion_id: 'AC-1', status: 'verified' }] })
    expect(await textOf('continue_turn', { world_slug: 'w' })).toContain(
      'Every criterion that counts is verified',
    )
    expect(await textOf('judge_turn', { world_slug: 'w' })).toContain('## Promises\nNo promise is recorded.')
  })

  test('reports unknown names and invalid arguments as protocol errors', async () => {
    const started = await aService()
    await capture(started)
    const client = await connect(started)
    const uris: [string, string][] = [
      ['turngraph://shop/worlds/none', 'unknown_world'],
      ['turngraph://shop/worlds/w/turns/9', 'not_found'],
      ['turngraph://shop/worlds/w/turns/x', 'invalid_request'],
      ['turngraph://shop/worlds/w/context/judge/2', 'invalid_request'],
      ['turngraph://shop/worlds/%E0%A4%A', 'not_found'],
      ['file:///etc/passwd', 'not_found'],
    ]
    for (const [uri, code] of uris) {
      const found = { code: -32602, data: expect.objectContaining({ uri, code }) }
      await expect(client.readResource(uri), uri).rejects.toMatchObject(found)
    }
    const missing = { code: -32602, data: expect.objectContaining({ code: 'not_found' }) }
    await expect(client.getPrompt('no_such_prompt', {})).rejects.toMatchObject(missing)
    await expect(client.callTool('no_such_tool', {})).rejects.toMatchObject(missing)
    await expect(client.getPrompt('judge_turn', { world_slug: 'w' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('turn'),
    })
    await expect(client.getPrompt('judge_turn', { turn: 'x', world_slug: 'w' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('turn: must be a whole number from 1 to 1,000,000'),
    })
  })
})

/** A query with little memory that takes longer than a minute, so only its timeout ends it (measured: not in 15 s). */
const ENDLESS =
  'UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 3000) AS c RETURN count(*) AS n'

test('a token of one project cannot read or subscribe to another, whatever URI it uses', async () => {
  const file = tokensFile([
    { name: 'mine', token: 'token-of-mine', scopes: ['read'], project: 'mine' },
    { name: 'writer', token: 'token-of-a-writer', scopes: ['write'] },
  ])
  const started = await start({ TURNGRAPH_TOKENS: file })
  await capture(started, {}, 'yours')
  for (const [name, connect] of CLIENTS) {
    const client = await connect(started, { token: 'token-of-mine', project: 'mine' })
    const uri = 'turngraph://yours/worlds/w'
    const forbidden = { data: expect.objectContaining({ code: 'forbidden' }) }
    await expect(client.readResource(uri), name).rejects.toMatchObject(forbidden)
    await expect(
      client.subscribe([uri], () => {}),
      name,
    ).rejects.toMatchObject(forbidden)
    const writer = await connect(started, { token: 'token-of-a-writer', project: 'yours' })
    await expect(
      writer.subscribe([uri], () => {}),
      name,
    ).rejects.toMatchObject(forbidden)
  }
})

test('an answer above the limit of clients over stdio is whole over HTTP, and an error over stdio', async () => {
  const started = await aService()
  const evidence = '"'.repeat(60_000)
  for (let turn_number = 1; turn_number <= 6; turn_number++) {
    const verifications = Array.from({ length: 8 }, (_, i) => ({
      criterion_id: `AC-${turn_number}${i}`,
      status: 'verified',
      evidence,
    }))
    await capture(started, { turn_number, verifications })
  }
  for (const [name, connect] of CLIENTS) {
    const client = await connect(started)
    const call = await client.callTool('get_criteria', { world_slug: 'w' })
    const read = () => client.readResource('turngraph://shop/worlds/w/context/coach/7')
    if (name.endsWith('HTTP')) {
      expect(call.structuredContent.criteria, name).toHaveLength(48)
      expect((await read()).contents[0].text.length, name).toBeGreaterThan(4_000_000)
    } else {
      expect(call, name).toMatchObject({ isError: true, content: [{ type: 'text' }] })
      expect(JSON.parse(call.content[0].text).error).toMatchObject({ code: 'too_large' })
      const tooLarge = { code: -32602, data: expect.objectContaining({ code: 'too_large' }) }
      await expect(read(), name).rejects.toMatchObject(tooLarge)
    }
  }
})
