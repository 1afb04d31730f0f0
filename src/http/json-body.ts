// Reads JSON bodies, each within its limit and all of them within the memory of the process.
import { isUtf8 } from 'node:buffer'
import { getHeapStatistics } from 'node:v8'
import express, { type Request, type RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/**
 * The heap that a byte of a body takes while it is parsed, scrubbed, compared and written, and that of the service itself.
 * Measured: 40 captures of 0.9 MB at once, within 64 MB of old space, are survived with 4, and end the process without a
 * bound.
 */
const HEAP_PER_BYTE = 8
const HEAP_OF_SERVICE = 48 * 1024 * 1024

/** Maximum bytes of the bodies in work, by the heap that the process may have (`--max-old-space-size`). */
const bodyBudget = (): number =>
  Math.max(getHeapStatistics().heap_size_limit - HEAP_OF_SERVICE, 0) / HEAP_PER_BYTE

/**
 * Reads a JSON body of at most `limit` bytes into `req.body`. A body counts against the budget from its last byte until its
 * request ends, so slow clients block nobody. A body without others in work is always accepted.
 */
export function boundBodies(budget = bodyBudget()): (limit: number) => RequestHandler[] {
  let inWork = 0
  const parse: RequestHandler = (req, res, next) => {
    const { body } = req as { body: unknown }
    if (!Buffer.isBuffer(body)) return next()
    if (inWork > 0 && inWork + body.length > budget) throw outOfMemory()
    inWork += body.length
    res.once('close', () => {
      inWork -= body.length
    })
    req.body = parseBody(body)
    next()
  }
  // Bytes, not express.json: it decodes bytes that are not UTF-8, and loses the order of keys that are whole numbers.
  return (limit) => [refuseUnread(limit), express.raw({ type: () => true, limit }), parse]
}

/** Refuses a body by its headers, before any of it is read. */
const refuseUnread =
  (limit: number): RequestHandler =>
  (req, _res, next) => {
    refuseOtherTypes(req)
    if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit)
    next()
  }

/** A page of another origin may send a body of another type without a preflight request (CORS). */
function refuseOtherTypes(req: Request): void {
  if (req.headers['content-length'] !== '0' && req.is(['json', '+json']) === false) {
    throw new TurngraphError('invalid_request', 'The body is not declared as JSON.', {
      hint: 'Send the header "Content-Type: application/json".',
      details: { problems: [{ path: 'content-type', message: 'must be application/json' }] },
    })
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(req.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw unreadable(
      'The charset of the body is not UTF-8.',
      'Send content-type: application/json, in UTF-8.',
    )
  }
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  const hint = 'Send one JSON object, in UTF-8.'
  if (!isUtf8(bytes)) throw unreadable('The body is not UTF-8.', hint)
  try {
    return parseOrderedJson(bytes.toString().replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw unreadable('The body is not JSON.', hint, cause instanceof Error ? cause.message : undefined)
  }
}

const unreadable = (message: string, hint: string, problem = message): TurngraphError =>
  new TurngraphError('invalid_request', message, {
    hint,
    details: { problems: [{ path: '', message: problem }] },
  })

export const bodyTooLarge = (limit: number): TurngraphError =>
  new TurngraphError('too_large', `The request is larger than ${limit / 1024 / 1024} MiB.`, {
    hint: 'Send less at once; long texts are worth at most 64 KiB each.',
  })

const outOfMemory = (): TurngraphError =>
  new TurngraphError('store_unavailable', 'The service is out of memory for more requests.', {
    hint: 'Retry after the time in Retry-After, and send fewer large requests at once.',
  })
