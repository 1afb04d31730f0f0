/** Decides by the database's clock whether the lease of a run or an attempt has expired, and renews it. Pure. */
import type { WorldState } from '../decision.ts'
import { type Attempt, EXTERNAL } from '../record.ts'

export type Renewed = { leaseUntil: number; cancelRequested: boolean; abortRequested: boolean }

/** Longest time between the clock of a transaction and its write. Another renewal may set a later lease in between. */
const CLOCK_TOLERANCE_MS = 30_000

/** A lease that ends later than its time to live was set before the clock jumped back, and was not renewed since. */
export const isTooFarAway = (leaseUntil: number, now: number, ttlMs: number): boolean =>
  leaseUntil > now + ttlMs + CLOCK_TOLERANCE_MS

export const isExpired = (leaseUntil: number, now: number, ttlMs: number): boolean =>
  leaseUntil <= now || isTooFarAway(leaseUntil, now, ttlMs)

/** Checks whether a lease may be due; then run and attempt must be read. External attempts have a second lease time (dueAt). */
export const mayBeDue = (
  kept: { leaseUntil: number; leaseOwners: readonly string[]; leaseTtlMs: number; now: number },
  formerLifeOf: string | null,
): boolean =>
  isExpired(kept.leaseUntil, kept.now, 2 * kept.leaseTtlMs) ||
  kept.leaseOwners.some((owner) => owner === formerLifeOf)

export const renewLease = (leaseUntil: number, now: number, ttlMs: number): number =>
  isTooFarAway(leaseUntil, now, ttlMs) ? now + ttlMs : Math.max(leaseUntil, now + ttlMs)

/**
 * Returns when an attempt is interrupted. An external worker has a second lease time, so that a laptop may sleep past its lease.
 */
export const dueAt = ({ executor, fence, leaseUntil }: Attempt, { leaseTtlMs }: WorldState): number =>
  executor === EXTERNAL && fence !== null ? leaseUntil + leaseTtlMs : leaseUntil
