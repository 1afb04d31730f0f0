import type { ErrorRequestHandler } from 'express'
import * as z from 'zod'
import { asTurngraphError, TurngraphError } from '../core/errors.ts'
import { answerJson } from './answer.ts'

/** Renders whatever a handler threw, in the one form. What is not ours is `internal`, without its text. */
export const answerFailure: ErrorRequestHandler = (thrown, req, res, next) => {
  const error = refusalOfTheBody(thrown) ?? asTurngraphError(thrown)
  // request-log.ts writes it into the request's one line.
  if (error.status >= 500) res.err = error.code === 'internal' && thrown instanceof Error ? thrown : error
  if (res.headersSent) return next(thrown) // express ends the connection: the answer is half out
  if (error.code === 'unauthorized' && !res.hasHeader('WWW-Authenticate')) {
    res.setHeader('WWW-Authenticate', 'Bearer realm="turngraph"')
  }
  const worthAnotherTry = error.status === 503 || error.status === 429
  if (worthAnotherTry && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '1')
  answerJson(res, error.status, error.toWire(String(req.id)))
}

/** What express and its body parser throw: a client's fault with a status and, mostly, a type. */
const refusal = z.object({
  status: z.number().min(400).max(499),
  type: z.string().optional(),
  message: z.string(),
})

function refusalOfTheBody(thrown: unknown): TurngraphError | null {
  const found = refusal.safeParse(thrown)
  if (!found.success || thrown instanceof TurngraphError) return null
  const { type, message } = found.data
  if (type === 'entity.too.large') {
    return new TurngraphError('too_large', 'The request is larger than 1 MiB.', {
      hint: 'Send less at once; long texts are worth at most 64 KiB each.',
    })
  }
  const known = type === undefined ? undefined : BODY_REFUSALS[type]
  return new TurngraphError('invalid_request', known?.message ?? `The request cannot be read: ${message}.`, {
    hint: known?.hint,
    details: { problems: [{ path: '', message }] },
  })
}

const BODY_REFUSALS: Record<string, { message: string; hint: string }> = {
  'entity.parse.failed': { message: 'The body is not JSON.', hint: 'Send one JSON object, in UTF-8.' },
  'entity.not.utf8': { message: 'The body is not UTF-8.', hint: 'Send one JSON object, in UTF-8.' },
  'encoding.unsupported': {
    message: 'The content-encoding of the body is not known.',
    hint: 'Send it as it is, or with content-encoding gzip, deflate or br.',
  },
  'charset.unsupported': {
    message: 'The charset of the body is not known.',
    hint: 'Send content-type: application/json, in UTF-8.',
  },
}
