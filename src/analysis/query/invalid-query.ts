import { invalidField, type TurngraphError } from '../../core/errors.ts'

/** What is wrong with a query, and what to do about it. */
export const invalidQuery = (problem: string, hint: string, cause?: unknown): TurngraphError =>
  invalidField('query', problem, { hint, cause })
