// Reads the input of a request from its path, query, headers and body.
import type { IncomingMessage } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { IDEMPOTENCY_KEY, name } from '../core/fields.ts'
import { hasBody } from '../operations/routes.ts'

/** Rejects a body on routes that read only the path and the query. */
export const refuseBody: RequestHandler = (req, _res, next) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers
  if (length === '0' && encoding === undefined) return next()
  throw new TurngraphError('invalid_request', `The body of a ${req.method} is not read.`, {
    hint: 'Send its fields in the query.',
    details: { problems: [{ path: '', message: `a ${req.method} takes no body` }] },
  })
}

/** Rejects a compressed body. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return
  throw new TurngraphError('invalid_request', 'The body has a content-encoding.', {
    hint: 'Send it as it is, without content-encoding.',
    details: { problems: [{ path: 'content-encoding', message: 'must be identity' }] },
  })
}

/**
 * Reads the input of a request in the wire form: the fields of its path, its query and, for a POST, its body. Rejects a field
 * in two places, because one of the values would be ignored.
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

/** Reads the body. A missing body counts as an empty object, because some operations need only their path. */
function readBody(body: unknown = {}): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new TurngraphError('invalid_request', 'The body must be one JSON object.', {
    hint: 'Send the fields of the record as {"…": …}.',
    details: { problems: [{ path: '', message: 'must be a JSON object' }] },
  })
}

/** Parses the query of a URL. @throws `invalid_request` for a field that is given twice */
export function parseQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start === -1) return {}
  const search = url.slice(start + 1)
  try {
    decodeURIComponent(search) // throws for bytes that are not UTF-8, which URLSearchParams replaces with U+FFFD
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

/** Reads the value of a header. Rejects several values: Node joins them with commas, which might name another project. */
function readHeader(req: IncomingMessage, header: string): string | null {
  const value = req.headers[header]
  if (typeof value !== 'string') return null
  if (value.includes(',') && (req.headersDistinct[header]?.length ?? 1) > 1) {
    throw badHeader(header, 'stands in the request more than once; send it once')
  }
  return value
}

/** Reads the project of the header. Clients send it as UTF-8, which Node reads as Latin-1. */
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

/** Returns the id of the last event, which a reader sends when it reconnects. Browsers send it automatically. */
export const lastEventId = (req: IncomingMessage): string | null => readHeader(req, 'last-event-id') || null

export function idempotencyKey(req: IncomingMessage): string | null {
  const key = readHeader(req, 'idempotency-key')
  if (key === null || IDEMPOTENCY_KEY.test(key)) return key
  throw badHeader('idempotency-key', 'must have 1 to 256 visible ASCII characters, for example a UUID')
}

export const badHeader = (name: string, message: string): TurngraphError =>
  new TurngraphError('invalid_request', `header ${name}: ${message}`, {
    details: { problems: [{ path: name, message }] },
  })
