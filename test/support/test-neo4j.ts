import { type Neo4jOptions, type Neo4jServer, startNeo4j } from '../../tools/neo4j/server.ts'

/**
 * A Neo4j that lives for a suite, in which planning is two thirds of the work and compiling the planner half of the rest.
 * It compiles later, and less into one another: a sixth less of all. (Four times as late is a tenth less on a machine that does
 * nothing else, and a tenth more beside other suites.)
 */
const COMPILES_LESS = [
  '-XX:Tier4InvocationThreshold=10000',
  '-XX:Tier4CompileThreshold=30000',
  '-XX:InlineSmallCode=1000',
  '-XX:FreqInlineSize=120',
  '-XX:MaxInlineLevel=9',
  '-XX:-DoEscapeAnalysis',
]

/** One that is killed in its first minute: what its second compiler makes would never pay. A fifth less of all. */
const COMPILES_ONCE = ['-XX:TieredStopAtLevel=1']

export const startTestNeo4j = (options: Neo4jOptions): Promise<Neo4jServer> =>
  startNeo4j({ ...options, jvmFlags: COMPILES_LESS })

export const startBriefNeo4j = (options: Neo4jOptions): Promise<Neo4jServer> =>
  startNeo4j({ ...options, jvmFlags: COMPILES_ONCE })
