/** Takes from a continuation context that was answered what its text says, to write it anew: in sections, or cut otherwise. */
import { type PromisesView, stallWarning } from '../criteria/views.ts'
import type { ContinuationContext } from './continuation.ts'
import type { Rendering, Summary } from './render.ts'

export function toRendering(
  {
    currentTurn,
    role,
    criteria,
    lastJudged,
    promisedNotJudged,
    issues,
    triedBefore,
    promises,
    stall,
    elsewhere,
  }: ContinuationContext,
  prior: Summary,
): Rendering {
  const turn = prior.turnNumber
  return {
    currentTurn,
    prior,
    criteria,
    lastJudged,
    promisedNotJudged,
    issues,
    triedBefore,
    role,
    olderTurnsRecorded: criteria.some(
      ({ verifiedInTurn }) => verifiedInTurn !== null && verifiedInTurn < turn,
    ),
    verifiedInPrior: new Set(
      criteria
        .filter(({ state, lastTurn, contested }) => state === 'verified' && lastTurn === turn && !contested)
        .map(({ key }) => key),
    ),
    recovered: promises === null || role === 'player' ? null : recoveredIn(promises),
    stallWarning: stall === null ? null : stallWarning(role, stall),
    elsewhere,
  }
}

/** The promises that an earlier turn gave and that still hold; null where they are those of the prior turn, or none. */
export const recoveredIn = ({ recoveredFromTurn, items }: PromisesView): Rendering['recovered'] =>
  recoveredFromTurn === undefined ? null : { fromTurn: recoveredFromTurn, items: items.map(shownPromise) }

export const shownPromise = ({
  criterionId,
  key,
  status,
  evidence = null,
}: {
  criterionId: string
  key?: string
  status: string
  evidence?: string | null | undefined
}) => ({ criterionId, ...(key !== undefined && { key }), status, evidence })
