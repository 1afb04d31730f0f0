// Writes one line of the log for each request.
import type { ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import { pinoHttp } from 'pino-http'
import { isAway } from '../core/errors.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import type { Log } from '../platform/log.ts'

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * Names every request (`X-Request-Id`, the caller's own where it is well-formed) and writes one line for
 * it: never its headers or body, so neither tokens nor records get into the log.
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
      if (isAway(res.err)) return 'info' // schema-state.ts warns, once
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
  // Inside a router express shortens `url`, never `originalUrl`.
  req: { method?: string | undefined; url?: string | undefined; originalUrl?: string },
  res: ServerResponse,
  { responseTime }: { responseTime: number },
): Record<string, unknown> => ({
  method: req.method,
  path: scrubAddress(req.originalUrl ?? req.url ?? ''),
  status: res.statusCode,
  ms: responseTime,
})

/** A secret is not known while it is percent-encoded. */
function scrubAddress(address: string): string {
  const decoded = decode(address)
  const scrubbed = scrubText(decoded)
  return scrubbed === decoded ? address : scrubbed
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address.replaceAll('+', ' '))
  } catch {
    return address // not well-formed: it is refused
  }
}
