// Makes the errors of the protocol of Turngraph's own, with the same code, message and hint.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { asTurngraphError, type ErrorBody, type ErrorCode } from '../core/errors.ts'

export type Failures = {
  /** Of this request, for the log: stands in errors as `request_id`. */
  requestId?: string | null
  /** What is not a refusal of ours. */
  onDefect?: (error: unknown) => void
}

/** The wire form of whatever was thrown; a defect is told to the log. */
export function reportFailure(thrown: unknown, { requestId = null, onDefect }: Failures): ErrorBody {
  const error = asTurngraphError(thrown)
  if (error.code === 'internal') onDefect?.(thrown)
  return error.toWire(requestId)
}

/** The caller's to mend: it named what is not there, or what does not fit. */
const OF_THE_PARAMS: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'not_found',
  'unknown_world',
  'world_deleted',
  'too_large',
])

/**
 * The error of the protocol for what a resource or a prompt throws; the whole error of ours is its data.
 *
 * @param about further data, such as the URI that was asked for
 */
function toProtocolError(thrown: unknown, failures: Failures, about: object = {}): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown
  const { error } = reportFailure(thrown, failures)
  const isOfParams = OF_THE_PARAMS.has(error.code)
  const code = isOfParams ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
  return new ProtocolError(code, error.message, { ...about, ...error })
}

/** Does the work of a resource or a prompt; what that throws becomes an error of the protocol. */
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

/** The answer to a request that is refused before any server has it. */
export function errorAnswer(request: unknown, thrown: unknown, failures: Failures) {
  const { code, message, data } = toProtocolError(thrown, failures)
  const { id } = request as { id: string | number }
  return { jsonrpc: '2.0' as const, id, error: { code, message, data } }
}

export const noSuchTool = (name: string, names: readonly string[]): ProtocolError =>
  unknownName('tool', name, names)

export const noSuchPrompt = (name: string, names: readonly string[]): ProtocolError =>
  unknownName('prompt', name, names)

const unknownName = (kind: string, name: string, names: readonly string[]): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no ${kind} "${name.slice(0, 200)}". The ${kind}s are ${names.join(', ')}.`,
  )
