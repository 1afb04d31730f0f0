/** Converts an answered continuation context back to a rendering, so that its text can be written in sections or cut differently. */
import { type PromisesView, stallWarning } from '../criteria/views.ts'
import type { ContinuationContext } from './continuation.ts'
import type { Rendering, Summary } from './render.ts'

export function toRendering(context: ContinuationContext, prior: Summary): Rendering {
  const { role, criteria, promises, stall } = context
  const turn = prior.turnNumber
  return {
    ...context,
    prior,
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
  }
}

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
