import { type Neo4jOptions, type Neo4jServer, startNeo4j } from '../../tools/neo4j/server.ts'

/**
 * Flags for a Neo4j of one suite, in which planning is two thirds of the work and compiling the planner half
 * of the rest. The JVM compiles later and inlines less: a sixth less of the total time. (Compiling four times
 * as late saves a tenth on a machine without other work, and costs a tenth if other suites run at the same
 * time.)
 */
const COMPILES_LESS = [
  '-XX:Tier4InvocationThreshold=10000',
  '-XX:Tier4CompileThreshold=30000',
  '-XX:InlineSmallCode=1000',
  '-XX:FreqInlineSize=120',
  '-XX:MaxInlineLevel=9',
  '-XX:-DoEscapeAnalysis',
]

/** Flags for a server that runs less than a minute. Without the second compiler it saves a fifth of the time. */
const COMPILES_ONCE = ['-XX:TieredStopAtLevel=1']

export const startTestNeo4j = (options: Neo4jOptions): Promise<Neo4jServer> =>
  startNeo4j({ ...options, jvmFlags: COMPILES_LESS })

export const startBriefNeo4j = (options: Neo4jOptions): Promise<Neo4jServer> =>
  startNeo4j({ ...options, jvmFlags: COMPILES_ONCE })
