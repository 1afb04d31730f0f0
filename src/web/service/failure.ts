// Reads the answer of a call that did not succeed.
import type { ErrorCode } from '../../core/errors.ts'

/** The codes of the service, and one for a service that gives no answer at all. */
export type FailureCode = ErrorCode | 'not_reachable'

export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly hint: string | null

  constructor(code: FailureCode, message: string, hint: string | null = null) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

export const notReachable = (): Failure =>
  new Failure('not_reachable', 'The service does not answer.', 'Start it again: turngraph serve')

/** Whether a call that changes something was carried out is not known then. */
export const brokenOff = (method: string): Failure =>
  new Failure(
    'not_reachable',
    'The answer of the service broke off.',
    method === 'GET' ? 'Load the page again.' : 'It may be done all the same: look before you send it again.',
  )

/** The service would say the same, but a browser does not send it such a text. */
export const noToken = (): Failure =>
  new Failure(
    'unauthorized',
    'This is no token: it holds characters that no token has.',
    'turngraph open prints an address that holds one.',
  )

/** The failure that an answer tells, whatever stands between the page and the service. */
export async function failureFrom(response: Response): Promise<Failure> {
  const body: unknown = await response.json().catch(() => null) // a proxy's own error page
  const refusal = isErrorBody(body) ? body.error : null
  if (refusal !== null) return new Failure(refusal.code, refusal.message, refusal.hint)
  return new Failure('internal', `The service answered ${response.status} without a reason.`)
}

type ErrorBody = { error: { code: ErrorCode; message: string; hint: string | null } }

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'object' &&
  body.error !== null &&
  'code' in body.error &&
  'message' in body.error

/** The service or its store is away: the same call may succeed later. */
export const isAway = ({ code }: Failure): boolean =>
  code === 'not_reachable' || code === 'store_unavailable' || code === 'timeout'
