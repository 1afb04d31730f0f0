import type { IncomingMessage } from 'node:http'
import { TurngraphError } from '../core/errors.ts'
import { name } from '../core/fields.ts'
import { IDEMPOTENCY_KEY } from '../operations/routes.ts'

/** The header's one value; several would be joined by commas, and a project of that name made. */
function headerOf(req: IncomingMessage, header: string): string | null {
  const value = req.headers[header]
  if (typeof value !== 'string') return null
  if (value.includes(',') && (req.headersDistinct[header]?.length ?? 1) > 1) {
    throw badHeader(header, 'stands in the request more than once; send it once')
  }
  return value
}

/** Node reads header bytes as Latin-1; names are sent as UTF-8. */
export function projectHeader(req: IncomingMessage): string | null {
  const value = headerOf(req, 'turngraph-project')
  if (value === null) return null
  const project = name.safeParse(decoded(value))
  if (project.success) return project.data
  throw badHeader('turngraph-project', project.error.issues[0]?.message ?? 'is no name')
}

function decoded(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    throw badHeader('turngraph-project', 'is not UTF-8')
  }
}

export function idempotencyKey(req: IncomingMessage): string | null {
  const key = headerOf(req, 'idempotency-key')
  if (key === null || IDEMPOTENCY_KEY.test(key)) return key
  throw badHeader('idempotency-key', 'must have 1 to 256 visible ASCII characters, for example a UUID')
}

const badHeader = (name: string, message: string): TurngraphError =>
  new TurngraphError('invalid_request', `header ${name}: ${message}`, {
    details: { problems: [{ path: name, message }] },
  })
