import { migrate } from '../../../src/graph/migrations.ts'
import { Neo4jGraph } from '../../../src/graph/neo4j.ts'
import { warmUp, warmUpRest } from '../../../src/operations/warm-up.ts'
import { startTestNeo4j } from '../../support/test-neo4j.ts'
import { checkGraphShape } from './graph-shape.ts'
import type { Later, ScenarioOptions } from './scenario.ts'
import { folderOfScenario, type ServiceProcess, startServiceProcess, untilReady } from './service-process.ts'

/** Returns the address of a Neo4j: the given one, or a new server of the scenario. */
export async function neo4jFor({ neo4j }: ScenarioOptions, later: Later): Promise<string> {
  if (neo4j !== undefined) return neo4j
  const server = await startTestNeo4j({ version: 'lts' })
  later(() => server.stop())
  return server.url
}

/** Starts a ready service on a Neo4j, with all statements planned; it ends with the scenario. */
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
 * A new Neo4j plans each statement first, which takes seconds on a busy machine and would cause time-outs
 * that prove nothing. This function creates the schema (a later change would invalidate the plans) and plans
 * the statements of captures and contexts.
 */
export async function planStatements(url: string, password: string | null = null): Promise<void> {
  const graph = graphAt(url, password)
  try {
    await migrate(graph)
    await warmUp(graph)
    await warmUpRest(graph)
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
