import { Neo4jGraph } from '../../src/graph/neo4j.ts'
import { startNeo4j } from '../../tools/neo4j/server.ts'
import { checkGraphShape } from './graph-shape.ts'
import { plannedTurn } from './planned-turn.ts'
import { type Later, type ScenarioOptions, until } from './scenario.ts'
import { sendTurn } from './send.ts'
import { type ServiceProcess, startServiceProcess, temporaryFolder, untilReady } from './service-process.ts'

/** The address of the Neo4j to work on: the one that was given, else one of the scenario's own. */
export async function neo4jFor({ neo4j }: ScenarioOptions, later: Later): Promise<string> {
  if (neo4j !== undefined) return neo4j
  const server = await startNeo4j({ version: 'lts' })
  later(() => server.stop())
  return server.url
}

/** A service on a Neo4j that has planned its statements; it ends with the scenario. */
export async function serviceOnNeo4j(url: string, later: Later): Promise<ServiceProcess> {
  const { folder, remove } = temporaryFolder()
  later(remove)
  const service = await startServiceProcess({ dataFolder: folder, environment: { TURNGRAPH_STORE: url } })
  later(() => service.kill())
  await untilReady(service)
  await warmUp(service)
  return service
}

/** A cold Neo4j plans each statement first, which takes seconds on a busy machine: a time-out that proves nothing. */
async function warmUp({ url, client }: ServiceProcess): Promise<void> {
  const place = { project: 'warm-up', featureId: 'FEAT-1', taskId: `TASK-${url}`, worldSlug: null }
  const ops = [1, 3, 2].map((turn) => ({ turn, revision: 1 }))
  for (const op of [...ops, { turn: 3, revision: 2 }]) {
    await until('a first capture succeeds', 120_000, async () => {
      const { status } = await sendTurn(url, plannedTurn(place, op))
      return status === 201 || status === 200
    })
  }
  for (const role of ['player', 'coach'] as const) {
    const { worldSlug, ...asked } = { ...place, role, currentTurn: 2 }
    await until('a first context is read', 120_000, () =>
      client.loadTurnContinuationContext(asked).catch(() => null),
    )
  }
}

export const graphAt = (url: string): Neo4jGraph =>
  new Neo4jGraph({ url, user: 'neo4j', password: null, database: 'neo4j' })

export async function checkNeo4jShape(url: string): ReturnType<typeof checkGraphShape> {
  const graph = graphAt(url)
  try {
    return await checkGraphShape(graph)
  } finally {
    await graph.close()
  }
}
