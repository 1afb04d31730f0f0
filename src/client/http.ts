import { TurngraphError } from '../errors.ts'
import { errorBody } from '../http/error-body.ts'
import { IDEMPOTENCY_KEY } from '../http/headers.ts'
import { type Route, routeOf } from '../http/routes.ts'
import { type OperationName, operations } from '../operations.ts'
import { parseInput, parseWire, toWire } from '../wire.ts'
import type { CallOptions, TurngraphClient } from './client.ts'

const TIMEOUT_MS = 30_000

export type HttpClientOptions = {
  /** Where the service is, for example `http://127.0.0.1:7480`. */
  url: string
  token?: string | null
  /** The project of calls that name none; else the token's, else the service's. */
  project?: string | null
}

/** Calls the operations of a service over HTTP. Answers as the in-process client does, errors too. */
export function httpClient(options: HttpClientOptions): TurngraphClient {
  const base = baseOf(options.url)
  if (options.token != null && !VISIBLE_ASCII.test(options.token)) {
    throw invalid('token', 'holds characters that no token has')
  }
  const call =
    (name: OperationName) =>
    (input: unknown, callOptions: CallOptions = {}) =>
      runOverHttp(name, input, { ...options, ...callOptions, base })
  const calls = Object.fromEntries(Object.keys(operations).map((name) => [name, call(name as OperationName)]))
  return { ...calls, close: async () => {} } as unknown as TurngraphClient
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

type Calling = HttpClientOptions & CallOptions & { base: string }

async function runOverHttp(name: OperationName, input: unknown, calling: Calling): Promise<unknown> {
  const operation = operations[name]
  // Here too, so that the caller meets its own names in the problems, and nothing unknown is dropped on
  // the way. What is sent is what was given: the service does the parsing that counts.
  parseInput(operation.input, input, name)
  const wire = toWire(operation.input, input) as Record<string, unknown>
  // In the input, not in the header Turngraph-Project: a header cannot carry every name unchanged.
  if (wire.project == null && calling.project != null) wire.project = calling.project
  const { status, text } = await exchange(requestOf(routeOf(name), wire, calling), calling)
  const body = jsonOf(text)
  if (status < 200 || status >= 300) throw errorOf(status, body, calling.base)
  try {
    return parseWire(operation.output, body, name)
  } catch (cause) {
    throw new TurngraphError('internal', `${calling.base} gave an answer that this version cannot read.`, {
      hint: 'Use the same version of Turngraph on both sides.',
      cause,
    })
  }
}

function requestOf(route: Route, wire: Record<string, unknown>, calling: Calling): Request {
  const rest = { ...wire }
  const path = route.path.replace(/\{(\w+)\}/g, (_all, field: string) => {
    delete rest[field]
    return pathSegment(field, String(wire[field]))
  })
  const headers = new Headers({ accept: 'application/json' })
  if (calling.token != null) headers.set('authorization', `Bearer ${calling.token}`)
  if (calling.idempotencyKey !== undefined) {
    headers.set('idempotency-key', checkedKey(calling.idempotencyKey))
  }
  const init = { method: route.method, headers, redirect: 'manual' } as const
  if (route.method === 'POST') {
    headers.set('content-type', 'application/json')
    return new Request(`${calling.base}${path}`, { ...init, body: JSON.stringify(rest) })
  }
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(rest)) if (value != null) search.set(key, String(value))
  const query = search.toString()
  return new Request(`${calling.base}${path}${query === '' ? '' : `?${query}`}`, init)
}

async function exchange(
  request: Request,
  { base, signal }: Calling,
): Promise<{ status: number; text: string }> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(request, {
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    })
    return { status: response.status, text: await response.text() }
  } catch (cause) {
    if (signal?.aborted) throw new TurngraphError('timeout', 'The caller gave up on the call.', { cause })
    if (late.aborted) {
      throw new TurngraphError('timeout', `${base} did not answer within ${TIMEOUT_MS / 1000} s.`, {
        hint: 'Try again: a repeated capture is stored once.',
        cause,
      })
    }
    throw new TurngraphError('store_unavailable', `The service at ${base} cannot be reached.`, {
      hint: 'Start it (`turngraph serve`), or set TURNGRAPH_URL to where it is.',
      cause,
    })
  }
}

function errorOf(status: number, body: unknown, base: string): TurngraphError {
  const parsed = errorBody.safeParse(body)
  if (parsed.success) {
    const { code, message, hint, details } = parsed.data.error
    return new TurngraphError(code, message, { hint: hint ?? undefined, details })
  }
  // A proxy's own page, or a service that is none of ours.
  const away = status === 502 || status === 503 || status === 504
  return new TurngraphError(
    away ? 'store_unavailable' : 'internal',
    `${base} answered ${status} in a form that is not Turngraph's.`,
    { hint: 'Check that TURNGRAPH_URL is the address of a Turngraph service.' },
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no answer of ours: errorOf and the schema say so
  }
}

/** `.` and `..` are steps in a path, however they are encoded: they would reach another route. */
function pathSegment(field: string, value: string): string {
  if (value !== '.' && value !== '..') return encodeURIComponent(value)
  throw invalid(field, `"${value}" cannot stand in an address`)
}

function checkedKey(key: string): string {
  if (IDEMPOTENCY_KEY.test(key)) return key
  throw invalid('idempotencyKey', 'must have 1 to 256 visible ASCII characters, for example a UUID')
}

function baseOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '')
  throw invalid('url', `"${url}" is no http address`)
}

const invalid = (path: string, message: string): TurngraphError =>
  new TurngraphError('invalid_request', `${path}: ${message}`, { details: { problems: [{ path, message }] } })
