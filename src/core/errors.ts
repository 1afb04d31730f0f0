// Declares every error that a caller can meet, with its status, exit code and wire form.
import { constants } from 'node:os'
import path from 'node:path'
import { EXIT } from './exit-codes.ts'
import { scrubText, scrubTexts } from './scrub/scrub.ts'

/**
 * Errors of all operations. REST, MCP and the command line derive status, error object and exit code from this table (turns.md).
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    exit: EXIT.invalid.code,
    meaning: 'The request does not fit its schema; every problem is listed.',
  },
  unauthorized: { status: 401, exit: EXIT.notAllowed.code, meaning: 'The token is missing or unknown.' },
  forbidden: {
    status: 403,
    exit: EXIT.notAllowed.code,
    meaning: 'The token lacks the scope or the project.',
  },
  not_found: { status: 404, exit: EXIT.notFound.code, meaning: 'There is no such route or record.' },
  method_not_allowed: {
    status: 405,
    exit: EXIT.notFound.code,
    meaning: 'The route has no such method; `Allow` lists its methods.',
  },
  unknown_world: { status: 404, exit: EXIT.notFound.code, meaning: 'The task has no world of that slug.' },
  turn_conflict: { status: 409, exit: EXIT.conflict.code, meaning: 'Another record is stored at that turn.' },
  world_conflict: {
    status: 409,
    exit: EXIT.conflict.code,
    meaning: 'A different world with that slug exists.',
  },
  restore_conflict: {
    status: 409,
    exit: EXIT.conflict.code,
    meaning: 'A different record exists already.',
  },
  restore_unfinished: {
    status: 409,
    exit: EXIT.conflict.code,
    meaning: 'A restore has not written the whole task.',
  },
  busy: { status: 409, exit: EXIT.conflict.code, meaning: 'Another process is working on the world.' },
  lease_lost: { status: 409, exit: EXIT.conflict.code, meaning: 'The lease has passed to another owner.' },
  world_deleted: { status: 410, exit: EXIT.notFound.code, meaning: 'The world was deleted.' },
  cursor_expired: {
    status: 410,
    exit: EXIT.notFound.code,
    meaning: 'The changes since that cursor are no longer stored: take a snapshot.',
  },
  too_large: {
    status: 413,
    exit: EXIT.invalid.code,
    meaning: 'The request or its answer is over a size limit.',
  },
  rate_limited: { status: 429, exit: EXIT.rateLimited.code, meaning: 'Too many requests with this token.' },
  internal: {
    status: 500,
    exit: EXIT.defect.code,
    meaning: 'A defect of Turngraph; the log has the request id.',
  },
  store_unavailable: {
    status: 503,
    exit: EXIT.away.code,
    meaning: 'The graph cannot be reached; try again.',
  },
  timeout: { status: 504, exit: EXIT.away.code, meaning: 'The graph did not answer in time; try again.' },
} as const

export type ErrorCode = keyof typeof ERRORS

type ErrorOptions = { hint?: string | undefined; details?: unknown; cause?: unknown }

/**
 * The only error class. Its texts may quote the caller's input, so secrets in them are masked.
 *
 * @example
 * throw new TurngraphError('unknown_world', 'TASK-1 has no world "w7".', { hint: 'turngraph worlds lists them' })
 */
export class TurngraphError extends Error {
  override readonly name = 'TurngraphError'
  readonly code: ErrorCode
  readonly hint: string | null
  readonly details: unknown

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(scrubText(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint == null ? null : scrubText(options.hint)
    this.details = scrubTexts(options.details ?? null)
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get exitCode(): number {
    return ERRORS[this.code].exit
  }

  /** Returns the wire form, which every interface sends. */
  toWire(requestId: string | null = null): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        hint: this.hint,
        details: this.details,
        request_id: requestId,
      },
    }
  }
}

export type ErrorBody = {
  error: {
    code: ErrorCode
    message: string
    hint: string | null
    details: unknown
    request_id: string | null
  }
}

/** The hint of an error whose text may be too short for all its problems. */
export const EVERY_PROBLEM = 'details.problems lists every field that does not fit.'

/** A field that does not fit its schema. An error has them in `details.problems`. */
export type Problem = { path: string; message: string }

/** `of`: text before the names of the fields in the message. */
type FieldErrorOptions = Pick<ErrorOptions, 'hint' | 'cause'> & { of?: string }

export const invalidField = (path: string, message: string, options?: FieldErrorOptions): TurngraphError =>
  invalidFields([{ path, message }], options)

export function invalidFields(
  problems: readonly Problem[],
  { of = '', ...options }: FieldErrorOptions = {},
): TurngraphError {
  const message = problems.map(({ path, message }) => `${path}: ${message}`).join('; ')
  return new TurngraphError('invalid_request', of + message, { ...options, details: { problems } })
}

/** Lists the fields that an error names. The details of an error over HTTP may have any form. */
export function listProblems(error: unknown): Problem[] {
  const problems: unknown = error instanceof TurngraphError ? Object(error.details).problems : []
  return Array.isArray(problems) ? problems.filter(isProblem) : []
}

const isProblem = (value: unknown): value is Problem => {
  const { path, message } = Object(value) as Partial<Record<keyof Problem, unknown>>
  return typeof path === 'string' && typeof message === 'string'
}

export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is TurngraphError =>
  error instanceof TurngraphError && codes.includes(error.code)

/** Checks whether the store is unavailable or slow, so that the same call may succeed later. */
export const isAway = (error: unknown): error is TurngraphError =>
  hasCode(error, 'store_unavailable', 'timeout')

/** Converts a thrown value to a TurngraphError. Unknown errors become `internal`; their text stays in the log. */
export function asTurngraphError(thrown: unknown): TurngraphError {
  if (thrown instanceof TurngraphError) return thrown
  const fault = diskError(thrown)
  if (fault !== null) return fault
  return new TurngraphError('internal', 'Something went wrong inside Turngraph.', {
    hint: 'The log names the cause under this request id.',
    cause: thrown,
  })
}

/** Makes the error for a full, read-only or broken disk. Returns null if the cause is another one. */
export function diskError(
  cause: unknown,
  folder?: string,
  hint = 'This operation stored nothing. Free some space or repair the disk, then try again.',
): TurngraphError | null {
  const message = describeDiskFault(cause, folder)
  return message === null ? null : new TurngraphError('store_unavailable', message, { hint, cause })
}

/** Checks whether the disk is the reason why the store cannot write. */
export const isDiskError = (error: TurngraphError): boolean => describeDiskFault(error) !== null

// Input and output errors of Node and of the embedded engine belong to the machine. They end when somebody frees space.
const { ENOSPC, EDQUOT, EROFS, EFBIG, EIO, EMFILE, ENFILE } = constants.errno

/** By error number, because Node does not name all of these errors. */
const MEANINGS: ReadonlyMap<number, (place: string) => string> = new Map<number, (place: string) => string>([
  [ENOSPC, (place) => `No space left in ${place}.`],
  [EDQUOT, (place) => `The disk quota is used up in ${place}.`],
  [EROFS, (place) => `The disk of ${place} is read-only.`],
  [EFBIG, (place) => `A file in ${place} may not grow any further.`],
  [EIO, (place) => `The disk of ${place} failed.`],
  [EMFILE, () => 'This process has too many files open.'],
  [ENFILE, () => 'This machine has too many files open.'],
])

/** Describes a fault of the disk; null for any other value. `folder`: by default that of the file that Node names. */
export function describeDiskFault(thrown: unknown, folder?: string): string | null {
  if (!(thrown instanceof Error)) return null
  const describe = MEANINGS.get(systemErrorNumber(thrown))
  if (describe === undefined) return describeDiskFault(thrown.cause, folder)
  return describe(folder ?? folderIn(thrown) ?? 'the data folder')
}

/** The engine is written in Rust. Its error messages end with the number, whatever language the message is in. */
function systemErrorNumber(error: Error): number {
  if ('errno' in error && typeof error.errno === 'number') return -error.errno
  return Number(/\(os error (\d+)\)/.exec(error.message)?.[1])
}

const folderIn = (error: Error): string | null =>
  'path' in error && typeof error.path === 'string' ? path.dirname(error.path) : null
