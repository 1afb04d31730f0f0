import { stallWarning } from '../criteria/stall-analysis.ts'
import type { ContinuationContext } from './continuation.ts'
import type { Rendering } from './render.ts'

/** What a continuation context that was answered said, for its text to be written anew: in sections, or cut otherwise. */
export function renderingOf(
  { role, criteria, issues, promises, stall }: ContinuationContext,
  prior: Rendering['prior'],
): Rendering {
  const turn = prior.turnNumber
  const fromTurn = promises?.recoveredFromTurn
  return {
    prior,
    criteria,
    issues,
    role,
    olderTurnsRecorded: criteria.some(
      ({ verifiedInTurn }) => verifiedInTurn !== null && verifiedInTurn < turn,
    ),
    verifiedInPrior: new Set(
      criteria
        .filter(({ state, lastTurn, contested }) => state === 'verified' && lastTurn === turn && !contested)
        .map(({ key }) => key),
    ),
    recovered:
      promises === null || fromTurn === undefined || role === 'player'
        ? null
        : {
            fromTurn,
            items: promises.items.map(({ label, status, evidence }) => ({
              label,
              status,
              evidence: evidence ?? null,
            })),
          },
    stallWarning: stall === null ? null : stallWarning(role, stall),
  }
}
