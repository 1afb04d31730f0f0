import neo4j from 'neo4j-driver'
import type { TestProject } from 'vitest/node'
import { loadMigrations } from '../../src/graph/migrations.ts'
import { allStatements } from '../../src/graph/statements.ts'
import { neo4jAvailability } from '../../tools/neo4j/distribution.ts'
import type { Neo4jVersion } from '../../tools/neo4j/releases.ts'
import { type Neo4jServer, startNeo4j } from '../../tools/neo4j/server.ts'

/** Where the tests reach a Neo4j of a version, or why they cannot. */
export type Neo4jForTests = { url: string } | { reason: string }

declare module 'vitest' {
  interface ProvidedContext {
    neo4j: Record<Neo4jVersion, Neo4jForTests>
  }
}

/** Starts both versions of Neo4j once for the whole run, where this machine can run them. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const servers: Neo4jServer[] = []
  const serve = async (version: Neo4jVersion): Promise<Neo4jForTests> => {
    const reason = whyNot(version)
    if (reason !== null) {
      console.log(`Left out: all suites on Neo4j ${version}. ${reason}.`)
      return { reason }
    }
    const server = await startNeo4j({ version })
    servers.push(server)
    await warmUp(server.url)
    return { url: server.url }
  }
  const stopAll = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  try {
    const [lts, current] = await Promise.all([serve('lts'), serve('current')])
    provide('neo4j', { lts, current })
  } catch (error) {
    await stopAll()
    throw error
  }
  return stopAll
}

/**
 * A server that has just started plans its first statements for seconds each, beyond the deadline of the
 * port. So the driver runs the migrations and plans every statement, without a deadline.
 */
async function warmUp(url: string): Promise<void> {
  const driver = neo4j.driver(url)
  try {
    for (const { commands } of loadMigrations())
      for (const command of commands) await driver.executeQuery(command)
    for (const { text, params } of allStatements()) {
      const values = Object.fromEntries(
        params.map((param) => [param, param === 'limit' ? neo4j.int(1) : null]),
      )
      await driver.executeQuery(`EXPLAIN ${text}`, values)
    }
  } finally {
    await driver.close()
  }
}

/** `TURNGRAPH_TEST_NEO4J=off` is for quick rounds while one works on something. */
function whyNot(version: Neo4jVersion): string | null {
  if (process.env.TURNGRAPH_TEST_NEO4J === 'off') return 'TURNGRAPH_TEST_NEO4J is off'
  const availability = neo4jAvailability(version)
  return availability.available ? null : availability.reason
}
