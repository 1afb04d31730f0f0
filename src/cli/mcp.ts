/** `turngraph mcp`: serves the MCP tools on standard input and output. */
import { Console } from 'node:console'
import { TurngraphError } from '../core/errors.ts'
import { action, PROJECT } from './command.ts'
import { untilSignalled } from './signals.ts'

/** Time for a client to read the last answers after the end. */
const READ_WITHIN_MS = 5_000

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
  const { configFor } = await import('./connect.ts')
  const { createLog } = await import('../platform/log.ts')
  const { serveMcpOnStdio } = await import('../mcp/stdio.ts')
  const { SharedService } = await import('./shared-service.ts')
  const { VERSION } = await import('../platform/version.ts')
  const config = configFor(project, { TURNGRAPH_LOG: process.env.TURNGRAPH_LOG || 'warn' })
  const log = createLog(config.logLevel)
  const service = new SharedService(config, project, log)
  // Standard output is reserved for the protocol: other text, such as the output of a package, would end the connection.
  globalThis.console = new Console(process.stderr)
  // If no process reads the output any more, the transport ends the connection and then the service. Other commands end at once.
  process.stdout.removeAllListeners('error')
  await service.client() // reports a graph that cannot be opened now instead of at the first call
  const connection = serveMcpOnStdio({
    version: VERSION,
    call: (operation, input, { signal }) =>
      service.use((client) => client.callOperation(operation, input, { signal })),
    openChanges: (of, signal) => service.changes(of, signal),
    onDefect: (error) => log.error({ err: error }, 'a request of MCP failed'),
  })
  const close = async () => {
    await connection.close()
    await service.close()
    setTimeout(() => process.exit(), READ_WITHIN_MS).unref() // unread answers must not keep the process alive
  }
  await Promise.race([
    connection.ended.then(async (reason) => {
      await close()
      if (reason === 'line too long') throw lineTooLong()
    }),
    untilSignalled(close),
  ])
}

const lineTooLong = (): TurngraphError =>
  new TurngraphError('too_large', 'A line on standard input is longer than 10 MiB.', {
    hint: 'Send less in one call.',
  })
