// Makes the graph plan the frequent statements before the first request.
import { hasCode } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import type { Graph } from '../graph/port.ts'
import { warmUpAdditions } from '../memory/capture/additions.ts'
import { warmUpCapture } from '../memory/capture/capture.ts'
import { warmUpContext } from '../memory/context/context.ts'
import { warmUpPromises } from '../memory/criteria/promises.ts'
import { warmUpSnapshot } from '../memory/criteria/snapshot.ts'
import { warmUpTurnRuns } from '../runs/turn-run-store.ts'

/**
 * Makes the graph plan the frequent statements without writing data: a Neo4j that has just started takes seconds to plan each,
 * and no caller should wait for that. A time-out means that the graph is still planning. Finished plans are kept, so the next
 * try gets further.
 *
 * @throws `store_unavailable`, or `timeout` if planning takes too long
 */
export async function warmUp(graph: Graph): Promise<void> {
  const all = [warmUpCapture, warmUpAdditions, warmUpContext, warmUpSnapshot, warmUpPromises, warmUpTurnRuns]
  for (const work of all) {
    await retry(() => work(graph), { when: (error) => hasCode(error, 'timeout'), retries: 9 })
  }
}
