// Serves MCP over streamable HTTP: 2026-07-28, whose requests are independent, and the versions of 2025.
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import { invalidField } from '../core/errors.ts'
import { joinSignals } from '../core/join-signals.ts'
import { errorAnswer, type Failures } from '../mcp/protocol-errors.ts'
import { ResourceWatch, requestedUris } from '../mcp/resource-watch.ts'
import { createMcpServer, type Subscriptions } from '../mcp/server.ts'
import { operations } from '../operations/table.ts'
import type { ToolList } from '../operations/tools.ts'
import { VERSION } from '../platform/version.ts'
import { answerJson } from './answer.ts'
import { isStillAllowed, readCaller } from './authorize.ts'
import { parseQuery, projectHeader } from './input.ts'
import { answerInQueue } from './large-answers.ts'
import { McpSessions } from './mcp-sessions.ts'
import { openChangesFor, refuseWhereClosing, UpdatesToReader } from './mcp-updates.ts'
import { type OperationContext, runFor } from './operation-handler.ts'

/** Endpoint `/mcp`. Each request has its token and its project, so that any replica can answer it. */
export class McpEndpoint {
  readonly #context: OperationContext
  readonly #sessions: McpSessions

  constructor(context: OperationContext) {
    this.#context = context
    this.#sessions = new McpSessions(context)
  }

  async answer(req: Request, res: Response): Promise<void> {
    this.#context.schema.refuseUnlessCurrent()
    readToolList(req) // rejects an unknown list with one error for all versions of MCP
    if (req.method === 'GET') return this.#sessions.openStream(req, res)
    if (req.method === 'DELETE') return this.#sessions.end(req, res)
    if (await isLegacyRequest(toWebRequest(req), req.body)) return this.#answerOf2025(req, res)
    const requested = requestedUris(req.body)
    return requested === null ? this.#answerAlone(req, res) : this.#listen(req, res, requested)
  }

  async #answerOf2025(req: Request, res: Response): Promise<void> {
    const session = this.#sessions.findSession(req, res)
    if (isInitializeRequest(req.body)) this.#sessions.begin(res)
    const server = this.#serverFor(req, res, {
      subscriptions: session,
      cancelled: session?.cancelledBy(req.body, res) ?? null,
    })
    // Answers with a single JSON body, unless the caller requests progress notifications.
    const transport = new NodeStreamableHTTPServerTransport({
      enableJsonResponse: !asksForProgress(req.body),
    })
    res.once('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(req, res, req.body)
  }

  async #answerAlone(req: Request, res: Response, bus?: ServerEventBus): Promise<void> {
    const handler = createMcpHandler(() => this.#serverFor(req, res), {
      legacy: 'reject',
      onerror: (error) => req.log.debug({ err: error }, 'mcp'),
      ...(bus !== undefined && { bus }),
    })
    const end = () => void handler.close() // an orderly end, which the reader can tell from a broken connection
    const { closing } = this.#context
    refuseWhereClosing(this.#context)
    closing.addEventListener('abort', end)
    res.once('close', () => closing.removeEventListener('abort', end))
    await toNodeHandler(handler)(req, res, req.body)
  }

  /** Watches the resources of a subscription, and then lets the SDK acknowledge it. */
  async #listen(req: Request, res: Response, uris: readonly string[]): Promise<void> {
    let publish: Parameters<ServerEventBus['subscribe']>[0] = () => {}
    const updates = new UpdatesToReader(res, (uri) => {
      if (isStillAllowed(res, 'read')) publish({ kind: 'resource_updated', uri })
      else res.destroy()
    })
    const watch = new ResourceWatch({
      openChanges: openChangesFor(this.#context, res),
      notify: (uri) => updates.notify(uri),
      onDefect: (error) => req.log.error({ err: error }, 'a subscription of MCP failed'),
    })
    res.once('close', () => watch.close())
    try {
      await watch.subscribe('listen', uris)
    } catch (error) {
      return answerJson(res, 200, errorAnswer(req.body, error, createFailures(req)))
    }
    await this.#answerAlone(req, res, {
      publish: () => {},
      subscribe: (listener) => {
        publish = listener
        return () => watch.close()
      },
    })
  }

  #serverFor(
    req: Request,
    res: Response,
    {
      subscriptions = null,
      cancelled = null,
    }: { subscriptions?: Subscriptions | null; cancelled?: AbortSignal | null } = {},
  ): Server {
    const caller = readCaller(res)
    const project = projectHeader(req)
    return createMcpServer({
      version: VERSION,
      scopes: caller.scopes,
      toolList: readToolList(req),
      ...createFailures(req),
      subscriptions,
      call: async (operation, input, { signal, tell }) => {
        const { largeRecords } = operations[operation]
        const ended = joinSignals(signal, cancelled ?? undefined)
        const log = (text: string, fields?: Record<string, unknown>) => {
          req.log.info(fields ?? {}, text)
          tell(text)
        }
        const answer = () =>
          runFor(this.#context, caller, operation, { project, ...input }, { signal: ended, log })
        return largeRecords ? answerInQueue(answer, ended) : answer()
      },
    })
  }
}

const createFailures = (req: Request): Failures => ({
  requestId: String(req.id),
  onDefect: (error) => req.log.error({ err: error }, 'a request of MCP failed'),
})

/** Builds the request from which the SDK detects the version. The body is passed separately, because it is already parsed. */
function toWebRequest({ headers }: Request): globalThis.Request {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && name.startsWith('mcp-') ? [[name, value]] : [],
  )
  return new globalThis.Request('http://localhost/mcp', { method: 'POST', headers: entries })
}

/** @throws `invalid_request` for another value of `tools` in the query */
function readToolList({ url }: Request): ToolList {
  const { tools = 'default' } = parseQuery(url)
  if (tools !== 'default' && tools !== 'all') throw invalidField('tools', 'must be "default" or "all"')
  return tools
}

const asksForProgress = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some((message) => message?.params?._meta?.progressToken !== undefined)
