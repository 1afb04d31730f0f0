/**
 * Keeps the state of MCP clients of 2025 between requests: the stream of a session, its subscriptions, and its cancellable
 * calls. Any replica answers their other requests, even without knowing the session.
 */
import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { ResourceWatch } from '../mcp/resource-watch.ts'
import type { Subscriptions } from '../mcp/server.ts'
import { refuseTooManyReaders } from '../operations/events.ts'
import { isStillAllowed, readCaller } from './authorize.ts'
import { beginEventStream, keepStreamAlive } from './event-stream.ts'
import { badHeader } from './input.ts'
import { openChangesFor, refuseWhereClosing, UpdatesToReader } from './mcp-updates.ts'
import type { OperationContext } from './operation-handler.ts'

const HEADER = 'Mcp-Session-Id'
/** First version whose clients accept an event without data. */
const VERSION_WITH_EVENT_IDS = '2025-11-25'
const ID = /^[\x21-\x7e]{1,128}$/
/** Time that the subscriptions of a session without a stream wait for the next request of its client. */
const COME_BACK_MS = 60_000
/** Number of ended sessions, the newest ones, that the service remembers to answer 404, as the specification requires. */
const ENDED_REMEMBERED = 1_000

type OpenSession = {
  watch: ResourceWatch
  stream: { res: Response; updates: UpdatesToReader } | null
  /** Resources that changed while no stream was open. */
  missed: Set<string>
  expiry: NodeJS.Timeout | undefined
}

export type Session = Subscriptions & {
  /** Returns a signal that is aborted when another request of the client cancels a request of this body. */
  cancelledBy(body: unknown, res: Response): AbortSignal
}

export class McpSessions {
  readonly #context: OperationContext
  readonly #open = new Map<string, OpenSession>()
  readonly #running = new Map<string, AbortController>()
  readonly #ended = new Set<string>()
  /** Event id of all streams of this process. A client sends it again when its stream broke. */
  readonly #eventId = randomUUID()

  constructor(context: OperationContext) {
    this.#context = context
    context.closing.addEventListener('abort', () => this.#closeAll())
  }

  /** Assigns an id to a new session. The session has no state until it opens a stream or subscribes. */
  begin(res: Response): void {
    res.setHeader(HEADER, randomUUID())
  }

  /** @throws `not_found` if the session has ended */
  findSession(req: Request, res: Response): Session | null {
    const key = this.#readKey(req, res)
    if (key === null) return null
    const open = this.#open.get(key)
    if (open?.stream === null) this.#expire(key, open) // its client is not away
    return {
      subscribe: (subscriber, uris) => this.#openSession(key, req, res).watch.subscribe(subscriber, uris),
      unsubscribe: (subscriber) => this.#open.get(key)?.watch.unsubscribe(subscriber),
      cancelledBy: (body, answer) => this.#cancelledBy(key, body, answer),
    }
  }

  /**
   * `GET /mcp`: opens the stream of a session that reports changes. A second stream replaces the first.
   *
   * @throws `not_found` if the session has ended, or if its last stream was in another process, which had the subscriptions
   */
  openStream(req: Request, res: Response): void {
    const key = this.#readKey(req, res)
    if (key === null) return void refuseMethod(res)
    if ((req.get('Last-Event-ID') ?? this.#eventId) !== this.#eventId)
      throw endedSession('This session of MCP was in another process.')
    refuseWhereClosing(this.#context)
    const session = this.#openSession(key, req, res)
    session.stream?.res.end()
    clearTimeout(session.expiry)
    beginEventStream(res).flushHeaders()
    if ((req.get('MCP-Protocol-Version') ?? '') >= VERSION_WITH_EVENT_IDS)
      res.write(`id: ${this.#eventId}\ndata:\n\n`)
    keepStreamAlive(res)
    const updates = new UpdatesToReader(res, (uri) => {
      if (isStillAllowed(res, 'read')) res.write(renderFrame(uri))
      else res.end()
    })
    session.stream = { res, updates }
    res.once('close', () => {
      if (session.stream?.res !== res) return
      session.stream = null
      this.#expire(key, session)
    })
    for (const uri of session.missed) updates.notify(uri)
    session.missed.clear()
  }

  /** `DELETE /mcp` */
  end(req: Request, res: Response): void {
    const key = this.#readKey(req, res)
    if (key === null) return void refuseMethod(res)
    this.#end(key)
    res.status(204).end()
  }

  #end(key: string): void {
    this.#close(key)
    this.#ended.add(key)
    const [oldest] = this.#ended
    if (this.#ended.size > ENDED_REMEMBERED && oldest !== undefined) this.#ended.delete(oldest)
  }

  /** Builds the key of a session, which includes the caller: the token of another caller cannot use the session. */
  #readKey(req: Request, res: Response): string | null {
    const id = req.headers['mcp-session-id']
    if (id === undefined) return null
    if (typeof id !== 'string' || !ID.test(id))
      throw badHeader(HEADER, 'is no session that initialize answered')
    const { name, project } = readCaller(res)
    const key = JSON.stringify([name, project, id])
    if (!this.#ended.has(key)) return key
    throw endedSession('This session of MCP has ended.')
  }

  #openSession(key: string, req: Request, res: Response): OpenSession {
    const known = this.#open.get(key)
    if (known !== undefined) return known
    refuseTooManyReaders(this.#context, this.#open.size)
    const session: OpenSession = {
      watch: new ResourceWatch({
        openChanges: openChangesFor(this.#context, res),
        notify: (uri) => {
          if (session.stream === null) session.missed.add(uri)
          else session.stream.updates.notify(uri)
        },
        onDefect: (error) => req.log.error({ err: error }, 'a subscription of MCP failed'),
      }),
      stream: null,
      missed: new Set(),
      expiry: undefined,
    }
    this.#open.set(key, session)
    this.#expire(key, session)
    return session
  }

  #expire(key: string, session: OpenSession): void {
    clearTimeout(session.expiry)
    const expire = () => {
      // A client that comes back must learn that its subscriptions are gone.
      if (session.watch.hasSubscriptions) this.#end(key)
      else this.#close(key)
    }
    session.expiry = setTimeout(expire, COME_BACK_MS).unref()
  }

  #close(key: string): void {
    const session = this.#open.get(key)
    if (session === undefined) return
    this.#open.delete(key)
    clearTimeout(session.expiry)
    session.watch.close()
    session.stream?.res.end()
  }

  #closeAll(): void {
    for (const key of this.#open.keys()) this.#close(key)
  }

  #cancelledBy(session: string, body: unknown, res: Response): AbortSignal {
    const messages: Message[] = Array.isArray(body) ? body : [body]
    const stop = new AbortController()
    const keyOfRequest = (id: unknown) => JSON.stringify([session, id])
    for (const { method, params } of messages) {
      if (method === 'notifications/cancelled') this.#running.get(keyOfRequest(params?.requestId))?.abort()
    }
    const keys = messages.flatMap(({ id }) => (id === undefined ? [] : [keyOfRequest(id)]))
    for (const key of keys) this.#running.set(key, stop)
    res.once('close', () => {
      for (const key of keys) if (this.#running.get(key) === stop) this.#running.delete(key)
    })
    return stop.signal
  }
}

const endedSession = (message: string): TurngraphError =>
  new TurngraphError('not_found', message, { hint: 'Send initialize again.' })

type Message = { id?: unknown; method?: unknown; params?: { requestId?: unknown } }

const renderFrame = (uri: string): string => {
  const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}

/** Rejects the method, because a client without a session has no stream. */
function refuseMethod(res: Response): void {
  res.status(405).setHeader('Allow', 'POST').end()
}
