/** Orders the verifications that were added to a turn: by their time, and not by their arrival. Pure. */
import { compareInstants } from '../core/instants.ts'
import { compareCodeUnits } from './labels.ts'

export type Added = {
  /** Time at which the verification was made; for an addition without a time, that of its arrival. */
  startedAt: string
  /** Digest of its content, which identifies it within its turn. */
  digest: string
}

export const compareAdded = (a: Added, b: Added): number =>
  compareInstants(a.startedAt, b.startedAt) || compareCodeUnits(a.digest, b.digest)
