import { type Neo4jOptions, type Neo4jServer, startNeo4j } from '../../tools/neo4j/server.ts'

/**
 * A Neo4j that lives for a suite, in which planning is two thirds of the work and compiling the planner half of the rest.
 * It compiles later, and less into one another: a sixth less of all.
 */
const COMPILES_LESS = [
  '-XX:Tier4InvocationThreshold=10000',
  '-XX:Tier4CompileThreshold=30000',
  '-XX:InlineSmallCode=1000',
  '-XX:FreqInlineSize=120',
  '-XX:MaxInlineLevel=9',
  '-XX:-DoEscapeAnalysis',
]

/**
 * Each test empties the graph, and to the planner all has changed: it would plan every statement anew ten seconds later, and
 * once more when it is run often. With these, a tenth less of all.
 */
const PLANS_ONCE = {
  'dbms.cypher.min_replan_interval': '24h',
  'internal.cypher.expression_recompilation_limit': '1000000',
  'db.index_sampling.background_enabled': 'false',
}

export const startTestNeo4j = (options: Neo4jOptions): Promise<Neo4jServer> =>
  startNeo4j({ ...options, settings: { ...PLANS_ONCE, ...options.settings }, jvmFlags: COMPILES_LESS })
