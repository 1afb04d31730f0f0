/** `turngraph mcp`: serves the MCP tools on standard input and output. */
import { Console } from 'node:console'
import { TurngraphError } from '../core/errors.ts'
import type { Scope } from '../operations/operation.ts'
import { action, type Given, PROJECT } from './command.ts'
import { untilSignalled } from './signals.ts'

const READ_WITHIN_MS = 5_000

const OPTIONS = {
  ...PROJECT,
  role: [
    '--role <role>',
    'offer only the tools and fields of this role (default: all)',
    { choices: ['player', 'coach', 'observer'] },
  ],
  tools: [
    '--tools <list>',
    'tools to list (default: the eight that most agents need); all can be called',
    { choices: ['default', 'all'] },
  ],
} as const

export const addMcp = action(
  {
    name: 'mcp',
    description: 'serve the MCP tools on standard input and output, for agents',
    options: OPTIONS,
    help: `Without a running server it serves the graph in its own process, for other commands too, until its input ends.

A Player reads no verdict's evidence and records no verdict, a Coach records whole turns, an observer only adds what it saw.

Examples (Claude Code):
  claude mcp add turngraph -- npx --no-install turngraph mcp --project shop
  claude mcp add turngraph -- npx --no-install turngraph mcp --project shop --role player
  claude mcp add turngraph -- npx --no-install turngraph mcp --tools all`,
  },
  serveOverStdio,
)

const SCOPES_OF_ROLE = { player: ['play'], coach: ['judge'], observer: ['observe'] } as const

async function serveOverStdio({
  project,
  role,
  tools: toolList = 'default',
}: Given<typeof OPTIONS>): Promise<void> {
  const { configFor } = await import('./connect.ts')
  const { createLog } = await import('../platform/log.ts')
  const { serveMcpOnStdio } = await import('../mcp/stdio.ts')
  const { SharedService } = await import('./shared-service.ts')
  const { VERSION } = await import('../platform/version.ts')
  const { SCOPES } = await import('../operations/operation.ts')
  const { refuseWithoutScope } = await import('../operations/access.ts')
  const { EVENTS_SCOPES } = await import('../operations/events.ts')
  const config = configFor(project, { TURNGRAPH_LOG: process.env.TURNGRAPH_LOG || 'warn' })
  const log = createLog(config.logLevel)
  const service = new SharedService(config, project, log)
  // Standard output is reserved for the protocol: other text, such as the output of a package, would end the connection.
  globalThis.console = new Console(process.stderr)
  // If no process reads the output any more, the transport ends the connection and then the service. Other commands end at once.
  process.stdout.removeAllListeners('error')
  await service.client() // reports a graph that cannot be opened now instead of at the first call
  const scopes: ReadonlySet<Scope> = new Set(role === undefined ? SCOPES : SCOPES_OF_ROLE[role])
  const connection = serveMcpOnStdio({
    version: VERSION,
    scopes,
    toolList,
    call: (operation, input, { signal }) =>
      service.use((client) => client.callOperation(operation, input, { signal })),
    openChanges: async (of, signal) => {
      refuseWithoutScope(EVENTS_SCOPES, scopes)
      return service.changes(of, signal)
    },
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
