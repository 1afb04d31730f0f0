// Serves Turngraph's tools, resources and prompts to one MCP connection, over any transport.
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { invalidField } from '../core/errors.ts'
import { answerFor, refuseCall } from '../operations/access.ts'
import type { Scope } from '../operations/operation.ts'
import type { ToolList } from '../operations/tools.ts'
import type { CallContext, CallOperation } from './call-operation.ts'
import { callTool } from './call-tool.ts'
import { listTools } from './manifest.ts'
import { fillPrompt, listPrompts } from './prompts.ts'
import { type Failures, withProtocolErrors } from './protocol-errors.ts'
import type { ResourceWatch } from './resource-watch.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import { withTrace } from './trace-context.ts'

export type McpOptions = Failures & {
  version: string
  /** Scopes of the connection. They determine the listed tools, resources and prompts, and the permitted calls. */
  scopes: ReadonlySet<Scope>
  /** Tools that the connection lists. It may call the others too. */
  toolList: ToolList
  call: CallOperation
  /**
   * Subscriptions of a connection of 2025; null if it has none. In version 2026-07-28 the transport answers
   * `subscriptions/listen`.
   */
  subscriptions: Subscriptions | null
}

export type Subscriptions = Pick<ResourceWatch, 'subscribe' | 'unsubscribe'>

type RequestMeta = Pick<ServerContext['mcpReq'], '_meta'>

/** Versions with `initialize`. The transport adds 2026-07-28, which has none (`createMcpHandler`, `serveStdio`). */
const VERSIONS_WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Cache hints of the lists of tools, templates and prompts, which depend on the version of Turngraph and on the token. */
const OF_THIS_TOKEN = { ttlMs: 60 * 60 * 1_000, cacheScope: 'private' } as const

const CAPABILITIES = {
  tools: {},
  resources: { subscribe: true },
  prompts: {},
  logging: {},
} as const

/** Creates the server of a connection, or of a request if the transport keeps no state between requests. */
export function createMcpServer({
  version,
  scopes,
  toolList,
  call: callAny,
  subscriptions,
  ...failures
}: McpOptions): Server {
  const call: CallOperation = async (operation, input, context) => {
    refuseCall(operation, input, scopes)
    // The service may know the connection by a token with more scopes.
    return answerFor(operation, scopes, () => callAny(operation, input, context))
  }
  const server = new Server(
    { name: 'turngraph', title: 'Turngraph', version },
    {
      capabilities: CAPABILITIES,
      supportedProtocolVersions: VERSIONS_WITH_HANDSHAKE,
      cacheHints: {
        'server/discover': { ...OF_THIS_TOKEN, cacheScope: 'public' },
        'tools/list': OF_THIS_TOKEN,
        'prompts/list': OF_THIS_TOKEN,
        'resources/templates/list': OF_THIS_TOKEN,
      },
      instructions:
        'The memory of autobuild sessions. Before a turn: next_step or get_continuation_context. After it: capture_turn_state. To have turns run durably: run_turn, then poll as its answer says. The server has more tools than it lists: `turngraph mcp --tools all`, or /mcp?tools=all.',
    },
  )
  const answer = <T>({ _meta }: RequestMeta, work: () => Promise<T>, about?: object): Promise<T> =>
    withProtocolErrors(failures, () => withTrace(_meta, work), about)
  server.setRequestHandler('tools/list', () => ({ tools: listTools(scopes, toolList) }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    answer(mcpReq, () =>
      callTool(params, { call, scopes, failures, request: mcpReq, context: toContext(mcpReq) }),
    ),
  )
  server.setRequestHandler('resources/list', ({ params }, { mcpReq }) =>
    answer(mcpReq, () => listResources(params?.cursor, scopes, call, toContext(mcpReq))),
  )
  server.setRequestHandler('resources/templates/list', () => listTemplates(scopes))
  server.setRequestHandler('resources/read', ({ params: { uri } }, { mcpReq }) =>
    answer(mcpReq, () => readResource(uri, call, toContext(mcpReq)), { uri }),
  )
  const subscribe = async (uri: string) => {
    await requireSession(subscriptions).subscribe(uri, [uri])
    return {}
  }
  const unsubscribe = async (uri: string) => {
    requireSession(subscriptions).unsubscribe(uri)
    return {}
  }
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, { mcpReq }) =>
    answer(mcpReq, () => subscribe(uri), { uri }),
  )
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }, { mcpReq }) =>
    answer(mcpReq, () => unsubscribe(uri), { uri }),
  )
  server.setRequestHandler('prompts/list', () => listPrompts(scopes))
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) =>
    answer(mcpReq, () => fillPrompt(params, call, toContext(mcpReq))),
  )
  return server
}

/** Builds the context of a call. Ignores failed messages, because the request of a disconnected caller is aborted anyway. */
const toContext = ({ signal, log }: ServerContext['mcpReq']): CallContext => ({
  signal,
  tell: (message) => void log('info', message, 'turngraph').catch(() => {}),
})

/** Requires a session. Over HTTP, a subscription of 2025 needs the stream of its session for notifications. */
function requireSession(subscriptions: Subscriptions | null): Subscriptions {
  if (subscriptions !== null) return subscriptions
  throw invalidField('Mcp-Session-Id', 'is missing', {
    hint: 'Send the session that initialize answered, and open its stream (GET /mcp).',
  })
}
