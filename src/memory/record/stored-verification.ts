/** Derives values of a verification from its stored form. */
import { deriveVerification } from '../../rules/derive-turn.ts'
import { observationText } from './observation.ts'

/** @param promised see {@link deriveVerification} */
export function deriveFromStored(
  {
    observation,
    ...verification
  }: { evidence?: string | undefined; observation?: string | undefined; addedAt?: string | undefined },
  promised: ReadonlySet<string>,
): { substantiated: boolean; observedOn?: string } {
  const seen = observation === undefined ? undefined : observationText.safeParse(observation).data
  const { substantiated, observedOn } = deriveVerification({ ...verification, observation: seen }, promised)
  return { substantiated, ...(observedOn !== null && { observedOn: JSON.stringify(observedOn) }) }
}
