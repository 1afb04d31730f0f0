/** Client that calls a service over HTTP. */
import { ReadableStream as NodeStream } from 'node:stream/web' // the global class with the types of Node
import * as z from 'zod'
import { hasCode, invalidField, isAway, TurngraphError } from '../core/errors.ts'
import { IDEMPOTENCY_KEY, takesProject } from '../core/fields.ts'
import { joinSignals } from '../core/join-signals.ts'
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
import { clientIsClosed, endedCallError, neverArrived } from './client-errors.ts'
import { readEventStream } from './event-stream.ts'
import { repeatWhenLimited } from './repeat-when-limited.ts'

const TIMEOUT_MS = 30_000
const RETRY_FIRST_MS = 200
const RETRY_LAST_MS = 2_000

/** Maximum time-out of Node: a longer timer fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export const httpClientOptions = z.strictObject({
  /** Address of the service, for example `http://127.0.0.1:7480`. */
  url: z.string(),
  token: z.string().nullish(),
  /** Project of calls without one; default: the project of the token, otherwise the default of the service. */
  project: z.string().nullish(),
  /** Time-out of a request in milliseconds; default 30,000. */
  timeoutMs: z.number().min(1).max(MAX_TIMEOUT_MS).optional(),
  /**
   * Number of retries while the service is unreachable, after 0.2 to 2 s each; default 0. Repeats only idempotent calls:
   * `runTurn` only if the request never arrived, and never the upload of a transcript.
   */
  retries: z.number().int().min(0).max(100).optional(),
  /**
   * Maximum total wait of a call, in milliseconds, if the service rejects it for its rate; default 0: the call fails with
   * `rate_limited`. The upload of a transcript never waits.
   */
  rateLimitWaitMs: z.number().int().min(0).optional(),
  /** Identity of this program in leases; default: a new UUID. */
  workerId: z.string().min(1).optional(),
})

export type HttpClientOptions = z.input<typeof httpClientOptions> & {
  /** Runs before each request. The request is not sent if it rejects, for example if the service cannot prove its identity. */
  beforeSend?: () => Promise<void>
}

export type HttpClient = TurngraphClient & {
  callOperation<N extends OperationName>(
    name: N,
    input: unknown,
    options?: CallOptions,
  ): Promise<OperationOutput<N>>
  /** Opens the stream of events once, and returns its response. Unlike `events`, it does not reconnect. */
  openEvents(request: EventsRequest, signal: AbortSignal): Promise<Response>
}

/** Creates a client that calls a service over HTTP. Results and errors equal those of the in-process client. */
export function httpClient(options: HttpClientOptions): HttpClient {
  const workerId = options.workerId ?? crypto.randomUUID()
  const base = parseBase(options.url)
  if (options.token != null && !VISIBLE_ASCII.test(options.token)) {
    throw invalidField('token', 'holds characters that no token has')
  }
  const closing = new AbortController()
  const underWay = new Set<AbortController>()
  /** Ends the call when the client closes. With one signal for all calls, Node 20 would keep 130 bytes of each call. */
  const runWhileOpen = async <T>(callOptions: CallOptions, run: (calling: Calling) => Promise<T>) => {
    if (closing.signal.aborted) throw clientIsClosed()
    const ending = new AbortController()
    underWay.add(ending)
    try {
      const signal = joinSignals(callOptions.signal, ending.signal)
      return await run({ ...options, ...callOptions, base, signal })
    } finally {
      underWay.delete(ending)
    }
  }
  const call = <N extends OperationName>(name: N, input: unknown, callOptions: CallOptions = {}) =>
    runWhileOpen(callOptions, (calling) => runOverHttp(name, input, calling))
  const calls = callsBy(call)
  const upload: TurngraphClient['importTranscript'] = (input, chunks, callOptions = {}) =>
    runWhileOpen(callOptions, (calling) => uploadOverHttp(input, chunks, calling))
  const open: HttpClient['openEvents'] = (request, stop) =>
    openEvents(request, { ...options, base, signal: stop })
  return {
    ...calls,
    callOperation: call,
    importTranscript: upload,
    openEvents: open,
    events: async function* (input = {}, { signal, onAway } = {}) {
      if (closing.signal.aborted) throw clientIsClosed()
      const request = parseInput(eventsRequest, { project: options.project, ...input }, 'events')
      yield* readEventStream(request, { open, signal: joinSignals(signal, closing.signal), onAway })
    },
    workerId: async () => workerId,
    spool: async () => null,
    close: async () => {
      closing.abort()
      for (const ending of underWay) ending.abort(clientIsClosed())
    },
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/

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
  // Parses here, too, so that errors contain the caller's field names and unknown fields are rejected. Sends the unparsed input,
  // because the service parses it anyway.
  const parsed = parseInput(operation.input, input, name)
  const wire = toWire(operation.input, input) as Record<string, unknown>
  // Sends the project in the input, because the header Turngraph-Project cannot carry every name unchanged.
  const needsProject = !operation.wholeGraph && takesProject(operation.input)
  if (needsProject && wire.project == null && calling.project != null) wire.project = calling.project
  const request = buildRequest(findRoute(name), wire, { ...calling, idempotencyKey: keyFor(name, calling) })
  const timeoutMs = (calling.timeoutMs ?? TIMEOUT_MS) + timeItMayTake(input) + waitOf(parsed)
  const patient = { ...calling, timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS) }
  let mayHaveArrived = false
  return withRetries(name, patient, () =>
    answerTo(request, operation.output, name, patient).catch((error: unknown) => {
      // An earlier try deleted the world, but its answer was lost.
      const deleted = name === 'deleteWorld' && mayHaveArrived ? deletedWorldIn(error) : undefined
      if (deleted !== undefined) return parseWire(operation.output, deleted, name)
      mayHaveArrived ||= !neverArrived(error)
      throw error
    }),
  )
}

const deletedWorldIn = (error: unknown): unknown =>
  hasCode(error, 'world_deleted') ? (error.details as { world?: unknown } | null)?.world : undefined

/** Returns the additional time of a query: its own time-out, and the same time for its place in the queue. */
const timeItMayTake = (input: unknown): number =>
  2 * Number((input as { timeoutMs?: number } | undefined)?.timeoutMs ?? 0)

const waitOf = (parsed: unknown): number => Number((parsed as { waitMs?: number }).waitMs ?? 0)

/** Returns the idempotency key of a call. With a key, a retry of `createWorld` returns the world of the first attempt. */
const keyFor = (name: OperationName, { idempotencyKey, retries = 0 }: Calling): string | undefined =>
  idempotencyKey ?? (name === 'createWorld' && retries > 0 ? crypto.randomUUID() : undefined)

async function withRetries<T>(name: OperationName, calling: Calling, call: () => Promise<T>): Promise<T> {
  const { retries = 0, signal, timeoutMs = TIMEOUT_MS } = calling
  try {
    if (retries === 0) return await call()
    return await retry(call, {
      when: (error) => isAway(error) && (name !== 'runTurn' || neverArrived(error)),
      // The first attempt already used the time of a service that hangs.
      until: performance.now() + timeoutMs,
      retries,
      firstPauseMs: RETRY_FIRST_MS,
      longestPauseMs: RETRY_LAST_MS,
      signal,
    })
  } catch (error) {
    throw signal?.aborted && !(error instanceof TurngraphError) ? endedCallError(signal) : error
  }
}

/** Streams the bytes, because a transcript may be larger than memory. */
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
  const once = { ...calling, rateLimitWaitMs: 0 } // a body that was read cannot be sent again
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

/** Plain data of a request: a `Request` must be copied for each attempt, and `fetch` copies it once more. */
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

async function send<T>(
  url: string,
  init: RequestInit,
  { base, signal, timeoutMs = TIMEOUT_MS, beforeSend }: Calling,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  const stop = joinSignals(signal, late.signal)
  try {
    await beforeSend?.()
    return await take(await fetch(url, { ...init, redirect: 'manual', signal: stop }))
  } catch (cause) {
    if (cause instanceof TurngraphError) throw cause
    if (signal?.aborted) throw endedCallError(signal)
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
  // The answer comes from a proxy, such as its login page, or from another program.
  const away = status === 502 || status === 503 || status === 504 || (status >= 300 && status < 400)
  return new TurngraphError(
    away ? 'store_unavailable' : 'internal',
    `${base} answered ${status} in a form that is not Turngraph's.`,
    { hint: 'Check that TURNGRAPH_URL is the address of a Turngraph service.' },
  )
}

/** Encodes a part of a path. Rejects `.` and `..`, which lead to another route in any encoding. */
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

/** Removes a user and a password, which `fetch` rejects and messages must not show, and slashes at the end. */
export function parseBase(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalidField('url', `"${url}" is no http address`)
  const base = new URL(url)
  base.username = ''
  base.password = ''
  return base.href.replace(/\/+$/, '')
}

export const toAddress = (url: string): string => new URL(parseBase(url)).href
