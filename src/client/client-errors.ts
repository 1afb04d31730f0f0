/** What the errors of a client say: that a capture waits in its spool, that nobody listened, that it is closed. */
import { TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'

/** The error of a capture that waits in the spool: the service is away, and the record is safe on this disk. */
export const isSpooled = (error: unknown): error is TurngraphError =>
  error instanceof TurngraphError && (error.details as { spooled?: boolean } | null)?.spooled === true

/** Nobody listens there, so nothing was done: what was asked may be asked again, here or elsewhere. */
export function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return systemCode(error) === 'ECONNREFUSED' || neverArrived(error.cause)
}

/** It is the caller's mistake and no service that is away: asking again would not help. */
export const clientIsClosed = (): TurngraphError =>
  new TurngraphError('invalid_request', 'The client is closed.', {
    hint: 'Close it once nobody uses it any more, or make another one.',
  })
