import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, test } from 'vitest'
import { httpClient } from '../../src/client/http.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { runAutobuild } from '../../src/langchain/index.ts'
import { createLog } from '../../src/platform/log.ts'
import { commandsOn, temporaryFolder } from '../e2e/command.ts'
import { FEATURE, PROJECT, TASK } from '../support/records.ts'
import { type Planted, SECRET_KINDS, seeded } from '../support/secret-kinds.ts'
import { call as callOf, send, sessionOf } from '../support/transcript-import.ts'
import { failed, linesOf, placed, result, user } from '../support/written-transcript.ts'
import { newFolder, start } from './http-start.ts'
import { connectClient } from './mcp-connect.ts'

/** Invariant 10: no part of a secret of any kind is in any output, whichever interface it entered through. */

type PlantedKind = Planted & { name: string }

/** Each secret has its own seed, so that no secret is part of another one. */
const planted = (seed: number): PlantedKind[] =>
  SECRET_KINDS.map(({ name, make }, i) => ({ name, ...make(seeded(seed * 10_000 + i)) }))

/** Every eighth kind, others for each seed: for interfaces that call one that is tested with all kinds. */
const sample = (seed: number): PlantedKind[] => planted(seed).filter((_, i) => i % 8 === seed % 8)

/** Minimum length of a match that is no coincidence: random texts of some MiB share no ten characters. */
const MAX_CHANCE = 10

/** Lists the kinds of secrets of which a text contains a part. */
function leaksIn(text: string, secrets: readonly PlantedKind[]): string[] {
  const parts = new Map<string, string>()
  for (const { name, secret } of secrets) {
    const length = Math.min(MAX_CHANCE, secret.length)
    for (let at = 0; at + length <= secret.length; at++) parts.set(secret.slice(at, at + length), name)
  }
  const lengths = [...new Set([...parts.keys()].map((part) => part.length))]
  const found = new Map<string, string>()
  for (let at = 0; at < text.length; at++) {
    for (const length of lengths) {
      const kind = parts.get(text.slice(at, at + length))
      if (kind !== undefined) found.set(kind, `${kind}: ${text.slice(at - 40, at + 30)}`)
    }
  }
  return [...found.values()]
}

/** Reads all files of a folder, again if a checkpoint removes a log: its data is then in the graph's file. */
function bytesBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  )
  try {
    return files
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'latin1'))
      .join('\n')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return bytesBelow(folder)
    throw error
  }
}

async function serve() {
  let logged = ''
  const log = createLog(
    'trace',
    new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk)
        done()
      },
    }) as never,
  )
  const data = newFolder()
  const started = await start(
    { TURNGRAPH_PROJECT: PROJECT },
    { graph: EmbeddedGraph.open({ folder: data }), dataFolder: data, log },
  )
  return { ...started, data, log: () => logged }
}

/** Creates a turn with all texts in every free field. */
const turnWith = (turnNumber: number, texts: readonly string[]) => {
  const half = Math.ceil(texts.length / 2)
  const joined = [texts.slice(0, half), texts.slice(half)].map((some) => some.join('\n'))
  const [one = '', two = ''] = joined
  return {
    feature_id: FEATURE,
    task_id: TASK,
    turn_number: turnNumber,
    player_summary: one,
    coach_feedback: two,
    coach_decision: 'feedback',
    blockers_found: texts,
    lessons_from_turn: texts,
    files_modified: texts,
    progress_summary: two,
    what_to_try_next: one,
    verifications: texts.map((text, i) => ({
      criterion_id: `AC-${i}`,
      criterion_text: `Criterion ${i}: ${text}`,
      status: 'verified',
      evidence: text,
    })),
    promises: texts.map((text, i) => ({
      criterion_id: `AC-${i}`,
      status: 'complete',
      evidence: text,
      test_file: text,
      implementation_files: [text],
    })),
    issues: texts.map((text) => ({
      severity: 'must_fix',
      description: text,
      suggestion: text,
      details: { deep: [text] },
    })),
    extra: { log: { lines: texts } },
  }
}

/** Collects every output of the service. */
async function lookedAt({
  call,
  data,
  log,
}: Awaited<ReturnType<typeof serve>>): Promise<Record<string, string>> {
  const asked = async (route: string) => JSON.stringify((await call('GET', route)).body)
  return {
    log: log(),
    export: await asked('/v1/export?limit=1000'),
    metrics: await asked('/metrics'),
    worlds: await asked('/v1/worlds?limit=500'),
    data: bytesBelow(data),
  }
}

test('no secret survives a capture over REST and a read', async () => {
  const secrets = planted(1)
  const service = await serve()
  const texts = secrets.map(({ text }) => text)
  const answers: unknown[] = []
  for (let turn = 1; turn <= 6; turn++) {
    const some = texts.filter((_, i) => i % 6 === turn - 1)
    const { status, body } = await service.call('POST', '/v1/turns', { body: turnWith(turn, some) })
    expect(status, JSON.stringify(body).slice(0, 500)).toBe(201)
    expect(body.redactions).toBeGreaterThan(some.length * 10)
    answers.push(body)
  }
  // A conflict shows both records, and a rejection shows the sent one.
  answers.push((await service.call('POST', '/v1/turns', { body: turnWith(1, texts.slice(0, 20)) })).body)
  for (const text of texts) {
    const wrong = { ...turnWith(9, []), player_decision: text, [text]: 1 }
    answers.push((await service.call('POST', '/v1/turns', { body: wrong })).body)
  }
  for (const role of ['player', 'coach']) {
    const asked = `feature_id=${FEATURE}&task_id=${TASK}&current_turn=7&role=${role}`
    answers.push((await service.call('GET', `/v1/continuation-context?${asked}`)).body)
  }
  for (const [place, text] of Object.entries({
    ...(await lookedAt(service)),
    answers: JSON.stringify(answers),
  }))
    expect(leaksIn(text, secrets), place).toEqual([])
})

test('no secret survives in addresses, statements, names of workers and reasons, over REST and MCP', async () => {
  const secrets = planted(2)
  const service = await serve()
  const texts = secrets.map(({ text }) => text)
  await service.call('POST', '/v1/turns', { body: turnWith(1, []) })
  const [world] = (await service.call('GET', '/v1/worlds')).body.items
  const runs = `/v1/worlds/${world.world_slug}/turn-runs`
  const transport = new StreamableHTTPClientTransport(new URL(`${service.service.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${service.token}` } },
  })
  const mcp = await connectClient(transport as Transport)
  const answers: unknown[] = []
  for (const [i, text] of texts.entries()) {
    const address = encodeURIComponent(text.slice(0, 400))
    answers.push((await service.call('GET', `/v1/worlds?task_id=${TASK}&q=${address}`)).body)
    if (i % 4 !== 0) continue
    const started = (await service.call('POST', runs, { body: {} })).body
    const { attempt_id } = started
    const claim = { worker_id: [...text.replace(/\p{C}/gu, ' ')].slice(0, 256).join('') } // no name holds hidden characters
    const claimed = (await service.call('POST', `/v1/attempts/${attempt_id}/claim`, { body: claim })).body
    const end = { fence: claimed.fence, reason: text }
    const ended = await service.call('POST', `/v1/attempts/${attempt_id}/fail`, { body: end })
    expect(ended.body.status, JSON.stringify([started, claimed, ended.body])).toBe('failed')
    answers.push(claimed, ended.body)
    const query = `MATCH (n {evidence: ${JSON.stringify(text)}}) RETURN n`
    if (i % 80 === 0) answers.push((await service.call('POST', '/v1/cypher', { body: { query } })).body)
  }
  const [one = '', ...others] = texts.slice(0, 40)
  const run = await mcp.call('run_turn', { world_slug: world.world_slug, turn_count: 2 })
  const cancel = { world_slug: world.world_slug, turn_run_id: run.turn_run_id, reason: one }
  answers.push(await mcp.call('cancel_turn_run', cancel))
  const elsewhere = { ...turnWith(1, others), task_id: 'TASK-2' }
  answers.push(await mcp.call('capture_turn_state', elsewhere))
  await mcp.client.close()
  answers.push((await service.call('GET', `/v1/worlds/${world.world_slug}/attempts?limit=500`)).body)
  for (const [place, text] of Object.entries({
    ...(await lookedAt(service)),
    answers: JSON.stringify(answers),
  }))
    expect(leaksIn(text, secrets), place).toEqual([])
})

test('a restore masks all secrets of an unmasked export', async () => {
  const secrets = planted(3)
  const texts = secrets.map(({ text }) => text)
  const from = await serve()
  await from.call('POST', '/v1/turns', { body: turnWith(1, ['no secret']) })
  const { lines } = (await from.call('GET', '/v1/export')).body as { lines: string[] }
  const clean = lines
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind !== undefined && kind !== 'end')
  const dirty = structuredClone(clean)
  for (const record of dirty) {
    if (record.kind !== 'turn') continue
    Object.assign(record.turn, {
      playerSummary: texts.join('\n'),
      lessonsFromTurn: texts,
      extra: JSON.stringify({ lines: texts }),
    })
    record.verifications[0].evidence = texts.join('\n')
    record.issues[0].details = JSON.stringify({ texts })
  }
  const to = await serve()
  const restored = await to.call('POST', '/v1/restore', { body: { records: dirty } })
  expect(restored.status, JSON.stringify(restored.body)).toBe(200)
  for (const [place, text] of Object.entries(await lookedAt(to)))
    expect(leaksIn(text, secrets), place).toEqual([])

  const again = await serve()
  expect((await again.call('POST', '/v1/restore', { body: { records: clean } })).status).toBe(200)
  expect((await again.call('GET', '/v1/export')).body.lines).toEqual(lines)
})

test('no secret survives in the names, ids, folders and messages of a transcript', async () => {
  const secrets = planted(4)
  const service = await serve()
  const client = httpClient({ url: service.service.url, token: service.token, project: PROJECT })
  for (const [i, { text }] of secrets.entries()) {
    if (i % 4 !== 0) continue
    const records = placed([
      { ...user('Do it'), cwd: `/home/a/${text}`, version: text },
      callOf(`call ${text}`, `mcp ${text}`),
      result(`call ${text}`),
      callOf('two', 'Bash'),
      failed('two', `Error: Exit code 1\n${text}`),
    ])
    const written = records.map((record, at) => ({ ...record, uuid: `${text} ${at}` }))
    await send(client, sessionOf(i), linesOf(written), { path: `/home/a/x.jsonl ${text}` })
  }
  for (const [place, text] of Object.entries(await lookedAt(service)))
    expect(leaksIn(text, secrets), place).toEqual([])
})

/** Collects the output and the files of a command line, with an export. */
async function lookedAtBy(turngraph: ReturnType<typeof commandsOn>, printed: string) {
  const { code, stdout, stderr } = await turngraph.run(['export'])
  expect(code, stderr).toBe(0)
  return { printed, export: stdout + stderr, data: bytesBelow(turngraph.folder) }
}

test('no secret survives in captured JSON lines, some of which are rejected', async () => {
  const secrets = sample(5)
  const texts = secrets.map(({ text }) => text)
  const turngraph = commandsOn(temporaryFolder())
  const records = [
    turnWith(1, texts.slice(0, 30)),
    { ...turnWith(2, texts.slice(30)), player_decision: texts[0] },
    turnWith(2, texts.slice(30)),
    ...texts.map((text) => ({ ...turnWith(3, []), [text]: text })),
  ]
  const input = [...records.map((record) => JSON.stringify(record)), `{"torn": "${texts.join()}`].join('\n')
  const { stdout, stderr } = await turngraph.run(['capture'], { input })
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^line 1: Stored turn 1 .* \(\d{3} secrets masked\)$/),
    expect.stringMatching(/^line 3: Stored turn 2 .* \(\d{3} secrets masked\)$/),
  ])
  for (const [place, text] of Object.entries(await lookedAtBy(turngraph, stdout + stderr)))
    expect(leaksIn(text, secrets), place).toEqual([])
})

test('no secret survives an import of the artifacts of autobuild sessions', async () => {
  const secrets = sample(6)
  const texts = secrets.map(({ text }) => text)
  const home = temporaryFolder()
  const task = path.join(home, 'shop', 'TASK-1')
  mkdirSync(task, { recursive: true })
  const write = (name: string, content: unknown) =>
    writeFileSync(path.join(task, name), typeof content === 'string' ? content : JSON.stringify(content))
  const joined = texts.join('\n')
  write('player_turn_1.json', {
    implementation_notes: joined,
    files_modified: texts,
    concerns: texts,
    not_known: texts,
    completion_promises: texts.map((text, i) => ({
      criterion_id: `AC-${i}`,
      criterion_text: `Criterion ${i}: ${text}`,
      status: 'complete',
      evidence: text,
      test_file: text,
    })),
  })
  write('coach_turn_1.json', {
    decision: texts[0],
    rationale: joined,
    criteria_verification: texts.map((text, i) => ({ criterion_id: `AC-${i}`, result: text, notes: text })),
    issues: texts.map((text) => ({ severity: text, type: 'test', description: text, suggestion: text })),
  })
  write('player_turn_2.json', `{"implementation_notes": "${joined}`)
  const turngraph = commandsOn(home)
  const first = await turngraph.run(['import', 'autobuild', path.join(home, 'shop'), '--json'])
  expect(JSON.parse(first.stdout)).toMatchObject({ turns_created: 1, turns_failed: 0 })
  expect(JSON.parse(first.stdout).redactions).toBeGreaterThan(secrets.length * 5)
  const again = await turngraph.run(['import', 'autobuild', path.join(home, 'shop')])
  const printed = [first, again].map(({ stdout, stderr }) => stdout + stderr).join('\n')
  for (const [place, text] of Object.entries(await lookedAtBy(turngraph, printed)))
    expect(leaksIn(text, secrets), place).toEqual([])
})

test('no secret survives in values and errors of agents of a LangChain loop', async () => {
  const secrets = sample(7)
  const texts = secrets.map(({ text }) => text)
  const service = await serve()
  const client = httpClient({ url: service.service.url, token: service.token, project: PROJECT })
  const { player_summary, files_modified, promises, extra } = turnWith(1, texts)
  const { coach_feedback, verifications, issues } = turnWith(1, texts)
  const told: unknown[] = []
  for await (const event of runAutobuild({
    client,
    world: { featureId: FEATURE, taskId: TASK },
    task: 'Build it',
    player: ({ turn }) => {
      if (turn === 2) throw new Error(texts.join('\n'))
      return { player_summary, files_modified, promises, extra }
    },
    coach: ({ turn }) => {
      if (turn === 3) throw new Error(texts.join('\n'))
      return { coach_decision: 'feedback', coach_feedback, verifications, issues }
    },
    maxTurns: 4,
  })) {
    // The other events pass the values of the agents unchanged to the program that runs them.
    if (['session', 'context', 'finished'].includes(event.type)) told.push(event)
  }
  expect(told.at(-1)).toMatchObject({ type: 'finished', outcome: 'max_turns' })
  for (const [place, text] of Object.entries({ ...(await lookedAt(service)), told: JSON.stringify(told) }))
    expect(leaksIn(text, secrets), place).toEqual([])
})
