/** The client that calls a service over HTTP. */
import { ReadableStream as NodeStream } from 'node:stream/web' // the global one, with the types of Node
import * as z from 'zod'
import { invalidField, isAway, TurngraphError } from '../core/errors.ts'
import { IDEMPOTENCY_KEY } from '../core/fields.ts'
import { parseJson, parseJsonInOrder } from '../core/parse-json.ts'
import { retry } from '../core/retry.ts'
import { errorBody, parseInput, parseWire, toWire } from '../core/wire-form.ts'
import { EVENTS_PATH, type EventsRequest, eventsRequest } from '../operations/events.ts'
import { findRoute, hasBody, type Route } from '../operations/routes.ts'
import type { OperationName, OperationOutput } from '../operations/table.ts'
import {
  type TranscriptUpload,
  type TranscriptUploaded,
  transcriptUpload,
  transcriptUploaded,
  UPLOAD_PATH,
} from '../operations/transcript-upload.ts'
import { callsBy, operationsByName } from './calls.ts'
import type { CallOptions, TurngraphClient } from './client.ts'
import { clientIsClosed, neverArrived } from './client-errors.ts'
import { readEventStream } from './event-stream.ts'
import { repeatWhenLimited } from './repeat-when-limited.ts'

const TIMEOUT_MS = 30_000
const RETRY_FIRST_MS = 200
const RETRY_LAST_MS = 2_000

export type HttpClientOptions = {
  /** Where the service is, for example `http://127.0.0.1:7480`. */
  url: string
  token?: string | null
  /** The project of calls that name none; else the token's, else the service's. */
  project?: string | null
  /** How long one request may take, in milliseconds; default 30,000. */
  timeoutMs?: number
  /**
   * How often a call is repeated while the service is away, after 0.2 to 2 s each; default 0. Only what is the same
   * done twice is: `runTurn` just where the request never arrived, an upload of a transcript not at all.
   */
  retries?: number
  /**
   * How long a call may wait in all, in milliseconds, where the service refuses it as one too many; default 0: it fails as
   * `rate_limited`. An upload of a transcript never waits.
   */
  rateLimitWaitMs?: number
  /** Runs before each request, which is not sent if it rejects: the service may have to prove itself first. */
  beforeSend?: () => Promise<void>
  /** Who this program is in leases; default: a new UUID. */
  workerId?: string
}

export type HttpClient = TurngraphClient & {
  /** Calls an operation by its name. */
  callOperation<N extends OperationName>(
    name: N,
    input: unknown,
    options?: CallOptions,
  ): Promise<OperationOutput<N>>
  /** Opens the stream of events once, as a response that has begun; `events` comes back where it breaks. */
  openEvents(request: EventsRequest, signal: AbortSignal): Promise<Response>
}

/** Calls the operations of a service over HTTP. Answers as the in-process client does, errors too. */
export function httpClient(options: HttpClientOptions): HttpClient {
  const workerId = options.workerId ?? crypto.randomUUID()
  const base = parseBase(options.url)
  if (options.token != null && !VISIBLE_ASCII.test(options.token)) {
    throw invalidField('token', 'holds characters that no token has')
  }
  const closing = new AbortController()
  const call = async <N extends OperationName>(name: N, input: unknown, callOptions: CallOptions = {}) => {
    if (closing.signal.aborted) throw clientIsClosed()
    return runOverHttp(name, input, { ...options, ...callOptions, base })
  }
  const calls = callsBy(call)
  const upload: TurngraphClient['importTranscript'] = (input, chunks, callOptions = {}) =>
    uploadOverHttp(input, chunks, { ...options, ...callOptions, base })
  const open: HttpClient['openEvents'] = (request, stop) =>
    openEvents(request, { ...options, base, signal: stop })
  return {
    ...calls,
    callOperation: call,
    importTranscript: upload,
    openEvents: open,
    events: (input = {}, { signal, onAway } = {}) =>
      readEventStream(parseInput(eventsRequest, { project: options.project, ...input }, 'events'), {
        open,
        signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
        onAway,
      }),
    workerId: async () => workerId,
    spool: async () => null,
    close: async () => {
      closing.abort()
    },
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The list of projects, for example, refuses one. */
const takesProject = ({ input, wholeGraph }: Operation): boolean =>
  !wholeGraph && !(input instanceof z.ZodObject && !('project' in input.shape))

type Operation = { input: z.ZodType; wholeGraph?: boolean }

type Calling = HttpClientOptions &
  Omit<CallOptions, 'idempotencyKey'> & {
    idempotencyKey?: string | undefined
    base: string
  }

async function runOverHttp<N extends OperationName>(
  name: N,
  input: unknown,
  calling: Calling,
): Promise<OperationOutput<N>> {
  const operation = operationsByName[name]
  // Here too, so that the caller meets its own names in the problems, and nothing unknown is dropped on
  // the way. What is sent is what was given: the service does the parsing that counts.
  const parsed = parseInput(operation.input, input, name)
  const wire = toWire(operation.input, input) as Record<string, unknown>
  // In the input, not in the header Turngraph-Project: a header cannot carry every name unchanged.
  if (takesProject(operation) && wire.project == null && calling.project != null)
    wire.project = calling.project
  const request = buildRequest(findRoute(name), wire, { ...calling, idempotencyKey: keyFor(name, calling) })
  const patient = {
    ...calling,
    timeoutMs: (calling.timeoutMs ?? TIMEOUT_MS) + timeItMayTake(input) + waitOf(parsed),
  }
  return withRetries(name, patient, () => answerTo(request, operation.output, name, patient))
}

/** A query says so itself; it may wait as long for its turn. */
const timeItMayTake = (input: unknown): number =>
  2 * Number((input as { timeoutMs?: number } | undefined)?.timeoutMs ?? 0)

const waitOf = (parsed: unknown): number => Number((parsed as { waitMs?: number }).waitMs ?? 0)

/** With one a repeat answers with the world that the first try made. */
const keyFor = (name: OperationName, { idempotencyKey, retries = 0 }: Calling): string | undefined =>
  idempotencyKey ?? (name === 'createWorld' && retries > 0 ? crypto.randomUUID() : undefined)

async function withRetries<T>(name: OperationName, calling: Calling, call: () => Promise<T>): Promise<T> {
  const { retries = 0, signal, timeoutMs = TIMEOUT_MS } = calling
  try {
    if (retries === 0) return await call()
    return await retry(call, {
      when: (error) => isAway(error) && (name !== 'runTurn' || neverArrived(error)),
      // A service that hangs has had its time with the first try.
      until: performance.now() + timeoutMs,
      retries,
      firstPauseMs: RETRY_FIRST_MS,
      longestPauseMs: RETRY_LAST_MS,
      signal,
    })
  } catch (error) {
    throw signal?.aborted && !(error instanceof TurngraphError) ? callerGaveUp(error) : error
  }
}

const callerGaveUp = (cause: unknown): TurngraphError =>
  new TurngraphError('timeout', 'The caller gave up on the call.', { cause })

/** The bytes go as they come: a transcript may be larger than memory. */
async function uploadOverHttp(
  input: TranscriptUpload,
  chunks: AsyncIterable<Buffer>,
  calling: Calling,
): Promise<TranscriptUploaded> {
  parseInput(transcriptUpload, input, 'importTranscript')
  const { session_id: sessionId, ...fields } = toWire(transcriptUpload, input) as Record<string, unknown>
  if (fields.project == null && calling.project != null) fields.project = calling.project
  const path = UPLOAD_PATH.replace('{session_id}', pathSegment('session_id', String(sessionId)))
  const request = {
    url: `${calling.base}${path}${formatQuery(fields)}`,
    method: 'POST',
    headers: buildHeaders(calling, 'application/jsonl'),
    body: NodeStream.from(copyChunks(chunks)) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as const
  const once = { ...calling, rateLimitWaitMs: 0 } // its body has been read
  return answerTo(request, transcriptUploaded, 'importTranscript', once)
}

async function* copyChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk)
}

async function answerTo<S extends z.ZodType>(
  request: HttpRequest,
  output: S,
  name: string,
  calling: Calling,
): Promise<z.output<S>> {
  const { base, rateLimitWaitMs = 0, signal } = calling
  const { status, text } = await repeatWhenLimited(() => exchange(request, calling), rateLimitWaitMs, signal)
  const body = parseJsonInOrder(text)
  if (status < 200 || status >= 300) throw toError(status, body, base)
  try {
    return parseWire(output, body, name)
  } catch (cause) {
    throw new TurngraphError('internal', `${base} gave an answer that this version cannot read.`, {
      hint: 'Use the same version of Turngraph on both sides.',
      cause,
    })
  }
}

/** What is asked for: a `Request` would have to be copied for each try, and `fetch` copies it once more. */
type HttpRequest = RequestInit & { url: string; method: string; headers: Headers }

function buildRequest(route: Route, wire: Record<string, unknown>, calling: Calling): HttpRequest {
  const rest = { ...wire }
  const path = route.path.replace(/\{(\w+)\}/g, (_all, field: string) => {
    delete rest[field]
    return pathSegment(field, String(wire[field]))
  })
  const body = hasBody(route)
  const headers = buildHeaders(calling, body ? 'application/json' : null)
  const request = { url: `${calling.base}${path}`, method: route.method, headers }
  if (body) return { ...request, body: JSON.stringify(rest) }
  return { ...request, url: request.url + formatQuery(rest) }
}

/** An answer without an end: the time-out is for its beginning. */
function openEvents(request: EventsRequest, calling: Calling): Promise<Response> {
  const query = formatQuery(toWire(eventsRequest, request) as Record<string, unknown>)
  const headers = buildHeaders(calling, null, 'text/event-stream')
  return send(`${calling.base}${EVENTS_PATH}${query}`, { headers }, calling, async (response) => {
    if (response.status === 200 && isEventStream(response)) return response
    throw toError(response.status, parseJson(await response.text()), calling.base)
  })
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

function buildHeaders(
  { token, idempotencyKey }: Calling,
  contentType: string | null,
  accept = 'application/json',
): Headers {
  const headers = new Headers({ accept })
  if (token != null) headers.set('authorization', `Bearer ${token}`)
  if (idempotencyKey !== undefined) headers.set('idempotency-key', checkedKey(idempotencyKey))
  if (contentType !== null) headers.set('content-type', contentType)
  return headers
}

function formatQuery(fields: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(fields)) if (value != null) search.set(key, String(value))
  const query = search.toString()
  return query === '' ? '' : `?${query}`
}

const exchange = ({ url, ...init }: HttpRequest, calling: Calling) =>
  send(url, init, calling, async (response) => ({
    status: response.status,
    text: await response.text(),
    retryAfter: response.headers.get('retry-after'),
  }))

/** Sends a request and takes what answers it, both within the time of the call. */
async function send<T>(
  url: string,
  init: RequestInit,
  { base, signal, timeoutMs = TIMEOUT_MS, beforeSend }: Calling,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  const stop = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
  try {
    await beforeSend?.()
    return await take(await fetch(url, { ...init, redirect: 'manual', signal: stop }))
  } catch (cause) {
    if (cause instanceof TurngraphError) throw cause
    if (signal?.aborted) throw callerGaveUp(cause)
    if (late.signal.aborted) {
      throw new TurngraphError('timeout', `${base} did not answer within ${timeoutMs / 1000} s.`, {
        hint: 'Try again: a repeated capture is stored once.',
        cause,
      })
    }
    throw new TurngraphError('store_unavailable', `The service at ${base} cannot be reached.`, {
      hint: 'Start it (`turngraph serve`), or set TURNGRAPH_URL to where it is.',
      cause,
    })
  } finally {
    clearTimeout(timer)
  }
}

function toError(status: number, body: unknown, base: string): TurngraphError {
  const parsed = errorBody.safeParse(body)
  if (parsed.success) {
    const { code, message, hint, details } = parsed.data.error
    return new TurngraphError(code, message, { hint: hint ?? undefined, details })
  }
  // A proxy's own page, such as one to log in at, or another program's service.
  const away = status === 502 || status === 503 || status === 504 || (status >= 300 && status < 400)
  return new TurngraphError(
    away ? 'store_unavailable' : 'internal',
    `${base} answered ${status} in a form that is not Turngraph's.`,
    { hint: 'Check that TURNGRAPH_URL is the address of a Turngraph service.' },
  )
}

/** `.` and `..` are steps in a path, however they are encoded: they would reach another route. */
function pathSegment(field: string, value: string): string {
  if (value !== '.' && value !== '..') return encodeURIComponent(value)
  throw invalidField(field, `"${value}" cannot stand in an address`, {
    hint: 'MCP takes such a name, and so do a client and the command line on the graph itself, without a service.',
  })
}

function checkedKey(key: string): string {
  if (IDEMPOTENCY_KEY.test(key)) return key
  throw invalidField('idempotencyKey', 'must have 1 to 256 visible ASCII characters, for example a UUID')
}

function parseBase(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '')
  throw invalidField('url', `"${url}" is no http address`)
}
