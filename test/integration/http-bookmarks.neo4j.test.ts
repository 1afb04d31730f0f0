import { expect, test } from 'vitest'
import { describeOn, neo4jLts } from '../support/engines.ts'
import { record, type Started, start } from './http-start.ts'
import { CLIENTS } from './mcp-clients.ts'

const WARNING = 'A bookmark of another graph was ignored.'

describeOn(neo4jLts, (store) => {
  /** A service, and a bookmark that names its graph though its server cannot read it, as after a restore of a dump. */
  async function withUnreadableBookmark(): Promise<{ started: Started; bookmark: string }> {
    const started = await start({}, { graph: await store.open() })
    const { status, headers } = await started.call('POST', '/v1/turns', { body: record({ project: 'shop' }) })
    expect(status).toBe(201)
    const own = headers.get('turngraph-bookmark') ?? ''
    const [graph] = JSON.parse(Buffer.from(own, 'base64url').toString())
    const bookmark = Buffer.from(JSON.stringify([graph, 'FB:nonsense'])).toString('base64url')
    return { started, bookmark }
  }

  test('a bookmark that the server cannot read is ignored with a warning by every kind of read and by a write, and is no error', async () => {
    const { started, bookmark } = await withUnreadableBookmark()
    const askWith = (method: string, path: string, body?: object) =>
      started.call(method, path, {
        headers: { 'turngraph-bookmark': bookmark },
        ...(body !== undefined && { body }),
      })
    const query = 'MATCH (t:Turn) RETURN t.playerSummary AS said, elementId(t) AS id'
    const free = await askWith('POST', '/v1/cypher', { query })
    expect(free).toMatchObject({ status: 200, body: { rows: [['Built it', expect.any(String)]] } })
    const node = encodeURIComponent(free.body.rows[0][1])
    const others = [
      await askWith(
        'GET',
        '/v1/continuation-context?project=shop&feature_id=FEAT-1&task_id=TASK-1&current_turn=2',
      ),
      await askWith('GET', '/v1/worlds?project=shop'),
      await askWith('GET', '/v1/analyses/blockers?project=shop'),
      await askWith('GET', `/v1/graph/neighbors?node_id=${node}`),
      await askWith('POST', '/v1/turns', record({ project: 'shop', turn_number: 2 })),
    ]
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 201])
    for (const { headers } of [free, ...others])
      expect(headers.get('turngraph-bookmark-warning')).toBe(WARNING)
  })

  test.each(CLIENTS)('a client of %s is warned of such a bookmark, and answered', async (_name, connect) => {
    const { started, bookmark } = await withUnreadableBookmark()
    const client = await connect(started)
    const asked: [string, object][] = [
      ['query_graph', { query: 'MATCH (t:Turn) RETURN count(t) AS turns' }],
      ['run_analysis', { name: 'blockers' }],
      ['list_turns', { world_slug: 'TASK-1' }],
    ]
    for (const [tool, args] of asked) {
      const answer = await client.callTool(tool, args, { bookmark })
      expect(answer.isError, tool).not.toBe(true)
      expect(answer._meta, tool).toMatchObject({ 'turngraph/bookmark_warning': WARNING })
    }
  })
})
