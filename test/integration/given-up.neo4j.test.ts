import neo4j from 'neo4j-driver'
import { expect, onTestFinished, test } from 'vitest'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { record, type Started, start } from './http-start.ts'
import { CLIENTS } from './mcp-clients.ts'

/** The work of a server for a caller that has gone, as listed by SHOW TRANSACTIONS. */

const ENDLESS =
  'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b UNWIND range(1, 100000) AS c RETURN count(*) AS n'
const endless = parseStatement('test/endless', ENDLESS)
/** Maximum number of analyses that run in parallel. */
const PLACES = 4

describeOn(neo4jLts, (store) => {
  /** Starts a service whose analysis `progress` never ends. */
  async function aService(): Promise<Started> {
    const graph = await store.open()
    const slow: Graph = graphWith(graph, {
      readLong: (asked, params, limits) =>
        asked.name === 'analysis/progress'
          ? graph.readLong(endless, {}, limits)
          : graph.readLong(asked, params, limits),
    })
    const started = await start({}, { graph: slow })
    const { status } = await started.call('POST', '/v1/turns', { body: record({ project: 'shop' }) })
    expect(status).toBe(201)
    return started
  }

  function aWatch(): (statement: string) => Promise<number> {
    const driver = neo4j.driver(neo4jUrl('lts'))
    onTestFinished(() => driver.close())
    return async (statement) => {
      const { records } = await driver.executeQuery('SHOW TRANSACTIONS YIELD metaData')
      return records.filter((each) => each.get('metaData').statement === statement).length
    }
  }

  const WAIT = { timeout: 15_000 }

  test('analyses end on the server when their callers disconnect, and free their places', async () => {
    const started = await aService()
    const running = aWatch()
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${started.token}` }
    const slow = Array.from({ length: PLACES }, () =>
      fetch(`${started.service.url}/v1/analyses/progress?project=shop`, { headers, signal: gone.signal }),
    )
    const ended = Promise.all(slow.map((one) => expect(one).rejects.toThrow()))
    await expect.poll(() => running('test/endless'), WAIT).toBe(PLACES)
    gone.abort()
    await ended
    const quick = await started.call('GET', '/v1/analyses/blockers?project=shop')
    expect(quick.status).toBe(200)
    await expect.poll(() => running('test/endless'), WAIT).toBe(0)
  })

  test('a free query ends on the server when its caller disconnects', async () => {
    const started = await aService()
    const running = aWatch()
    const gone = new AbortController()
    const slow = fetch(`${started.service.url}/v1/cypher`, {
      method: 'POST',
      headers: { authorization: `Bearer ${started.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: ENDLESS, timeout_ms: 60_000 }),
      signal: gone.signal,
    })
    const ended = expect(slow).rejects.toThrow()
    await expect.poll(() => running('query'), WAIT).toBe(1)
    gone.abort()
    await ended
    await expect.poll(() => running('query'), WAIT).toBe(0)
  })

  test.each(CLIENTS)(
    'analyses that a client of %s cancels end on the server, and the next one has a place',
    async (_name, connect) => {
      const started = await aService()
      const running = aWatch()
      const client = await connect(started)
      const stop = new AbortController()
      const slow = Array.from({ length: PLACES }, () =>
        client.callTool('run_analysis', { name: 'progress' }, { signal: stop.signal }),
      )
      const refused = Promise.all(slow.map((one) => expect(one).rejects.toThrow()))
      await expect.poll(() => running('test/endless'), WAIT).toBe(PLACES)
      stop.abort()
      await refused
      const quick = await client.callTool('run_analysis', { name: 'blockers' })
      expect(quick.isError).not.toBe(true)
      expect(quick.structuredContent).toMatchObject({ name: 'blockers' })
      await expect.poll(() => running('test/endless'), WAIT).toBe(0)
    },
  )
})
