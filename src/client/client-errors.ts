/** Classifies and creates the errors of a client: a spooled capture, a refused connection, a closed client, an aborted call. */
import { hasCode, TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'

/** True for the error of a capture in the spool: the service is unreachable, and the record is safe on this disk. */
export const isSpooled = (error: unknown): error is TurngraphError => detail(error, 'spooled') === true

/** True for the error of a capture for which the spool has no room. The service has not validated the record. */
export const isSpoolFull = (error: unknown): boolean =>
  hasCode(error, 'too_large') && detail(error, 'spooled') === false

const detail = (error: unknown, name: 'spooled' | 'closed'): unknown =>
  error instanceof TurngraphError ? (error.details as Record<string, unknown> | null)?.[name] : undefined

/** True if no process listens at the address. The request had no effect, so it can be repeated, also elsewhere. */
export function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return systemCode(error) === 'ECONNREFUSED' || neverArrived(error.cause)
}

/** Creates the error of a closed client. It is a mistake of the caller, so a repeat does not help. */
export const clientIsClosed = (): TurngraphError =>
  new TurngraphError('invalid_request', 'The client is closed.', {
    hint: 'Close it once nobody uses it any more, or make another one.',
    details: { closed: true },
  })

export const isClientClosed = (error: unknown): error is TurngraphError => detail(error, 'closed') === true

/** Returns the error of a call that its client or its caller ended. */
export const endedCallError = ({ reason }: AbortSignal): TurngraphError =>
  reason instanceof TurngraphError
    ? reason
    : new TurngraphError('timeout', 'The caller gave up on the call.', { cause: reason })
