import neo4j from 'neo4j-driver'
import { describe, inject, test } from 'vitest'
import { TurngraphError } from '../../src/core/errors.ts'
import { migrate, migrationStatus } from '../../src/graph/migrations.ts'
import { Neo4jGraph } from '../../src/graph/neo4j.ts'
import type { Graph } from '../../src/graph/port.ts'
import type { Neo4jVersion } from '../../tools/neo4j/releases.ts'
import type { StoreUnderTest } from '../contract/store.ts'
import type { Engine } from './embedded-engines.ts'
import { type Neo4jForTests, whyNoNeo4j } from './neo4j-server.ts'

export { type Engine, memory, shuffled } from './embedded-engines.ts'

const onNeo4j = (name: string, version: Neo4jVersion): Engine => {
  const server = serverOf(version)
  const graphAt = (): Graph =>
    new Neo4jGraph({ url: neo4jUrl(version), user: 'neo4j', password: null, database: 'neo4j' })
  // Creating the schema again for hundreds of tests would take minutes: it stays as long as it is ours.
  let hasOurSchema: boolean | null = null
  const sweep = async (keepSchema: boolean) => {
    await sweepDatabase(neo4jUrl(version), keepSchema)
    hasOurSchema = keepSchema
  }
  const findsOurSchema = async (): Promise<boolean> => {
    const graph = graphAt()
    try {
      return (await migrationStatus(graph)).pending.length === 0
    } catch (error) {
      if (error instanceof TurngraphError) return false // a schema that a test of migrations left
      throw error
    } finally {
      await graph.close()
    }
  }
  return {
    name,
    reason: 'reason' in server ? server.reason : null,
    async openUnmigrated() {
      await sweep(false)
      return graphAt()
    },
    async open() {
      const isMigrated = hasOurSchema ?? (await findsOurSchema())
      await sweep(isMigrated)
      const graph = graphAt()
      if (!isMigrated) await migrate(graph)
      hasOurSchema = true
      return graph
    },
    beside: async () => graphAt(),
  }
}

/** Returns the server of this vitest project: the name of the project says which version it has. */
const serverOf = (version: Neo4jVersion): Neo4jForTests => {
  const given: Neo4jForTests | undefined = inject('neo4j')
  return given?.version === version
    ? given
    : { version, reason: `the name of this file asks for no Neo4j ${version}` }
}

export function neo4jUrl(version: Neo4jVersion): string {
  const server = serverOf(version)
  if ('reason' in server) throw new Error(server.reason)
  return server.url
}

/** Empties the database without the port, so that no test depends on the code under test. */
async function sweepDatabase(url: string, keepSchema: boolean): Promise<void> {
  const driver = neo4j.driver(url)
  try {
    if (keepSchema) {
      await driver.executeQuery(
        'MATCH (n) WHERE NOT n:SchemaMigration AND NOT n:SchemaMigrationLock DETACH DELETE n',
      )
      return
    }
    await driver.executeQuery('MATCH (n) DETACH DELETE n')
    const { records } = await driver.executeQuery('SHOW CONSTRAINTS YIELD name')
    for (const record of records) await driver.executeQuery(`DROP CONSTRAINT ${record.get('name')}`)
  } finally {
    await driver.close()
  }
}

export const neo4jLts = onNeo4j('Neo4j 5.26', 'lts')
export const neo4jCurrent = onNeo4j('Neo4j 2026.05', 'current')

/** Chooses the engines of this vitest project, for a file that two projects run (vitest.config.ts). */
export const enginesHere = (engines: readonly Engine[]): Engine[] => {
  const isOnNeo4j = inject('neo4j') !== undefined
  return engines.filter((engine) => isOnNeo4j === (engine === neo4jLts))
}

/** Declares suites on an engine. If it is missing, they are skipped, or fail under REQUIRE_NEO4J=1. */
export const describeOn = (engine: Engine, suites: (store: StoreUnderTest) => void): void =>
  describeUnless(engine.reason, engine.name, () => suites(engine))

/** Declares suites that start, kill and restart their own server. */
export const describeOnOwnNeo4j = (version: Neo4jVersion, suites: () => void): void =>
  describeUnless(whyNoNeo4j(version), `a Neo4j ${version} of its own`, suites)

function describeUnless(reason: string | null, name: string, suites: () => void): void {
  if (reason !== null && process.env.REQUIRE_NEO4J === '1') {
    test(`${name} runs here`, () => {
      throw new Error(`REQUIRE_NEO4J=1, but ${reason}`)
    })
    return
  }
  describe.skipIf(reason !== null)(name, suites)
}
