// Writes one line of the log for each request.
import type { ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import { pinoHttp } from 'pino-http'
import { isAway } from '../core/errors.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import type { Log } from '../platform/log.ts'

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * Assigns an id to every request (`X-Request-Id`, or the valid id of the caller) and writes one line for it. The line never
 * contains headers or the body, so the log contains neither tokens nor records.
 */
export function requestLog(log: Log): RequestHandler {
  return pinoHttp({
    logger: log,
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'request_id' },
    wrapSerializers: false,
    serializers: { req: () => undefined },
    genReqId: (req, res) => {
      const given = req.headers['x-request-id']
      const id = typeof given === 'string' && WELL_FORMED_ID.test(given) ? given : crypto.randomUUID()
      res.setHeader('X-Request-Id', id)
      return id
    },
    customLogLevel: (_req, res, error) => {
      if (isAway(res.err)) return 'info' // schema-state.ts warns once
      return error !== undefined || res.statusCode >= 500 ? 'error' : 'info'
    },
    customSuccessObject: (req, res, seen) => line(req, res, seen),
    customErrorObject: (req, res, _error, seen) => ({
      ...line(req, res, seen),
      ...(isAway(res.err) ? { code: res.err.code, reason: res.err.message } : { err: res.err }),
    }),
    customErrorMessage: () => 'request failed',
  })
}

const line = (
  // Inside a router, express shortens `url` but never `originalUrl`.
  req: { method?: string | undefined; url?: string | undefined; originalUrl?: string },
  res: ServerResponse,
  { responseTime }: { responseTime: number },
): Record<string, unknown> => ({
  method: req.method,
  path: scrubAddress(req.originalUrl ?? req.url ?? ''),
  status: res.statusCode,
  ms: responseTime,
})

/** Masks secrets in an address. Decodes it first, because percent-encoding hides a secret. */
function scrubAddress(address: string): string {
  const decoded = decode(address)
  const scrubbed = scrubText(decoded)
  return scrubbed === decoded ? address : scrubbed
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address.replaceAll('+', ' '))
  } catch {
    return address // invalid addresses are rejected
  }
}
