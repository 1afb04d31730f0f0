// Answers a request with JSON, an error included, also where it is not HTTP enough to become one.
import type { Duplex } from 'node:stream'
import type { ErrorRequestHandler, Response } from 'express'
import * as z from 'zod'
import { asTurngraphError, TurngraphError } from '../core/errors.ts'

/**
 * Answers JSON. Not `res.json`: no ETag, no freshness check, no second look at the content type; and a
 * stored answer would break "read your write", so no cache may keep one.
 */
export function answerJson(res: Response, status: number, body: unknown): void {
  answerText(res, status, JSON.stringify(body))
}

export function answerText(res: Response, status: number, json: string): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', Buffer.byteLength(json))
  res.end(json)
}

/** Renders whatever a handler threw, in the one form. What is not ours is `internal`, without its text. */
export const answerFailure: ErrorRequestHandler = (thrown, req, res, next) => {
  const error = refusalOfExpress(thrown) ?? asTurngraphError(thrown)
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

/** What express throws: a client's fault with a status. */
const refusal = z.object({ status: z.number().min(400).max(499), message: z.string() })

function refusalOfExpress(thrown: unknown): TurngraphError | null {
  const found = refusal.safeParse(thrown)
  if (!found.success || thrown instanceof TurngraphError) return null
  const { message } = found.data
  return new TurngraphError('invalid_request', `The request cannot be read: ${message}.`, {
    details: { problems: [{ path: '', message }] },
  })
}

/** How long a refused client may take to read the answer and close. */
const LINGER_MS = 1_000

/**
 * Answers what is not HTTP enough to become a request, in our form; Node's own answer has no body. Then the connection
 * is destroyed: `end` alone would leave it open for as long as the client ignores it.
 */
export function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refused = REFUSALS[error.code ?? ''] ?? new TurngraphError('invalid_request', 'This is not HTTP/1.1.')
  const body = JSON.stringify(refused.toWire())
  const destroying = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(destroying))
  socket.end(
    `HTTP/1.1 ${refused.status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const REFUSALS: Record<string, TurngraphError> = {
  HPE_HEADER_OVERFLOW: new TurngraphError('too_large', 'The address and headers are longer than 32 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new TurngraphError('invalid_request', 'The request did not arrive in time.', {
    hint: 'Headers are waited for 10 s, the whole request 30 s.',
  }),
}
