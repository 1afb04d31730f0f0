import type { Duplex } from 'node:stream'
import { TurngraphError } from '../core/errors.ts'

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
