import * as z from 'zod'
import { ERRORS, type ErrorCode } from './errors.ts'

/** What every error answers (contract: turns.md, "Errors"): the client reads it, OpenAPI shows it. */
export const errorBody = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    hint: z.string().nullable().describe('what to do about it'),
    details: z.unknown().describe('by code; invalid_request: {problems: [{path, message}]}'),
    request_id: z.string().nullable().describe('names the request in the log'),
  }),
})
