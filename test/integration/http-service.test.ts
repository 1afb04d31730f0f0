import { existsSync, readFileSync, statSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { readServerFile, writeServerFile } from '../../src/platform/data-folder/server-file.ts'
import { createLog } from '../../src/platform/log.ts'
import { record, SwitchedGraph, start } from './http-start.ts'

const away = async () => {
  throw new TurngraphError('store_unavailable', 'The graph cannot be reached.')
}
const here = async () => {}

/** A log, and its lines of level warn or above, complete except for their time. */
function warningsOf() {
  const lines: string[] = []
  const log = pino(
    { level: 'warn', base: null, timestamp: false },
    { write: (line) => void lines.push(line) },
  )
  return { log, warnings: () => lines.map((line) => JSON.parse(line)) }
}

test('a service whose schema is older than that of the graph rejects writes, and is not ready', async () => {
  const { call, graph } = await start()
  await graph.schema([
    "CREATE (m:SchemaMigration {version: '900', description: 'newer', checksum: 'x', appliedAt: datetime('2026-01-01T00:00:00Z')})",
  ])
  await call('POST', '/v1/turns', { body: record() }) // does not wait for a slow check, which rejects the next one
  for (const answer of [await call('POST', '/v1/turns', { body: record() }), await call('GET', '/readyz')]) {
    expect(answer.status).toBe(503)
    expect(answer.body.error.message).toContain('The graph has migration V900 (newer)')
  }
  expect((await call('GET', '/v1/worlds')).status).toBe(200)
})

describe('a store that is away', () => {
  test('a store that is away is 503 store_unavailable with Retry-After, and never an empty answer', async () => {
    const { call, graph } = await start()
    await graph.close()
    for (const answer of [
      await call('GET', '/v1/worlds'),
      await call('POST', '/v1/turns', { body: record() }),
      await call('GET', '/v1/continuation-context?feature_id=F&task_id=T&current_turn=2'),
      await call('GET', '/readyz'),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([503, 'store_unavailable'])
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect((await call('GET', '/healthz')).status).toBe(200)
  })

  test('a service starts without its store, reports this, and works once the store is available', async () => {
    const graph = new SwitchedGraph()
    graph.gate = away
    const { call } = await start({}, { graph })
    expect((await call('GET', '/healthz')).status).toBe(200)
    expect((await call('GET', '/readyz')).status).toBe(503)
    expect((await call('POST', '/v1/turns', { body: record() })).body.error.code).toBe('store_unavailable')
    graph.gate = here
    await vi.waitFor(async () => expect((await call('GET', '/readyz')).status).toBe(200), 5_000)
    expect((await call('POST', '/v1/turns', { body: record() })).status).toBe(201)
  })

  test('a service becomes ready again when its store returns', async () => {
    const graph = new SwitchedGraph()
    const { call } = await start({}, { graph })
    expect((await call('GET', '/readyz')).body).toEqual({ status: 'ready', engine: 'embedded' })
    graph.gate = away
    await vi.waitFor(async () => expect((await call('GET', '/readyz')).status).toBe(503), 5_000)
    expect((await call('GET', '/v1/worlds')).status).toBe(503)
    graph.gate = here
    expect((await call('GET', '/v1/worlds')).status).toBe(200)
    expect((await call('GET', '/readyz')).status).toBe(200)
  })

  test('an outage of the store logs one warning without a stack, and one more when it ends', async () => {
    const { log, warnings } = warningsOf()
    const graph = new SwitchedGraph()
    graph.gate = away
    const { call } = await start({}, { graph, log })
    for (let probes = 0; probes < 3; probes++) {
      expect((await call('GET', '/readyz')).status).toBe(503)
      expect((await call('POST', '/v1/turns', { body: record() })).status).toBe(503)
    }
    const waiting = {
      level: 40,
      code: 'store_unavailable',
      reason: 'The graph cannot be reached.',
      msg: 'waiting for the graph in memory',
    }
    expect(warnings()).toEqual([waiting])
    graph.gate = here
    await vi.waitFor(async () => expect((await call('GET', '/readyz')).status).toBe(200), 5_000)
    expect(warnings()).toEqual([waiting, { level: 40, msg: 'the graph in memory is ready' }])
    graph.gate = away
    expect((await call('GET', '/v1/worlds')).status).toBe(503)
    expect((await call('GET', '/v1/worlds')).status).toBe(503)
    graph.gate = here
    expect((await call('GET', '/v1/worlds')).status).toBe(200)
    expect(warnings().slice(2)).toEqual([waiting, { level: 40, msg: 'the graph in memory is back' }])
  })

  test('an empty store that replaces the old one is migrated before any other statement, once a probe notices it', async () => {
    const graph = new SwitchedGraph()
    const { call } = await start({}, { graph })
    await graph.replaceByEmpty()
    await vi.waitFor(async () => expect((await call('GET', '/readyz')).status).toBe(503), 5_000)
    expect((await call('POST', '/v1/turns', { body: record() })).status).toBe(503)
    await vi.waitFor(async () => expect((await call('GET', '/readyz')).status).toBe(200), 5_000)
    expect((await call('POST', '/v1/turns', { body: record() })).status).toBe(201)
  })

  test('a store that answers late is 504 timeout; a defect is 500 internal without its text', async () => {
    const graph = new SwitchedGraph()
    const { call } = await start({}, { graph })
    graph.gate = async () => {
      throw new TurngraphError('timeout', 'The graph did not answer in time.')
    }
    const late = await call('GET', '/v1/worlds')
    expect([late.status, late.body.error.code]).toEqual([504, 'timeout'])
    graph.gate = async () => {
      throw new Error('the password is swordfish')
    }
    const defect = await call('GET', '/v1/worlds', { headers: { 'x-request-id': 'r-1' } })
    expect([defect.status, defect.body.error.code, defect.body.error.request_id]).toEqual([
      500,
      'internal',
      'r-1',
    ])
    expect(JSON.stringify(defect.body)).not.toContain('swordfish')
  })
})

describe('close', () => {
  test('a service that shuts down answers active requests with Connection: close, and accepts no new ones', async () => {
    const graph = new SwitchedGraph()
    const { call, service } = await start({}, { graph })
    const { entered, letGo } = graph.hold()
    const inFlight = call('GET', '/v1/worlds')
    await entered
    let closed = false
    const closing = service.close().then(() => {
      closed = true
    })
    await wait(50)
    expect(closed).toBe(false)
    await expect(call('GET', '/healthz')).rejects.toThrow('fetch failed')
    letGo()
    const answer = await inFlight
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    await closing
    graph.gate = here
    await expect(graph.health()).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('a service that shuts down does not wait for idle or silent connections', async () => {
    const { service } = await start()
    const agent = new Agent({ keepAlive: true })
    await new Promise<void>((resolve, reject) => {
      get(`${service.url}/healthz`, { agent }, (res) => res.resume().on('end', resolve)).on('error', reject)
    })
    const silent = connect(service.port, '127.0.0.1')
    silent.on('error', () => {})
    await wait(50)
    const started = performance.now()
    await service.close()
    expect(performance.now() - started).toBeLessThan(1_000)
    agent.destroy()
    silent.destroy()
  })

  test('closing a service twice closes it once', async () => {
    const { service } = await start()
    await Promise.all([service.close(), service.close()])
    await service.close()
  })
})

describe('server.json', () => {
  test('server.json has the address of the service, readable only by its owner, while the service runs', async () => {
    const { service, dataFolder } = await start()
    const file = path.join(dataFolder, 'server.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      pid: process.pid,
      url: service.url,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(service.url).toBe(`http://127.0.0.1:${service.port}`)
    await service.close()
    expect(existsSync(file)).toBe(false)
  })

  test('a service that ends does not delete server.json of another service', async () => {
    const { service, dataFolder } = await start()
    const other = { pid: process.pid, url: 'http://127.0.0.1:1', version: '0.0.0' }
    writeServerFile(dataFolder, other)
    await service.close()
    expect(readServerFile(dataFolder)).toEqual(other)
  })
})

test('a port that is in use is an error that names it, and the graph stays open', async () => {
  const { service } = await start()
  const graph = EmbeddedGraph.open({ folder: null })
  await expect(start({ TURNGRAPH_PORT: String(service.port) }, { graph })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('EADDRINUSE'),
  })
  await graph.health()
  await graph.close()
})

test('the log has one line per request, never a token or a body, and a defect has its cause', async () => {
  const lines: string[] = []
  const graph = new SwitchedGraph()
  const log = createLog('trace', { write: (line) => void lines.push(line) })
  const { call, token, service } = await start({}, { graph, log })
  await call('POST', '/v1/turns?project=p', {
    body: record({ player_summary: 'swordfish' }),
    headers: { 'x-request-id': 'r-1' },
  })
  await call('GET', '/v1/worlds', { token: 'wrong-token', headers: { 'x-request-id': 'r-2' } })
  graph.gate = async () => {
    throw new Error('the cause')
  }
  await call('GET', '/v1/worlds', { headers: { 'x-request-id': 'r-3' } })
  await service.close()
  const about = (id: string) =>
    lines.filter((line) => line.includes(`"${id}"`)).map((line) => JSON.parse(line))
  expect(about('r-1')).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      request_id: 'r-1',
      method: 'POST',
      path: '/v1/turns?project=p',
      status: 201,
      ms: expect.any(Number),
      msg: 'request completed',
    },
  ])
  expect(about('r-2')).toMatchObject([{ level: 'info', status: 401 }])
  expect(about('r-3')).toMatchObject([{ level: 'error', status: 500, err: { message: 'the cause' } }])
  for (const secret of [token, 'wrong-token', 'swordfish']) expect(lines.join('')).not.toContain(secret)
})
