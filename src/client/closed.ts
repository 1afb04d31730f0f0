import { TurngraphError } from '../core/errors.ts'

/** No service that is away: asking again would not help. */
export const clientIsClosed = (): TurngraphError =>
  new TurngraphError('invalid_request', 'The client is closed.', {
    hint: 'Close it once nobody uses it any more, or make another one.',
  })
