import type { Duplex } from 'node:stream'
import { TurngraphError } from '../errors.ts'

/** Answers what is not HTTP enough to become a request, in our form; Node's own answer has no body. */
export function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refused = REFUSALS[error.code ?? ''] ?? new TurngraphError('invalid_request', 'This is not HTTP/1.1.')
  const body = JSON.stringify(refused.toWire())
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
