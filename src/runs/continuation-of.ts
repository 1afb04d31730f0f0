import type { Graph } from '../graph/port.ts'
import { loadTurnContinuationContext } from '../memory/context/context.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { World } from '../memory/worlds/worlds.ts'
import type { Attempt } from './record.ts'

/** What the turn of an attempt needs to know, for both roles. Its world says of which task. */
export async function continuationOf(
  graph: Graph,
  { project, worldSlug, attemptedTurn }: Attempt,
  { featureId, taskId }: Pick<World, 'featureId' | 'taskId'>,
): Promise<{ player: ContinuationContext; coach: ContinuationContext }> {
  const request = {
    project,
    featureId,
    taskId,
    worldSlug,
    currentTurn: attemptedTurn,
    tokenBudget: 2_000,
    perspectiveReset: false,
    policy: 'sticky' as const,
  }
  const [player, coach] = await Promise.all([
    loadTurnContinuationContext(graph, { ...request, role: 'player' }),
    loadTurnContinuationContext(graph, { ...request, role: 'coach' }),
  ])
  return { player, coach }
}
