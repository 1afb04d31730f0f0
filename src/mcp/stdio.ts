// Serves MCP on standard input and output, in version 2026-07-28 and the versions of 2025.
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { errorAnswer, type Failures } from './protocol-errors.ts'
import { type OpenChanges, ResourceWatch, requestedUris } from './resource-watch.ts'
import { createMcpServer, type McpOptions } from './server.ts'
import { type EndOfConnection, StdioTransport } from './stdio-transport.ts'

type StdioOptions = Omit<McpOptions, 'subscriptions'> & {
  openChanges: OpenChanges
  onDefect: (error: unknown) => void
}

type StdioConnection = {
  ended: Promise<EndOfConnection>
  close(): Promise<void>
}

/** Version of MCP without a handshake: each request names its version. */
const VERSION_WITHOUT_HANDSHAKE = '2026-07-28'

/** Serves one connection. Its first message determines the version. */
export function serveMcpOnStdio({ openChanges, ...options }: StdioOptions): StdioConnection {
  let server: Server | null = null
  const watch = new ResourceWatch({
    openChanges,
    notify: (uri) => void server?.sendResourceUpdated({ uri }).catch(options.onDefect),
    onDefect: options.onDefect,
  })
  const transport = new ListeningTransport(watch, options)
  const handle = serveStdio(
    () => {
      server = createMcpServer({ ...options, subscriptions: watch })
      return server
    },
    { transport },
  )
  return {
    ended: transport.ended,
    close: async () => {
      watch.close()
      await handle.close()
    },
  }
}

/**
 * Watches the resources of a `subscriptions/listen` request before the SDK acknowledges the request. Rejects requests of an unknown
 * version unless a handshake determined the version, because the SDK checks the version of the first request only.
 */
class ListeningTransport extends StdioTransport {
  readonly #watch: ResourceWatch
  readonly #failures: Failures
  #hadHandshake = false
  /** `subscriptions/listen` requests whose resources are not watched yet. */
  readonly #opening = new Set<string | number>()

  constructor(watch: ResourceWatch, failures: Failures) {
    super()
    this.#watch = watch
    this.#failures = failures
  }

  protected override receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === 'initialize') this.#hadHandshake = true
    if (isJSONRPCRequest(message) && !this.#hadHandshake) {
      const requested = message.params?._meta?.[PROTOCOL_VERSION_META_KEY]
      if (typeof requested === 'string' && requested !== VERSION_WITHOUT_HANDSHAKE)
        return void this.#refuseVersion(message, requested)
    }
    const uris = requestedUris(message)
    if (uris !== null && isJSONRPCRequest(message)) return void this.#listen(message, uris)
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as string | number
      this.#opening.delete(id)
      this.#watch.unsubscribe(id)
      this.settle(id)
    }
    super.receive(message)
  }

  async #refuseVersion({ id }: JSONRPCRequest, requested: string): Promise<void> {
    const supported = [VERSION_WITHOUT_HANDSHAKE]
    const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested })
    await this.send({ jsonrpc: '2.0', id, error: { code, message, data } })
  }

  async #listen(request: JSONRPCRequest, uris: readonly string[]): Promise<void> {
    this.#opening.add(request.id)
    try {
      await this.#watch.subscribe(request.id, uris)
      if (this.#opening.delete(request.id)) super.receive(request)
    } catch (error) {
      this.#opening.delete(request.id)
      await this.send(errorAnswer(request, error, this.#failures))
    }
  }
}
