import { migrate } from '../../../src/graph/migrations.ts'
import { Neo4jGraph } from '../../../src/graph/neo4j.ts'
import { warmUp } from '../../../src/operations/warm-up.ts'
import { startTestNeo4j } from '../../support/test-neo4j.ts'
import { checkGraphShape } from './graph-shape.ts'
import type { Later, ScenarioOptions } from './scenario.ts'
import { folderOfScenario, type ServiceProcess, startServiceProcess, untilReady } from './service-process.ts'

/** The address of the Neo4j to work on: the one that was given, else one of the scenario's own. */
export async function neo4jFor({ neo4j }: ScenarioOptions, later: Later): Promise<string> {
  if (neo4j !== undefined) return neo4j
  const server = await startTestNeo4j({ version: 'lts' })
  later(() => server.stop())
  return server.url
}

/** A service on a Neo4j, ready, all statements planned; it ends with the scenario. */
export async function serviceOnNeo4j(
  url: string,
  later: Later,
  password: string | null = null,
): Promise<ServiceProcess> {
  const folder = folderOfScenario(later)
  const environment = {
    TURNGRAPH_STORE: url,
    ...(password !== null && { TURNGRAPH_NEO4J_PASSWORD: password }),
  }
  const service = await startServiceProcess({ dataFolder: folder, environment })
  later(() => service.kill())
  await untilReady(service)
  await planStatements(url, password)
  return service
}

/**
 * A Neo4j that has just started plans each statement first, for seconds on a busy machine: time-outs that would
 * prove nothing. This makes the schema (a later change of it would void the plans) and plans what captures and
 * contexts run.
 */
export async function planStatements(url: string, password: string | null = null): Promise<void> {
  const graph = graphAt(url, password)
  try {
    await migrate(graph)
    await warmUp(graph)
  } finally {
    await graph.close()
  }
}

export const graphAt = (url: string, password: string | null = null): Neo4jGraph =>
  new Neo4jGraph({ url, user: 'neo4j', password, database: 'neo4j' })

export async function checkNeo4jShape(
  url: string,
  password: string | null = null,
): ReturnType<typeof checkGraphShape> {
  const graph = graphAt(url, password)
  try {
    return await checkGraphShape(graph)
  } finally {
    await graph.close()
  }
}
