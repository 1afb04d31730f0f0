// Reads what a request says, in its path, query, headers and body, within bounds.
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import express, { type Request, type RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { hasBody, IDEMPOTENCY_KEY } from '../operations/routes.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/** Reads a JSON body. Bytes that are no UTF-8 are refused: replaced ones would be stored as something else. */
export const jsonBodyUpTo = (limit: number): readonly RequestHandler[] => [
  (req, _res, next) => {
    // A body of another type is one that a foreign page may send without asking us first (CORS).
    if (req.headers['content-length'] !== '0' && req.is(['json', '+json']) === false) {
      throw new TurngraphError('invalid_request', 'The body is not declared as JSON.', {
        hint: 'Send the header "Content-Type: application/json".',
        details: { problems: [{ path: 'content-type', message: 'must be application/json' }] },
      })
    }
    next()
  },
  express.json({
    limit,
    type: () => true,
    verify: (_req, _res, bytes, encoding) => {
      if (encoding.toLowerCase() !== 'utf-8' || isUtf8(bytes)) return
      throw Object.assign(new Error('is not UTF-8'), { type: 'entity.not.utf8' })
    },
  }),
]

/** Refuses a body where only the path and the query are read. */
export const refuseBody: RequestHandler = (req, _res, next) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers
  if (length === '0' && encoding === undefined) return next()
  throw new TurngraphError('invalid_request', `The body of a ${req.method} is not read.`, {
    hint: 'Send its fields in the query.',
    details: { problems: [{ path: '', message: `a ${req.method} takes no body` }] },
  })
}

/**
 * What a request says, in the wire form: the fields of its path, its query and, for a POST, its body.
 * A field in two places is refused, since one of them would be ignored.
 */
export function readInput(req: Request): Record<string, unknown> {
  const query = parseQuery(req.url)
  const body = hasBody(req) ? readBody(req.body) : {}
  const twice = [
    ...Object.keys(query).filter((key) => Object.hasOwn(req.params, key) || Object.hasOwn(body, key)),
    ...Object.keys(req.params).filter((key) => Object.hasOwn(body, key)),
  ]
  if (twice.length > 0) throw givenTwice(twice)
  return { ...query, ...body, ...req.params }
}

/** No body says nothing, as an empty object does: some operations need nothing more than their path. */
function readBody(body: unknown = {}): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new TurngraphError('invalid_request', 'The body must be one JSON object.', {
    hint: 'Send the fields of the record as {"…": …}.',
    details: { problems: [{ path: '', message: 'must be a JSON object' }] },
  })
}

function parseQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start === -1) return {}
  const search = url.slice(start + 1)
  try {
    decodeURIComponent(search) // URLSearchParams would put U+FFFD where the bytes are no UTF-8
  } catch {
    throw new TurngraphError('invalid_request', 'The query cannot be decoded.', {
      hint: 'Percent-encode its values, as UTF-8.',
      details: { problems: [{ path: '', message: 'the query is not percent-encoded UTF-8' }] },
    })
  }
  const entries = [...new URLSearchParams(search)]
  const keys = entries.map(([key]) => key)
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index)
  if (twice.length > 0) throw givenTwice(twice)
  return Object.fromEntries(entries)
}

function givenTwice(keys: readonly string[]): TurngraphError {
  const problems = [...new Set(keys)].map((path) => ({
    path,
    message: 'is given more than once; give it once',
  }))
  const message = problems.map(({ path }) => `${path}: is given more than once`).join('; ')
  return new TurngraphError('invalid_request', message, {
    hint: 'A field stands once: in the path, the query or the body.',
    details: { problems },
  })
}

/** The header's one value; several would be joined by commas, and a project of that name made. */
function readHeader(req: IncomingMessage, header: string): string | null {
  const value = req.headers[header]
  if (typeof value !== 'string') return null
  if (value.includes(',') && (req.headersDistinct[header]?.length ?? 1) > 1) {
    throw badHeader(header, 'stands in the request more than once; send it once')
  }
  return value
}

/** Node reads header bytes as Latin-1; names are sent as UTF-8. */
export function projectHeader(req: IncomingMessage): string | null {
  const value = readHeader(req, 'turngraph-project')
  if (value === null) return null
  const project = name.safeParse(decodeName(value))
  if (project.success) return project.data
  throw badHeader('turngraph-project', project.error.issues[0]?.message ?? 'is no name')
}

function decodeName(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    throw badHeader('turngraph-project', 'is not UTF-8')
  }
}

/** What a reader of events sends when it comes back; a browser does so by itself. */
export const lastEventId = (req: IncomingMessage): string | null => readHeader(req, 'last-event-id') || null

export function idempotencyKey(req: IncomingMessage): string | null {
  const key = readHeader(req, 'idempotency-key')
  if (key === null || IDEMPOTENCY_KEY.test(key)) return key
  throw badHeader('idempotency-key', 'must have 1 to 256 visible ASCII characters, for example a UUID')
}

const badHeader = (name: string, message: string): TurngraphError =>
  new TurngraphError('invalid_request', `header ${name}: ${message}`, {
    details: { problems: [{ path: name, message }] },
  })

/**
 * The heap that a byte of a body takes while it is parsed, scrubbed, compared and written, and that of the service itself.
 * Measured: 40 captures of 0.9 MB at once, within 64 MB of old space, are survived with 4, and end the process without a
 * bound.
 */
const HEAP_PER_BYTE = 8
const HEAP_OF_SERVICE = 48 * 1024 * 1024

/** What may be in flight, by the heap that the process may have (`--max-old-space-size`). */
const bodyBudget = (): number =>
  Math.max(getHeapStatistics().heap_size_limit - HEAP_OF_SERVICE, 0) / HEAP_PER_BYTE

/**
 * Bounds the bytes of the bodies that are worked on at a time, so that many large ones do not exhaust the heap. One that
 * is alone is always taken.
 */
export function boundBodies(budget = bodyBudget()): (limit: number) => RequestHandler {
  let inFlight = 0
  return (limit) => (req, res, next) => {
    const { 'content-length': length, 'content-encoding': encoding } = req.headers
    // How much a compressed body holds, or one without a length, is known when it has been read.
    const bytes = length === undefined || encoding !== undefined ? limit : Math.min(Number(length), limit)
    if (inFlight > 0 && inFlight + bytes > budget) {
      throw new TurngraphError(
        'store_unavailable',
        'The service is working on as much as its memory takes.',
        { hint: 'Wait as long as Retry-After says, and send fewer large requests at once.' },
      )
    }
    inFlight += bytes
    res.once('close', () => {
      inFlight -= bytes
    })
    next()
  }
}
