// Lets the graph plan the hot statements before anybody waits for them.
import { hasCode } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import type { Graph } from '../graph/port.ts'
import { warmUpCapture } from '../memory/capture/capture.ts'
import { warmUpContext } from '../memory/context/context.ts'
import { warmUpPromises } from '../memory/criteria/promises.ts'
import { warmUpSnapshot } from '../memory/criteria/snapshot.ts'
import { warmUpTurnRuns } from '../runs/turn-run-store.ts'

/**
 * Has the graph plan the hot statements, without writing anything: a Neo4j that has just started takes seconds
 * to plan each for the first time, and no caller should wait for that. A time-out on the way means that it still
 * plans, not that it is away; what is planned stays planned, so the next try gets further.
 *
 * @throws `store_unavailable`, or `timeout` where it does not get there
 */
export async function warmUp(graph: Graph): Promise<void> {
  for (const work of [warmUpCapture, warmUpContext, warmUpSnapshot, warmUpPromises, warmUpTurnRuns]) {
    await retry(() => work(graph), { when: (error) => hasCode(error, 'timeout'), retries: 9 })
  }
}
