import type { TestProject } from 'vitest/node'
import { neo4jAvailability } from '../../tools/neo4j/distribution.ts'
import type { Neo4jVersion } from '../../tools/neo4j/releases.ts'
import type { Neo4jServer } from '../../tools/neo4j/server.ts'
import { planStatements } from '../chaos/on-neo4j.ts'
import { startTestNeo4j } from './test-neo4j.ts'

/** Where the tests reach a Neo4j of a version, or why they cannot. */
export type Neo4jForTests = { url: string } | { reason: string }

declare module 'vitest' {
  interface ProvidedContext {
    neo4j: Record<Neo4jVersion, Neo4jForTests>
  }
}

/**
 * Each test empties the graph, and to the planner all has changed: it would plan every statement anew ten seconds later, and
 * once more when it is run often, and for each length of each text (0, 1, to 10, to 100 ...). With these, a fifth less of all.
 */
const PLANS_ONCE = {
  'dbms.cypher.min_replan_interval': '24h',
  'internal.cypher.expression_recompilation_limit': '1000000',
  'internal.cypher.use_parameter_size': 'false',
  'db.index_sampling.background_enabled': 'false',
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
    const server = await startTestNeo4j({ version, settings: PLANS_ONCE })
    servers.push(server)
    await planStatements(server.url)
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

/** `TURNGRAPH_TEST_NEO4J=off` is for quick rounds while one works on something. */
function whyNot(version: Neo4jVersion): string | null {
  if (process.env.TURNGRAPH_TEST_NEO4J === 'off') return 'TURNGRAPH_TEST_NEO4J is off'
  const availability = neo4jAvailability(version)
  return availability.available ? null : availability.reason
}
