import { setTimeout as pause } from 'node:timers/promises'
import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { migrate } from '../../src/graph/migrations.ts'
import { DEADLINE_MS } from '../../src/graph/port.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'

/** Half of the wait for a lock. Two halves are longer than a request may take. */
const HALF_MS = DEADLINE_MS - 1_000

describeOn(neo4jLts, (store) => {
  const handles = useGraph(store, 'openUnmigrated')

  test('a command of a migration may take longer than the time limit of a request', async () => {
    const driver = neo4j.driver(neo4jUrl('lts'))
    const lock = async (number: number) => {
      const session = driver.session()
      const transaction = session.beginTransaction()
      await transaction.run('MATCH (n:Slow) WHERE n.number = $number SET n.isLocked = true', { number })
      return async () => {
        await transaction.commit()
        await session.close()
      }
    }
    try {
      await driver.executeQuery('CREATE (:Slow {number: 1}), (:Slow {number: 2})')
      const [unlockFirst, unlockSecond] = [await lock(1), await lock(2)]
      // Waits for two locks in sequence, because the servers here do not wait that long for one lock.
      const slow =
        'MATCH (a:Slow {number: 1}) SET a.isChanged = true WITH a MATCH (b:Slow {number: 2}) SET b.isChanged = true'
      const migration = { version: '001', description: 'slow', checksum: 'slow', commands: [slow] }
      const migrated = migrate(handles.graph, { migrations: [migration] })
      await pause(HALF_MS)
      await unlockFirst()
      await pause(HALF_MS)
      await unlockSecond()
      expect(await migrated).toEqual(['001'])
      const { records } = await driver.executeQuery('MATCH (n:Slow) RETURN n.isChanged AS isChanged')
      expect(records.map((record) => record.get('isChanged'))).toEqual([true, true])
    } finally {
      await driver.close()
    }
  })
})
