/** Claims the open attempt of a world for a worker, or waits for one. */
import { hasCode } from '../core/errors.ts'
import { joinSignals } from '../core/join-signals.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import type { Graph } from '../graph/port.ts'
import { getWorld } from '../memory/worlds/worlds.ts'
import { type Attempt, EXTERNAL } from '../runs/record.ts'
import { refuseTooManyReaders } from './events.ts'
import type { Call } from './operation.ts'

export type NextRequest = { project: string; worldSlug: string; workerId: string; waitMs: number }

/**
 * Claims the attempt of a world that no worker has, or that this worker has claimed before. Waits up to `waitMs` for one; an
 * event of the world, not a poll, ends the wait.
 *
 * @returns null if there was none, if the caller has gone, or if the service ends
 * @throws `unknown_world`, `world_deleted`, `store_unavailable`
 */
export async function takeNextAttempt(
  graph: Graph,
  { waitMs, ...request }: NextRequest,
  { runs, feed, maxReaders, signal }: Call,
): Promise<Attempt | null> {
  if (waitMs === 0) return takeOpenAttempt(graph, request, runs)
  refuseTooManyReaders({ feed, maxReaders })
  // The first batch arrives at once, after the feed began to follow changes, so that no new attempt is missed.
  for await (const _batch of feed.read(request, 'now', joinSignals(signal, AbortSignal.timeout(waitMs)))) {
    if (signal?.aborted) break // the worker has disconnected
    const taken = await takeOpenAttempt(graph, request, runs)
    if (taken !== null) return taken
  }
  return null
}

async function takeOpenAttempt(
  graph: Graph,
  { project, worldSlug, workerId }: Omit<NextRequest, 'waitMs'>,
  { store }: Call['runs'],
): Promise<Attempt | null> {
  const { activeAttemptId } = await getWorld(graph, project, worldSlug)
  if (activeAttemptId === null) return null
  try {
    const attempt = await store.getAttempt({ project, attemptId: activeAttemptId })
    if (attempt.executor !== EXTERNAL) return null
    const isOpen = attempt.fence === null || attempt.leaseOwner === scrubText(workerId)
    return isOpen ? await store.claimAttempt(attempt, workerId) : null
  } catch (error) {
    // The attempt has ended, or another worker has claimed it since it was read.
    if (hasCode(error, 'busy', 'lease_lost', 'not_found')) return null
    throw error
  }
}
