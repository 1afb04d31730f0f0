import { TurngraphError } from '../errors.ts'

/** What is wrong with a query, and what to do about it. */
export const invalidQuery = (problem: string, hint: string, cause?: unknown): TurngraphError =>
  new TurngraphError('invalid_request', `query: ${problem}`, {
    hint,
    details: { problems: [{ path: 'query', message: problem }] },
    cause,
  })
