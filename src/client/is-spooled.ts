import { TurngraphError } from '../core/errors.ts'

/** The error of a capture that waits in the spool: the service is away, and the record is safe on this disk. */
export const isSpooled = (error: unknown): error is TurngraphError =>
  error instanceof TurngraphError && (error.details as { spooled?: boolean } | null)?.spooled === true
