import { describe, expect, test } from 'vitest'
import { loadMigrations, type Migration, migrate, migrationStatus } from '../../src/graph/migrations.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { parseStatement, statement } from '../../src/graph/statements.ts'
import { until } from '../faults/harness/scenario.ts'
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

/** A graph that calls a function before or after the commands of a migration. */
function aroundCommands(
  graph: Graph,
  { commands }: Migration,
  happen: { before?: () => Promise<unknown>; after?: () => Promise<unknown> },
): Graph {
  return graphWith(graph, {
    schema: async (given) => {
      const isOfMigration = given === commands
      if (isOfMigration) await happen.before?.()
      await graph.schema(given)
      if (isOfMigration) await happen.after?.()
    },
  })
}

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
const leaveLockBehind = parseStatement(
  'test/leave-lock',
  `// params: $owner $forMs
   MERGE (l:SchemaMigrationLock {key: 'migrations'})
   SET l.owner = $owner, l.leaseUntil = timestamp() + $forMs
   RETURN l.owner AS owner`,
)
const lock = parseStatement('test/lock', 'MATCH (l:SchemaMigrationLock) RETURN l.owner AS owner')
const heldLocks = parseStatement(
  'test/held-locks',
  'MATCH (l:SchemaMigrationLock) WHERE l.owner IS NOT NULL RETURN l.owner AS owner',
)
const lease = parseStatement('test/lease', 'MATCH (l:SchemaMigrationLock) RETURN l.leaseUntil AS until')
const leaseLeft = parseStatement(
  'test/lease-left',
  'MATCH (l:SchemaMigrationLock) WHERE l.leaseUntil IS NOT NULL RETURN l.leaseUntil - timestamp() AS ms',
)
const takeLock = statement('graph/migration-lock')
const releaseLock = statement('graph/migration-unlock')

/** Schema migrations: applied once, in order, one process at a time, never changed afterwards. */
export function migrationsContract(store: StoreUnderTest): void {
  describe('migrations', () => {
    const handles = useGraph(store, 'openUnmigrated')

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
      expect(await handles.graph.read(lock, {})).toEqual([{ owner: null }])
      await other.close()
    })

    test('an embedded graph is migrated without a lock, even if it contains an old one', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine === 'neo4j', 'several processes may have a graph on Neo4j')
      expect(await migrate(graph, { migrations: [first] })).toEqual(['001'])
      expect(await graph.read(lock, {})).toEqual([])
      await graph.write([{ statement: leaveLockBehind, params: { owner: 'killed', forMs: 3_600_000 } }])
      expect(await migrate(graph, { migrations: [first, second] })).toEqual(['002'])
    })

    test.for([
      ['that expired is taken at once', -1],
      ['of a killed process is taken when its lease ends', 500],
    ] as const)('a lock on Neo4j %s', async ([, forMs], { skip }) => {
      const { graph } = handles
      skip(graph.engine === 'embedded', ONE_PROCESS)
      await graph.write([{ statement: leaveLockBehind, params: { owner: 'killed', forMs } }])
      expect(await migrate(graph, { migrations: [first] })).toEqual(['001'])
      expect(await graph.read(lock, {})).toEqual([{ owner: null }])
    })

    test('a migration on Neo4j renews its lock while its commands run', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine === 'embedded', ONE_PROCESS)
      const leaseUntil = async () => Number((await graph.read(lease, {}))[0]?.until)
      const slow = aroundCommands(graph, first, {
        before: async () => {
          const taken = await leaseUntil()
          await until('the lock is renewed', 30_000, async () => (await leaseUntil()) > taken)
        },
      })
      expect(await migrate(slow, { migrations: [first], leaseMs: 600 })).toEqual(['001'])
      expect(await graph.read(lock, {})).toEqual([{ owner: null }])
    })

    test.for([
      ['the given lease', { leaseMs: 60_000 }, 60_000],
      ['the default lease of ten seconds', {}, 10_000],
    ] as const)(
      'a migration on Neo4j that is killed at any moment blocks others until the end of %s',
      async ([, options, leaseMs], { skip }) => {
        const { graph } = handles
        skip(graph.engine === 'embedded', ONE_PROCESS)
        const left: number[] = []
        const look = async () =>
          void left.push(...(await graph.read(leaseLeft, {})).map(({ ms }) => Number(ms)))
        const looking = graphWith(graph, {
          read: async (...asked) => {
            await look()
            return graph.read(...asked)
          },
          schema: async (commands) => {
            await look()
            await graph.schema(commands)
          },
        })
        expect(await migrate(looking, { migrations: [first], ...options })).toEqual(['001'])
        expect(left.length).toBeGreaterThan(1) // also between the start of the lease and its first renewal
        expect(Math.max(...left)).toBeLessThanOrEqual(leaseMs)
      },
    )

    test.for([
      ['still holds', 'another'],
      ['has released', null],
    ] as const)(
      'a migration on Neo4j is not recorded if another process took its lock and %s it',
      async ([, owner], { skip }) => {
        const { graph } = handles
        skip(graph.engine === 'embedded', ONE_PROCESS)
        const lostLock = {
          code: 'store_unavailable',
          message: 'Another process has taken over the migration of the schema.',
        }
        const loseLock = () => graph.write([{ statement: leaveLockBehind, params: { owner, forMs: 60_000 } }])
        const migrations = [first, second]
        const lost = aroundCommands(graph, first, { after: loseLock })
        await expect(migrate(lost, { migrations })).rejects.toMatchObject(lostLock)
        expect(await migrationStatus(graph, migrations)).toEqual({ applied: [], pending: ['001', '002'] })
        expect(await graph.read(lock, {})).toEqual([{ owner }])
      },
    )

    test('a migration on Neo4j does not begin after another process took its lock', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine === 'embedded', ONE_PROCESS)
      await graph.write([{ statement: addWorlds, params: {} }])
      let isTaken = false
      const lost = graphWith(graph, {
        write: async (steps, ...rest) => {
          const answer = await graph.write(steps, ...rest)
          if (!isTaken && steps[0].statement === takeLock)
            await graph.write([{ statement: leaveLockBehind, params: { owner: null, forMs: 0 } }])
          isTaken ||= steps[0].statement === takeLock
          return answer
        },
      })
      await expect(migrate(lost, { migrations: [overWorlds] })).rejects.toMatchObject({
        message: 'Another process has taken over the migration of the schema.',
      })
      expect(await graph.read(changedWorlds, {})).toEqual([{ worlds: 0 }])
    })

    test('another process can neither take nor release a held lock on Neo4j', async ({ skip }) => {
      skip(handles.graph.engine === 'embedded', ONE_PROCESS)
      const { graph } = handles
      const take = (owner: string) =>
        graph.write([
          {
            statement: takeLock,
            params: { owner, token: crypto.randomUUID(), leaseMs: 60_000 },
          },
        ])
      const release = (owner: string) =>
        graph.write([{ statement: releaseLock, params: { owner, token: crypto.randomUUID() } }])
      expect(await take('a')).toEqual([[{ owner: 'a' }]])
      expect(await take('b')).toBeNull()
      expect(await release('b')).toBeNull()
      expect(await take('a')).toEqual([[{ owner: 'a' }]])
      expect(await release('a')).not.toBeNull()
      expect(await take('b')).toEqual([[{ owner: 'b' }]])
    })

    test('a migration that fails is not recorded, and leaves no lock', async () => {
      const { graph } = handles
      const broken = { ...second, commands: ['CREATE NONSENSE'] }
      await expect(migrate(graph, { migrations: [first, broken] })).rejects.toThrow()
      expect(await migrationStatus(graph, [first, second])).toEqual({ applied: ['001'], pending: ['002'] })
      expect(await graph.read(heldLocks, {})).toEqual([])
      expect(await migrate(graph, { migrations: [first, second] })).toEqual(['002'])
    })
  })
}
