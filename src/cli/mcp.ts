/** `turngraph mcp`: serves the MCP tools on standard input and output. */
import { TurngraphError } from '../core/errors.ts'
import { action, PROJECT } from './command.ts'
import { untilSignalled } from './signals.ts'

export const addMcp = action(
  {
    name: 'mcp',
    description: 'serve the MCP tools on standard input and output, for agents',
    options: PROJECT,
    help: `Without a running server it serves the graph in its own process, for other commands too, until its input ends.

Example (Claude Code):
  claude mcp add turngraph -- npx turngraph mcp --project shop`,
  },
  serveOverStdio,
)

async function serveOverStdio({ project }: { project?: string | undefined }): Promise<void> {
  const [{ configFor }, { createLog }, { createMcpServer }, { SharedService }, { VERSION }, sdk] =
    await Promise.all([
      import('./connect.ts'),
      import('../platform/log.ts'),
      import('../mcp/server.ts'),
      import('./shared-service.ts'),
      import('../http/version.ts'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
    ])
  const config = configFor(project, { TURNGRAPH_LOG: process.env.TURNGRAPH_LOG || 'warn' })
  const log = createLog(config.logLevel)
  const service = new SharedService(config, project, log)
  await service.client() // a graph that cannot be opened is told at once, not at the first call
  const server = createMcpServer({
    version: VERSION,
    call: (operation, input) => service.call(operation, input),
    onDefect: (error) => log.error({ err: error }, 'a tool failed'),
  })
  const transport = new sdk.StdioServerTransport()
  transport.onerror = () => void transport.send(NO_MESSAGE)
  let closing = false
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    server.onclose = resolve
  })
  await server.connect(transport)
  const close = async () => {
    closing = true
    await server.close()
    await service.close()
  }
  await Promise.race([
    ended.then(async () => {
      const byItself = !closing && !process.stdin.readableEnded && !process.stdin.destroyed
      await close()
      if (byItself) throw lineTooLong()
    }),
    untilSignalled(close),
  ])
}

/** Answers a line that is not a message of MCP, which names no request to answer to. */
const NO_MESSAGE = {
  jsonrpc: '2.0' as const,
  error: { code: -32700, message: 'This line is not a JSON-RPC message of at most 10 MiB.' },
}

/** The transport closes by itself for this reason alone. */
const lineTooLong = (): TurngraphError =>
  new TurngraphError('too_large', 'A line on standard input is longer than 10 MiB.', {
    hint: 'Send less in one call.',
  })
