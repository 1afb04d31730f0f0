// Makes the graph plan the frequent statements before the first request.
import { withDeadlines } from '../graph/deadline.ts'
import { type Graph, PLAN_MS } from '../graph/port.ts'
import { warmUpAdditions } from '../memory/capture/additions.ts'
import { warmUpCapture, warmUpChanges } from '../memory/capture/capture.ts'
import { warmUpContext, warmUpContextDetails } from '../memory/context/context.ts'
import { warmUpPromises } from '../memory/criteria/promises.ts'
import { warmUpSnapshot } from '../memory/criteria/snapshot.ts'
import { warmUpTurnRuns } from '../runs/turn-run-store.ts'

/**
 * Makes the graph plan the statements of captures and contexts without writing data: a Neo4j that has just started takes
 * seconds to plan each, and no caller should wait for that. Neo4j plans two statements at the same time.
 *
 * @throws `store_unavailable`, or `timeout` if planning takes too long
 */
export async function warmUp(graph: Graph): Promise<void> {
  const patient = withTimeToPlan(graph)
  const runAll = () => Promise.all([warmUpCapture(patient), warmUpContext(patient)])
  await runAll()
  // The second run sends each text with `CYPHER replan=skip`. Neo4j parses this text once, and requests would wait for that.
  if (graph.engine === 'neo4j') await runAll()
}

/** Makes the graph plan further statements, one at a time, while the service already answers. */
export async function warmUpRest(graph: Graph): Promise<void> {
  const patient = withTimeToPlan(graph)
  const all = [warmUpSnapshot, warmUpPromises, warmUpTurnRuns, warmUpAdditions, warmUpChanges]
  for (const work of [...all, warmUpContextDetails]) await work(patient)
}

/** Returns the same graph with a time limit that is sufficient for planning. */
const withTimeToPlan = (graph: Graph): Graph => withDeadlines(graph, () => performance.now() + PLAN_MS)
