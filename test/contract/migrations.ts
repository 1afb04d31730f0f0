import { describe, expect, test } from 'vitest'
import { loadMigrations, type Migration, migrate, migrationStatus } from '../../src/graph/migrations.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const migration = (version: string, label: string): Migration => ({
  version,
  description: `make ${label}`,
  checksum: `checksum of ${version}`,
  commands: [`CREATE CONSTRAINT ${label}_key IF NOT EXISTS FOR (n:${label}) REQUIRE n.key IS UNIQUE`],
})
const first = migration('001', 'Alpha')
const second = migration('002', 'Beta')
const third = migration('003', 'Gamma')

const overWorlds: Migration = {
  version: '001',
  description: 'change the worlds',
  checksum: 'checksum of the change',
  commands: ['MATCH (w:World) SET w.isChanged = true'],
}

/** The first migration of the versions that had 17 migrations. */
const earlier: Migration = { ...first, description: 'turns and criteria' }

const ONE_PROCESS = 'one process at a time has an embedded graph'

/** A graph that calls a function before the commands of a migration. */
const beforeCommands = (graph: Graph, { commands }: Migration, happen: () => Promise<unknown>): Graph =>
  graphWith(graph, {
    schema: async (given) => {
      if (given === commands) await happen()
      await graph.schema(given)
    },
  })

const addWorlds = parseStatement(
  'test/add-worlds',
  "UNWIND range(10, 49) AS number CREATE (w:World {key: 'shop/' + toString(number)}) RETURN count(w) AS worlds",
)
const changedWorlds = parseStatement(
  'test/changed-worlds',
  'MATCH (w:World) WHERE w.isChanged RETURN count(w) AS worlds',
)
const links = parseStatement(
  'test/links',
  'MATCH (a:SchemaMigration)-[:MIGRATED_TO]->(b:SchemaMigration) RETURN a.version AS a, b.version AS b ORDER BY a.version',
)
const indexes = parseStatement('test/indexes', 'SHOW INDEXES')
const locks = parseStatement('test/locks', 'MATCH (l:SchemaMigrationLock) RETURN l.key AS key')

/** Schema migrations: applied once, in order, one process at a time, never changed afterwards. */
export function migrationsContract(store: StoreUnderTest): void {
  describe('migrations', () => {
    const handles = useGraph(store, 'openUnmigrated')

    test('an index over several properties has only the first one in an embedded graph', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine !== 'embedded', 'Neo4j has one index for all of them')
      const command = 'CREATE INDEX pair IF NOT EXISTS FOR (n:Pair) ON (n.left, n.right)'
      await graph.schema([command])
      const found = await graph.read(indexes, {})
      expect(found.filter(({ label }) => label === 'Pair').map(({ property }) => property)).toEqual(['left'])
    })

    test('the migrations of this version are applied once', async () => {
      const { graph } = handles
      const versions = loadMigrations().map(({ version }) => version)
      expect(await migrationStatus(graph)).toEqual({ applied: [], pending: versions })
      expect(await migrate(graph)).toEqual(versions)
      expect(await migrate(graph)).toEqual([])
      expect(await migrationStatus(graph)).toEqual({ applied: versions, pending: [] })
    })

    test('a migrated graph refuses a second node of the same key', async () => {
      const { graph } = handles
      await migrate(graph)
      for (const label of ['Project', 'Feature', 'Task', 'World', 'Turn', 'SupersededTurn', 'Criterion']) {
        const create = parseStatement('test/create', `CREATE (n:${label} {key: 'k'}) RETURN n.key AS key`)
        await graph.write([{ statement: create, params: {} }])
        await expect(graph.write([{ statement: create, params: {} }]), label).rejects.toThrow()
      }
    })

    test('a migration is rejected if another program has the name of a constraint', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine === 'embedded', 'no other program writes to an embedded graph')
      await graph.schema(['CREATE CONSTRAINT world_key FOR (n:Foreign) REQUIRE n.id IS UNIQUE'])
      const refusal = {
        code: 'store_unavailable',
        message: expect.stringContaining('CREATE CONSTRAINT world_key'),
        hint: expect.stringContaining('a database of its own'),
      }
      await expect(migrate(graph)).rejects.toMatchObject(refusal)
      await graph.schema(['DROP CONSTRAINT world_key', 'CREATE INDEX foreign FOR (n:World) ON (n.key)'])
      await expect(migrate(graph)).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining('There already exists an index (:World {key})'),
      })
      await graph.schema(['DROP INDEX foreign'])
      expect(await migrate(graph)).toEqual(loadMigrations().map(({ version }) => version))
    })

    test('later only new migrations are applied, and all form one chain', async () => {
      const { graph } = handles
      expect(await migrate(graph, { migrations: [first] })).toEqual(['001'])
      expect(await migrate(graph, { migrations: [first, second, third] })).toEqual(['002', '003'])
      expect(await graph.read(links, {})).toEqual([
        { a: '001', b: '002' },
        { a: '002', b: '003' },
      ])
    })

    test('a file that was changed after its migration was applied is rejected', async () => {
      const { graph } = handles
      await migrate(graph, { migrations: [first, second] })
      const migrations = [first, { ...second, checksum: 'another' }, third]
      const refusal = { code: 'store_unavailable', message: expect.stringContaining('V002') }
      await expect(migrate(graph, { migrations })).rejects.toMatchObject(refusal)
      await expect(migrationStatus(graph, migrations)).rejects.toMatchObject(refusal)
      expect((await migrationStatus(graph, [first, second])).applied).toEqual(['001', '002'])
    })

    test('a graph of the schema with 17 migrations is rejected, with instructions to export and restore it', async () => {
      const { graph } = handles
      await migrate(graph, { migrations: [earlier, second] })
      const refusal = {
        code: 'store_unavailable',
        message: expect.stringContaining('An earlier version of Turngraph wrote this graph'),
        hint: expect.stringMatching(/`turngraph export --out FILE`.+`turngraph restore FILE`/),
      }
      await expect(migrate(graph)).rejects.toMatchObject(refusal)
      await expect(migrationStatus(graph)).rejects.toMatchObject(refusal)
      expect((await migrationStatus(graph, [earlier, second])).applied).toEqual(['001', '002'])
    })

    test('a graph of a newer version of Turngraph is rejected', async () => {
      const { graph } = handles
      await migrate(graph, { migrations: [first, second] })
      const refusal = { code: 'store_unavailable', message: expect.stringContaining('V002') }
      await expect(migrate(graph, { migrations: [first] })).rejects.toMatchObject(refusal)
    })

    test('the commands of a migration run in order, and no later migration is applied if one fails', async () => {
      const { graph } = handles
      const commands = [...overWorlds.commands, 'CREATE NONSENSE']
      await graph.write([{ statement: addWorlds, params: {} }])
      await expect(migrate(graph, { migrations: [{ ...overWorlds, commands }, second] })).rejects.toThrow()
      // Neo4j runs the commands in one transaction.
      expect(await graph.read(changedWorlds, {})).toEqual([{ worlds: graph.engine === 'neo4j' ? 0 : 40 }])
      expect((await migrationStatus(graph, [overWorlds, second])).applied).toEqual([])
      expect(await migrate(graph, { migrations: [overWorlds, second] })).toEqual(['001', '002'])
      expect(await graph.read(changedWorlds, {})).toEqual([{ worlds: 40 }])
    })

    test('two processes that migrate in parallel apply each migration once on Neo4j', async ({ skip }) => {
      skip(handles.graph.engine === 'embedded', ONE_PROCESS)
      const other = await handles.open(() => store.beside(handles.graph))
      const migrations = [first, second, third]
      const answers = await Promise.all([
        migrate(handles.graph, { migrations }),
        migrate(other, { migrations }),
      ])
      expect(answers.flat().sort()).toEqual(['001', '002', '003'])
      expect(await handles.graph.read(links, {})).toHaveLength(2)
      await other.close()
    })

    test('an embedded graph is migrated without a lock', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine === 'neo4j', 'several processes may have a graph on Neo4j')
      expect(await migrate(graph, { migrations: [first] })).toEqual(['001'])
      expect(await graph.read(locks, {})).toEqual([])
    })

    test('a migration on Neo4j waits while another transaction holds the lock, also one that will be rolled back', async ({
      skip,
    }) => {
      const { graph } = handles
      skip(graph.engine === 'embedded', ONE_PROCESS)
      const other = await handles.open(() => store.beside(graph))
      const killed = new Error('the process was killed')
      const order: string[] = []
      let waiting: Promise<unknown> = Promise.resolve()
      const slow = beforeCommands(graph, first, async () => {
        order.push('begin')
        waiting = migrate(other, { migrations: [first] }).then((applied) => order.push(`other ${applied}`))
        await graph.read(links, {})
        order.push('killed')
        throw killed
      })
      await expect(migrate(slow, { migrations: [first] })).rejects.toBe(killed)
      await waiting
      expect(order).toEqual(['begin', 'killed', 'other 001'])
      await other.close()
    })

    test('a migration that fails is not recorded, and the next one succeeds', async () => {
      const { graph } = handles
      const broken = { ...second, commands: ['CREATE NONSENSE'] }
      await expect(migrate(graph, { migrations: [first, broken] })).rejects.toThrow()
      expect(await migrationStatus(graph, [first, second])).toEqual({ applied: ['001'], pending: ['002'] })
      expect(await migrate(graph, { migrations: [first, second] })).toEqual(['002'])
    })
  })
}
