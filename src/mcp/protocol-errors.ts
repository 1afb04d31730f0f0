// Converts Turngraph errors to protocol errors with the same code, message and hint.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { asTurngraphError, type ErrorBody, type ErrorCode, TurngraphError } from '../core/errors.ts'

export type Failures = {
  /** Id of the request in the log. Errors contain it as `request_id`. */
  requestId?: string | null
  /** Receives unexpected errors. */
  onDefect?: (error: unknown) => void
}

/** Converts a thrown value to the wire form of an error; passes unexpected errors to `onDefect`. */
export function reportFailure(thrown: unknown, { requestId = null, onDefect }: Failures): ErrorBody {
  const error = asTurngraphError(thrown)
  if (error.code === 'internal') onDefect?.(thrown)
  return error.toWire(requestId)
}

/** Errors that the caller can fix: a name that does not exist, or an invalid value. */
const OF_THE_PARAMS: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'not_found',
  'unknown_world',
  'world_deleted',
  'too_large',
])

/**
 * Converts a thrown value to a protocol error, with the whole Turngraph error as its data.
 *
 * @param about additional data, such as the requested URI
 */
function toProtocolError(thrown: unknown, failures: Failures, about: object = {}): ProtocolError {
  const { error } = reportFailure(thrown, failures)
  const isOfParams = OF_THE_PARAMS.has(error.code)
  const code = isOfParams ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
  return new ProtocolError(code, error.message, { ...about, ...error })
}

/** Runs the work of a request, and converts its errors to protocol errors. */
export async function withProtocolErrors<T>(
  failures: Failures,
  work: () => Promise<T>,
  about?: object,
): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw toProtocolError(thrown, failures, about)
  }
}

/** Builds the answer to a request that is rejected before it reaches a server. */
export function errorAnswer(request: unknown, thrown: unknown, failures: Failures) {
  const { code, message, data } = toProtocolError(thrown, failures)
  const { id } = request as { id: string | number }
  return { jsonrpc: '2.0' as const, id, error: { code, message, data } }
}

export const unknownNameError = (
  kind: 'tool' | 'prompt',
  name: string,
  names: readonly string[],
): TurngraphError =>
  new TurngraphError(
    'not_found',
    `There is no ${kind} "${name.slice(0, 200)}". The ${kind}s are ${names.join(', ')}.`,
  )
