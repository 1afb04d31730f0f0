/** Orders the verifications that were added to a turn: by their time, and not by their arrival. Pure. */
import { compareCodeUnits } from './labels.ts'

export type Added = {
  /** Time at which the verification was made; for an addition without a time, that of its arrival. */
  startedAt: string
  /** Digest of its content, which identifies it within its turn. */
  digest: string
}

/** Canonical instants without their zone compare like texts: a missing fraction comes first. */
const toText = (instant: string): string => instant.slice(0, -1)

export const compareAdded = (a: Added, b: Added): number =>
  compareCodeUnits(toText(a.startedAt), toText(b.startedAt)) || compareCodeUnits(a.digest, b.digest)
