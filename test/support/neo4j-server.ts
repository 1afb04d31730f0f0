import type { TestProject } from 'vitest/node'
import { neo4jAvailability } from '../../tools/neo4j/distribution.ts'
import type { Neo4jVersion } from '../../tools/neo4j/releases.ts'
import { planStatements } from '../faults/harness/on-neo4j.ts'
import { startBriefNeo4j, startTestNeo4j } from './test-neo4j.ts'

/** The address of the Neo4j for the tests of a vitest project, or the reason why it is missing. */
export type Neo4jForTests = { version: Neo4jVersion } & ({ url: string } | { reason: string })

declare module 'vitest' {
  interface ProvidedContext {
    neo4j: Neo4jForTests
  }
}

/**
 * Each test empties the graph, which the planner takes for a complete change: it would plan every statement
 * again ten seconds later, again when the statement is frequent, and for each length of each text (0, 1, to
 * 10, to 100 ...). These settings save a fifth of the total time.
 */
const PLANS_ONCE = {
  'dbms.cypher.min_replan_interval': '24h',
  'internal.cypher.expression_recompilation_limit': '1000000',
  'internal.cypher.use_parameter_size': 'false',
  'db.index_sampling.background_enabled': 'false',
}

/** Starts the vitest project's Neo4j once for all its files, if this machine can run it. */
export default async function setup({
  name,
  provide,
}: TestProject): Promise<(() => Promise<void>) | undefined> {
  const version = name === 'neo4j-current' ? 'current' : 'lts'
  const reason = whyNoNeo4j(version)
  if (reason !== null) {
    console.log(`Left out: all suites on Neo4j ${version}. ${reason}.`)
    provide('neo4j', { version, reason })
    return
  }
  // The suites of the current version take about a minute.
  const start = version === 'current' ? startBriefNeo4j : startTestNeo4j
  const server = await start({ version, settings: PLANS_ONCE })
  try {
    await planStatements(server.url)
  } catch (error) {
    await server.stop()
    throw error
  }
  provide('neo4j', { version, url: server.url })
  return () => server.stop()
}

/**
 * Returns the reason why there is no Neo4j, or null. `TURNGRAPH_TEST_NEO4J=off` is for quick test runs during
 * work.
 */
export function whyNoNeo4j(version: Neo4jVersion): string | null {
  if (process.env.TURNGRAPH_TEST_NEO4J === 'off') return 'TURNGRAPH_TEST_NEO4J is off'
  const availability = neo4jAvailability(version)
  return availability.available ? null : availability.reason
}
