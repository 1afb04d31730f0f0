import { expect, test } from 'vitest'
import { Neo4jGraph } from '../../src/graph/neo4j.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { record, start } from './http-start.ts'

describeOn(neo4jLts, (store) => {
  test('with neo4j://, contexts and free queries contain a turn that was just captured', async () => {
    await (await store.open()).close()
    const url = neo4jUrl('lts').replace('bolt:', 'neo4j:')
    const graph = new Neo4jGraph({ url, user: 'neo4j', password: null, database: 'neo4j' })
    const { call } = await start({}, { graph })
    const sent = { project: 'shop', feature_id: 'F', task_id: 'T' }
    expect((await call('POST', '/v1/turns', { body: record(sent) })).status).toBe(201)
    const context = await call(
      'GET',
      '/v1/continuation-context?project=shop&feature_id=F&task_id=T&current_turn=2',
    )
    expect(context.body).toMatchObject({ previous_turn: 1 })
    const query = 'MATCH (t:Turn) RETURN count(t) AS turns'
    const counted = await call('POST', '/v1/cypher', { body: { query } })
    expect(counted.body).toMatchObject({ rows: [[1]] })
  })
})
