import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { withProject } from './options.ts'
import { untilToldToEnd } from './signals.ts'

export function addMcp(program: Command): void {
  const mcp = program
    .command('mcp')
    .description('serve the MCP tools on standard input and output, for agents')
    .addHelpText(
      'after',
      `
Without a running server it serves the graph in its own process, for other commands too, until its input ends.

Example (Claude Code):
  claude mcp add turngraph -- npx turngraph mcp --project shop
`,
    )
    .action(serveOverStdio)
  withProject(mcp)
}

async function serveOverStdio({ project }: { project?: string }): Promise<void> {
  const [{ loadConfig }, { createLog }, { createMcpServer }, { SharedService }, { VERSION }, sdk] =
    await Promise.all([
      import('../config.ts'),
      import('../log.ts'),
      import('../mcp/server.ts'),
      import('./shared-service.ts'),
      import('../http/version.ts'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
    ])
  const config: Config = loadConfig({
    ...process.env,
    TURNGRAPH_LOG: process.env.TURNGRAPH_LOG || 'warn',
    ...(project !== undefined && { TURNGRAPH_PROJECT: project }),
  })
  const log = createLog(config.logLevel)
  const service = new SharedService(config, project, log)
  await service.client() // a graph that cannot be opened is told at once, not at the first call
  const server = createMcpServer({
    version: VERSION,
    call: (operation, input) => service.call(operation, input),
    onDefect: (error) => log.error({ err: error }, 'a tool failed'),
  })
  const transport = new sdk.StdioServerTransport()
  await server.connect(transport)
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
  })
  const close = async () => {
    await server.close()
    await service.close()
  }
  await Promise.race([ended.then(close), untilToldToEnd(close)])
}
