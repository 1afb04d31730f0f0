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

/** If a lease may be due, its run and its attempt must be read. A claimed external attempt has one more lease time (dueAt). */
export const mayBeDue = (
  kept: { leaseUntil: number; leaseOwners: readonly string[]; leaseTtlMs: number; now: number },
  formerLifeOf: string | null,
): boolean =>
  isExpired(kept.leaseUntil, kept.now, 2 * kept.leaseTtlMs) ||
  kept.leaseOwners.some((owner) => owner === formerLifeOf)

export const renewLease = (leaseUntil: number, now: number, ttlMs: number): number =>
  isTooFarAway(leaseUntil, now, ttlMs) ? now + ttlMs : Math.max(leaseUntil, now + ttlMs)

/** An external worker has one additional lease time, so that a laptop that slept past its lease keeps its turn. */
export const dueAt = ({ executor, fence, leaseUntil }: Attempt, { leaseTtlMs }: WorldState): number =>
  executor === EXTERNAL && fence !== null ? leaseUntil + leaseTtlMs : leaseUntil
