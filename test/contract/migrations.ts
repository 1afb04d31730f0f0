import { describe, expect, test } from 'vitest'
import { loadMigrations, type Migration, migrate, migrationStatus } from '../../src/graph/migrations.ts'
import { type Graph, graphWith } from '../../src/graph/port.ts'
import { parseStatement, statement } from '../../src/graph/statements.ts'
import { warmUp } from '../../src/operations/warm-up.ts'
import { until } from '../faults/harness/scenario.ts'
import { fillHealthy, runThroughOperations } from '../support/healthy-graph.ts'
import { aTurn, clientOf } from '../support/records.ts'
import { send, sessionOf, turn } from '../support/transcript-import.ts'
import { fillWithEverything } from '../support/whole-graph.ts'
import { linesOf } from '../support/written-transcript.ts'
import { findingsOf } from './doctor.ts'
import { checkProjects, removeProjects } from './project-of-nodes.ts'
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
  version: '000', // the name of its statement must be unique, and test/integration has one with version 001
  description: 'change the worlds',
  checksum: 'checksum of the change',
  commands: [
    'UNWIND $worldKeys AS key MATCH (w:World {key: key}) SET w.isChanged = true RETURN count(*) AS changed',
  ],
}

const twoCommands: Migration = {
  ...overWorlds,
  description: 'a constraint, then the worlds',
  checksum: 'checksum of both',
  commands: [...first.commands, ...overWorlds.commands],
}

/** A busy Neo4j plans the statements of a service for half a minute, twice in a test. */
const PLANNED = { timeout: 300_000 }

/** Applies the migrations before this one, and warms the graph up like a service at its start. */
async function migrateBefore(next: string, graph: Graph): Promise<void> {
  await migrate(graph, { migrations: loadMigrations().filter(({ version }) => version < next) })
  await warmUp(graph)
}

/** A graph that calls a function before the first command of a migration. */
function beforeCommand(graph: Graph, { commands }: Migration, happen: () => Promise<unknown>): Graph {
  let done = false
  const once = async () => {
    if (!done) await happen()
    done = true
  }
  return graphWith(graph, {
    schema: async (command) => {
      if (commands.includes(command)) await once()
      await graph.schema(command)
    },
    write: async (steps, ...rest) => {
      if (steps.some(({ statement }) => commands.some((command) => statement.text.includes(command))))
        await once()
      return graph.write(steps, ...rest)
    },
  })
}

const transcribed = parseStatement(
  'test/turns-with-sessions',
  'MATCH (t:Turn)-[:TRANSCRIBED_IN]->(s:TranscriptSession) RETURN t.number AS turn, s.id AS session ORDER BY turn, session',
)
const withoutWorktrees = parseStatement(
  'test/without-worktrees',
  `MATCH (s:TranscriptSession)
   CALL (s) { MATCH (s)<-[r:TRANSCRIBED_IN]-(:Turn) DELETE r }
   SET s.worktreeKey = null
   RETURN count(s) AS sessions`,
)
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
const lease = parseStatement('test/lease', 'MATCH (l:SchemaMigrationLock) RETURN l.leaseUntil AS until')
const leaseLeft = parseStatement(
  'test/lease-left',
  'MATCH (l:SchemaMigrationLock) WHERE l.leaseUntil IS NOT NULL RETURN l.leaseUntil - timestamp() AS ms',
)
const withTurnCount = parseStatement(
  'test/with-turn-count',
  'MATCH (r:TurnRun) SET r.turnCount = r.requestedTurnCount RETURN count(r) AS runs',
)
const withoutLastActivity = parseStatement(
  'test/without-last-activity',
  'MATCH (w:World) REMOVE w.lastActivityAt RETURN count(w) AS worlds',
)
const turnRuns = parseStatement(
  'test/turn-runs',
  'MATCH (r:TurnRun) RETURN properties(r) AS run ORDER BY r.key',
)
const files = parseStatement(
  'test/files',
  'MATCH (f:File)<-[:TOUCHED]-(t:Turn) RETURN f.key AS key, f.path AS path, t.key AS turn ORDER BY f.key, t.key',
)
const withoutFiles = parseStatement(
  'test/without-files',
  'MATCH (f:File) DETACH DELETE f RETURN count(*) AS gone',
)
const topics = parseStatement(
  'test/topics',
  `MATCH (x:Topic) RETURN count(x) AS found
   UNION ALL
   MATCH (t:Turn) WHERE t.topics IS NOT NULL RETURN count(t) AS found`,
)
const takeLock = statement('graph/migration-lock')
const releaseLock = statement('graph/migration-unlock')

/** Schema migrations: applied once, in order, one process at a time, never changed afterwards. */
export function migrationsContract(store: StoreUnderTest): void {
  describe('migrations', PLANNED, () => {
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

    test('a graph of a newer version of Turngraph is rejected', async () => {
      const { graph } = handles
      await migrate(graph, { migrations: [first, second] })
      const refusal = { code: 'store_unavailable', message: expect.stringContaining('V002') }
      await expect(migrate(graph, { migrations: [first] })).rejects.toMatchObject(refusal)
    })

    test('a migration removes an undeclared field from turn runs, and nothing more', async () => {
      const { graph } = handles
      await migrateBefore('004', graph)
      await runThroughOperations(graph)
      const before = await graph.read(turnRuns, {})
      // The earlier form of `run start w --turns 1 --max-attempts 3`: it has the request's `turnCount`, too.
      await graph.write([{ statement: withTurnCount, params: {} }])
      const checks = new Set((await findingsOf(graph)).map(({ check }) => check))
      // A database under test keeps the schema of later migrations.
      for (const later of ['index_missing', 'constraint_missing'] as const) checks.delete(later)
      expect(checks).toEqual(new Set(['migration_pending', 'record_invalid']))
      await migrate(graph)
      expect(await findingsOf(graph)).toEqual([])
      expect(await graph.read(turnRuns, {})).toEqual(before)
    })

    test('worlds that were stored without their last activity are listed in its order after the migration', async () => {
      const { graph } = handles
      await migrateBefore('006', graph)
      const client = clientOf(graph)
      const of = { featureId: 'FEAT-1', playerSummary: 'Done', turnNumber: 1 }
      await client.captureTurnState({ ...of, taskId: 'TASK-A', completedAt: '2026-01-02T00:00:00Z' })
      await client.captureTurnState({ ...of, taskId: 'TASK-B', completedAt: '2026-01-01T00:00:00Z' })
      await client.createWorld({ featureId: 'FEAT-1', taskId: 'TASK-C' })
      const list = async () => (await client.listWorlds({ order: 'last_activity' })).items
      const before = await list()
      expect(before.map(({ worldSlug }) => worldSlug)).toEqual(['TASK-C', 'TASK-A', 'TASK-B'])
      await graph.write([{ statement: withoutLastActivity, params: {} }])
      await migrate(graph)
      expect(await list()).toEqual(before)
      expect(await findingsOf(graph)).toEqual([])
    })

    test('a migration creates the files of older turns, as if these were captured now, and deletes topics', async () => {
      const { graph } = handles
      await migrateBefore('011', graph)
      await fillHealthy(graph)
      for (let i = 0; i < 30; i++)
        await clientOf(graph).captureTurnState({
          featureId: 'FEAT/1 %',
          taskId: `TASK-${i}`,
          turnNumber: 1,
          playerSummary: 'Done',
          filesModified: [
            ...['/w/.guardkit/worktrees/TASK-1/src/w.ts', 'src/a.ts', './src/b%.ts', '/etc/passwd'],
            ...['src/a.ts', 'x'.repeat(1_001), `src/${i % 3}.ts`],
          ],
          lessonsFromTurn: i % 5 === 0 ? [] : ['Await it'],
          gates: { 'a/b': 'failed', c: 'passed' },
          issues: [{ severity: 'blocking', description: 'The test fails' }],
        })
      const captured = await graph.read(files, {})
      expect(captured.length).toBeGreaterThan(4 * 30 - 1)
      await graph.write([{ statement: withoutFiles, params: {} }])
      await migrate(graph, { migrations: loadMigrations().filter(({ version }) => version < '015') })
      expect((await graph.read(topics, {})).map(({ found }) => Number(found) > 10)).toEqual([true, true])
      await migrate(graph)
      expect(await graph.read(files, {})).toEqual(captured)
      expect(await graph.read(topics, {})).toEqual([{ found: 0 }, { found: 0 }])
      expect(await findingsOf(graph)).toEqual([])
    })

    test('a migration links turns to the transcripts of their worktree that were imported before them', async () => {
      const { graph } = handles
      await migrateBefore('014', graph)
      const client = clientOf(graph)
      const worked = (cwd: string) => linesOf(turn('t', ['Read'], { from: 60 }).map((r) => ({ ...r, cwd })))
      await send(client, sessionOf(1), worked('/srv/.guardkit/worktrees/TASK 1%/src'))
      await send(client, sessionOf(2), worked('/srv/worktrees/TASK 1%'))
      const ends = ['2026-01-02T00:00:30Z', '2026-01-02T00:01:30Z', '2026-01-02T00:02:30Z']
      for (const [i, completedAt] of ends.entries())
        await client.captureTurnState(aTurn(i + 1, { taskId: 'TASK 1%', completedAt }))
      const links = () => graph.read(transcribed, {})
      const captured = await links()
      expect(captured).toEqual([{ turn: 2, session: sessionOf(1) }])
      await graph.write([{ statement: withoutWorktrees, params: {} }])
      expect(await links()).toEqual([])
      await migrate(graph)
      expect(await links()).toEqual(captured)
      expect(await findingsOf(graph)).toEqual([])
    })

    test('a migration sets the project of nodes that were stored without it', async () => {
      const { graph } = handles
      await migrateBefore('016', graph)
      await fillWithEverything(graph)
      const captured = await checkProjects(graph)
      await removeProjects(graph)
      await migrate(graph)
      expect(await checkProjects(graph)).toEqual(captured)
      expect(await findingsOf(graph)).toEqual([])
    })

    test('two processes that migrate in parallel apply each migration once', async () => {
      const other = await handles.open(() => store.beside(handles.graph))
      const migrations = [first, second, third]
      const answers = await Promise.all([
        migrate(handles.graph, { migrations }),
        migrate(other, { migrations }),
      ])
      expect(answers.flat().sort()).toEqual(['001', '002', '003'])
      expect(await handles.graph.read(links, {})).toHaveLength(2)
      expect(await handles.graph.read(lock, {})).toEqual([{ owner: null }])
      if (other !== handles.graph) await other.close()
    })

    test('the lock of a dead process expires', async () => {
      const { graph } = handles
      await graph.write([{ statement: leaveLockBehind, params: { owner: 'dead', forMs: -1 } }])
      expect(await migrate(graph, { migrations: [first] })).toEqual(['001'])
      expect(await graph.read(lock, {})).toEqual([{ owner: null }])
    })

    test('the lock of a killed migration is taken immediately on the embedded graph, and on Neo4j when its lease ends', async () => {
      const { graph } = handles
      const forMs = graph.engine === 'embedded' ? 3_600_000 : 500
      await graph.write([{ statement: leaveLockBehind, params: { owner: 'killed', forMs } }])
      expect(await migrate(graph, { migrations: [first] })).toEqual(['001'])
      expect(await graph.read(lock, {})).toEqual([{ owner: null }])
    })

    test('a migration on Neo4j renews its lock while a command takes long', async ({ skip }) => {
      const { graph } = handles
      skip(graph.engine === 'embedded', 'one process at a time has an embedded graph')
      const leaseUntil = async () => Number((await graph.read(lease, {}))[0]?.until)
      const slow = beforeCommand(graph, first, async () => {
        const taken = await leaseUntil()
        await until('the lock is renewed', 30_000, async () => (await leaseUntil()) > taken)
      })
      expect(await migrate(slow, { migrations: [first], leaseMs: 600 })).toEqual(['001'])
      expect(await graph.read(lock, {})).toEqual([{ owner: null }])
    })

    test.each([
      ['of the lease that it is given', { leaseMs: 60_000 }, 60_000],
      ['of ten seconds, as others are told', {}, 10_000],
    ])(
      'a migration that is killed at any moment keeps its lock until the end %s',
      async (_, options, leaseMs) => {
        const { graph } = handles
        const left: number[] = []
        const look = async () =>
          void left.push(...(await graph.read(leaseLeft, {})).map(({ ms }) => Number(ms)))
        const looking = graphWith(graph, {
          read: async (...asked) => {
            await look()
            return graph.read(...asked)
          },
          schema: async (command) => {
            await look()
            await graph.schema(command)
          },
        })
        expect(await migrate(looking, { migrations: [first], ...options })).toEqual(['001'])
        expect(left.length).toBeGreaterThan(1) // also between the start of the lease and its first renewal
        expect(Math.max(...left)).toBeLessThanOrEqual(leaseMs)
      },
    )

    test.for([
      ['still holds', 'another', first],
      ['has released', null, first],
      ['took while it changed worlds, and has released', null, overWorlds],
      ['took before its second command, and has released', null, twoCommands],
    ] as const)(
      'a migration on Neo4j ends at a lock that another process %s',
      async ([, owner, broken], { skip }) => {
        const { graph } = handles
        skip(graph.engine === 'embedded', 'one process at a time has an embedded graph')
        await graph.write([{ statement: addWorlds, params: {} }])
        const stopped = beforeCommand(graph, broken, () =>
          graph.write([{ statement: leaveLockBehind, params: { owner, forMs: 60_000 } }]),
        )
        await expect(migrate(stopped, { migrations: [broken, second] })).rejects.toMatchObject({
          code: 'store_unavailable',
          message: 'Another process has taken over the migration of the schema.',
        })
        // The statement that was running has ended, and no later one ran.
        const { applied, pending } = await migrationStatus(graph, [broken, second])
        expect([applied, pending]).toEqual([[], [broken.version, '002']])
        expect(await graph.read(lock, {})).toEqual([{ owner }])
        expect((await graph.read(changedWorlds, {}))[0]).toEqual({ worlds: broken === overWorlds ? 20 : 0 })
      },
    )

    test('another process can neither take nor release a held lock', async () => {
      const { graph } = handles
      const take = (owner: string) =>
        graph.write([
          {
            statement: takeLock,
            params: { owner, process: null, token: crypto.randomUUID(), leaseMs: 60_000 },
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

    test('a migration that fails is not recorded, and releases the lock', async () => {
      const { graph } = handles
      const broken = { ...second, commands: ['CREATE NONSENSE'] }
      await expect(migrate(graph, { migrations: [first, broken] })).rejects.toThrow()
      expect(await migrationStatus(graph, [first, second])).toEqual({ applied: ['001'], pending: ['002'] })
      expect(await graph.read(lock, {})).toEqual([{ owner: null }])
      expect(await migrate(graph, { migrations: [first, second] })).toEqual(['002'])
    })
  })
}
