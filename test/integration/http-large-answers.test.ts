import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { graphWith } from '../../src/graph/port.ts'
import { createLog } from '../../src/platform/log.ts'
import { record, type Started, start } from './http-start.ts'

const LIST = 'turns/records:page'
const TURNS = '/v1/worlds/large/turns'
const OTHERS = [`${TURNS}/1/history`, '/v1/criteria/none/history?world_slug=large']

/** Starts a service whose lists of turns wait in the graph until they are released, and collects its log. */
async function slowLists() {
  const lines: string[] = []
  const stored = EmbeddedGraph.open({ folder: null })
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const asked: string[] = []
  const graph = graphWith(stored, {
    read: async (statement, params, deadline) => {
      asked.push(statement.name)
      if (statement.name === LIST) await gate
      return stored.read(statement, params, deadline)
    },
  })
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const started = await start({}, { graph, log })
  const { status } = await started.call('POST', '/v1/turns', { body: record({ world_slug: 'large' }) })
  expect(status).toBe(201)
  const begun = () => asked.filter((name) => name === LIST).length
  return { started, lines, letGo: () => letGo(), begun, asked }
}

const listTurns = async ({ call }: Started) => (await call('GET', TURNS)).body.items.length

test('two answers with large records are built at a time, and other requests do not wait for them', async () => {
  const { started, letGo, begun, asked } = await slowLists()
  const written = asked.length
  await started.call('GET', '/v1/worlds')
  const ofWorlds = new Set(asked.slice(written))
  const lists = Array.from({ length: 6 }, () => listTurns(started))
  await expect.poll(begun).toBe(2)
  const before = asked.length
  const waiting = OTHERS.map((route) => started.call('GET', route))
  expect((await started.call('GET', '/v1/worlds')).status).toBe(200)
  expect(asked.slice(before).filter((name) => !ofWorlds.has(name))).toEqual([])
  letGo()
  expect(await Promise.all(lists)).toEqual([1, 1, 1, 1, 1, 1])
  for (const { status } of await Promise.all(waiting)) expect(status).toBeLessThan(500)
  expect(begun()).toBe(6)
})

test('the graph is not read for a caller that disconnected while its answer waited', async () => {
  const { started, lines, letGo, begun } = await slowLists()
  const before = [listTurns(started), listTurns(started)]
  await expect.poll(begun).toBe(2)
  const given = request(`${started.service.url}${TURNS}?limit=7`, {
    headers: { authorization: `Bearer ${started.token}`, expect: '100-continue' },
  })
  given.flushHeaders()
  await once(given, 'continue') // the service has received it
  const hungUp = once(given, 'error')
  given.destroy()
  await hungUp
  await expect.poll(() => lines.some((line) => line.includes('limit=7'))).toBe(true)
  letGo()
  expect(await Promise.all([...before, listTurns(started)])).toEqual([1, 1, 1])
  expect(begun()).toBe(3)
})

test('the graph is not read for requests that a client pipelined before it disconnected', async () => {
  const { started, lines, letGo, begun } = await slowLists()
  const client = connect(started.service.port, '127.0.0.1')
  const list = `GET ${TURNS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${started.token}\r\n\r\n`
  client.write(list.repeat(5))
  await expect.poll(begun).toBe(2)
  client.destroy()
  await expect.poll(() => lines.filter((line) => line.includes('request aborted')).length).toBe(5)
  letGo()
  expect(await listTurns(started)).toBe(1)
  expect(begun()).toBe(3)
})
