/** Reads the two fields that GuardKit writes in its own way: an empty feature, and the Coach's decision as the Player's. */
import { hasCode } from '../../core/errors.ts'
import type { Graph } from '../../graph/port.ts'
import { UNKNOWN_FEATURE } from '../../rules/values.ts'
import type { CaptureRequest } from '../record/record.ts'
import { foldWord, isCoachWord } from '../record/words.ts'
import { getWorld } from '../worlds/worlds.ts'

type Request = CaptureRequest & { project: string }

/** Fills an empty feature: that of the world, otherwise {@link UNKNOWN_FEATURE}. @throws `world_deleted` */
export async function fillFeature<R extends Request>(graph: Graph, request: R): Promise<R> {
  if (request.featureId !== '') return request
  return { ...request, featureId: (await featureOfWorld(graph, request)) ?? UNKNOWN_FEATURE }
}

async function featureOfWorld(graph: Graph, { project, worldSlug }: Request): Promise<string | null> {
  if (worldSlug == null) return null
  try {
    return (await getWorld(graph, project, worldSlug)).featureId
  } catch (error) {
    if (hasCode(error, 'unknown_world')) return null
    throw error
  }
}

/** Warns of fields that are recorded differently from how they were sent. */
export function warnOfReadings(sent: Request, filled: Request): string[] {
  const { playerDecision } = sent
  return [
    ...(filled.featureId !== sent.featureId && filled.featureId === UNKNOWN_FEATURE
      ? [`feature_id is empty and no world names it; recorded under ${UNKNOWN_FEATURE}`]
      : []),
    ...(playerDecision != null && isCoachWord(playerDecision)
      ? [`player_decision "${foldWord(playerDecision)}" is a Coach's decision; recorded as implemented`]
      : []),
  ]
}
