// Answers requests with JSON, including errors, and also requests that Node cannot parse as HTTP.
import type { Duplex } from 'node:stream'
import type { ErrorRequestHandler, Response } from 'express'
import * as z from 'zod'
import { asTurngraphError, TurngraphError } from '../core/errors.ts'

/**
 * Answers JSON without an ETag, a freshness check or a second check of the content type, which `res.json` adds. No cache may
 * keep an answer, because a stored answer would break "read your write".
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

/** Answers with the error that a handler threw. Reports a foreign error as `internal`, without its text. */
export const answerFailure: ErrorRequestHandler = (thrown, req, res, next) => {
  const error = refusalOfExpress(thrown) ?? asTurngraphError(thrown)
  // request-log.ts adds the error to the log line of the request.
  if (error.status >= 500) res.err = error.code === 'internal' && thrown instanceof Error ? thrown : error
  if (res.headersSent) return next(thrown) // express closes the connection, because half of the answer is sent
  if (error.code === 'unauthorized' && !res.hasHeader('WWW-Authenticate')) {
    res.setHeader('WWW-Authenticate', 'Bearer realm="turngraph"')
  }
  const worthAnotherTry = error.status === 503 || error.status === 429
  if (worthAnotherTry && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '1')
  answerJson(res, error.status, error.toWire(String(req.id)))
}

/** Error of express for a request that the client must correct, with its status. */
const refusal = z.object({ status: z.number().min(400).max(499), message: z.string() })

function refusalOfExpress(thrown: unknown): TurngraphError | null {
  const found = refusal.safeParse(thrown)
  if (!found.success || thrown instanceof TurngraphError) return null
  const { message } = found.data
  return new TurngraphError('invalid_request', `The request cannot be read: ${message}.`, {
    details: { problems: [{ path: '', message }] },
  })
}

/** Time for a rejected client to read the answer and close. */
const LINGER_MS = 1_000

/**
 * Answers bytes that are not an HTTP request in our form; Node's own answer has no body. Then destroys the connection, because
 * `end` leaves it open for as long as the client ignores it.
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
