import { setTimeout as pause } from 'node:timers/promises'
import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { migrate } from '../../src/graph/migrations.ts'
import { DEADLINE_MS } from '../../src/graph/port.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'

describeOn(neo4jLts, (store) => {
  const handles = useGraph(store, 'openUnmigrated')

  test('a command of a migration may take longer than a request', async () => {
    const driver = neo4j.driver(neo4jUrl('lts'))
    try {
      await driver.executeQuery('CREATE (:Slow {changed: 0})')
      const session = driver.session()
      const transaction = session.beginTransaction()
      await transaction.run('MATCH (n:Slow) SET n.changed = n.changed + 1')
      const slow = {
        version: '001',
        description: 'slow',
        checksum: 'slow',
        commands: ['MATCH (n:Slow) SET n.changed = n.changed + 1'], // waits for the transaction
      }
      const migrated = migrate(handles.graph, { migrations: [slow] })
      await pause(DEADLINE_MS + 1_000)
      await transaction.commit()
      await session.close()
      expect(await migrated).toEqual(['001'])
      const { records } = await driver.executeQuery('MATCH (n:Slow) RETURN toFloat(n.changed) AS changed')
      expect(records.map((record) => record.get('changed'))).toEqual([2])
    } finally {
      await driver.close()
    }
  })
})
