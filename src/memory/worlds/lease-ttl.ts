/** How long an attempt owns its world after its last heartbeat. */
import { integerBetween } from '../../core/fields.ts'

export const DEFAULT_LEASE_TTL_MS = 60_000

/** The field of a request. */
export const leaseTtlMs = integerBetween(1_000, 86_400_000)
  .nullish()
  .describe(`default: ${DEFAULT_LEASE_TTL_MS}`)
