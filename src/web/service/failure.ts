// Defines the failures of calls, and reads them from answers.
import type { ErrorCode } from '../../core/errors.ts'

/** Error codes of the service, and one for a service that does not answer. */
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

/** Failure for an answer that broke off. The page cannot know whether the service carried out the call. */
export const brokenOff = (method: string): Failure =>
  new Failure(
    'not_reachable',
    'The answer of the service broke off.',
    method === 'GET' ? 'Load the page again.' : 'It may be done all the same: look before you send it again.',
  )

/** Failure for a token or a session of this tab that the service does not accept. */
export const notSignedIn = (): Failure =>
  new Failure(
    'unauthorized',
    'You are not signed in: this service does not know the token.',
    'It may be mistyped, revoked or of another service, or your session of this tab has ended. The administrator of the service can make one: turngraph token create.',
  )

/** Failure for a token that a browser cannot send in a header. */
export const noToken = (): Failure =>
  new Failure(
    'invalid_request',
    'This is no token: it holds characters that no token has.',
    'turngraph open prints an address that holds one.',
  )

/** Reads the failure from an answer of the service, or of a proxy between the page and the service. */
export async function failureFrom(response: Response): Promise<Failure> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null // a proxy's own error page
  const refusal = body?.error
  if (refusal?.code !== undefined) return new Failure(refusal.code, refusal.message, refusal.hint)
  return new Failure('internal', `The service answered ${response.status} without a reason.`)
}

type ErrorBody = { error: { code: ErrorCode; message: string; hint: string | null } }

const REFUSALS: readonly FailureCode[] = [
  'unauthorized',
  'forbidden',
  'not_found',
  'unknown_world',
  'invalid_request',
]

/** True if the service refuses the call itself: the same call with the same token would fail again. */
export const isRefusal = ({ code }: Failure): boolean => REFUSALS.includes(code)

/** True if the service or its store is unreachable: the same call may succeed later. */
export const isAway = ({ code }: Failure): boolean =>
  code === 'not_reachable' || code === 'store_unavailable' || code === 'timeout'
