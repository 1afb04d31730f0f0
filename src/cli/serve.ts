/** `turngraph serve`: serves the graph over HTTP. */
import path from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'
import type { Config } from '../platform/config.ts'
import { action, type Given } from './command.ts'
import { limitHeapGrowth } from './limit-heap.ts'
import { printNote, printText } from './output.ts'
import { pageAddress } from './page-address.ts'
import { untilSignalled } from './signals.ts'

const OPTIONS = {
  host: ['--host <host>', 'the address to listen on (TURNGRAPH_HOST)'],
  port: ['--port <port>', 'the port; 0 is any free one (TURNGRAPH_PORT)'],
  store: ['--store <url>', 'where the graph is, for example neo4j://db:7687 (TURNGRAPH_STORE)'],
  acceptLoss: [
    '--accept-loss',
    'serve an embedded graph that has lost acknowledged writes (TURNGRAPH_ACCEPT_LOSS)',
  ],
  printAddress: [
    '--print-address',
    'print the address of the page with a code for one browser; always printed at a terminal',
  ],
} as const

export const addServe = action(
  {
    name: 'serve',
    description: 'serve the graph over HTTP until SIGINT or SIGTERM',
    options: OPTIONS,
    help: 'Examples:\n  turngraph serve\n  turngraph serve --port 0 --store embedded:memory',
  },
  (given) => serve(given),
)

/** @param options.keepsPort false: if the port is taken, a free one replaces it; default: it is kept if the user has chosen it */
export async function serve(
  given: Given<typeof OPTIONS>,
  { keepsPort = given.port !== undefined || Boolean(process.env.TURNGRAPH_PORT) } = {},
): Promise<void> {
  const { host, port, store, acceptLoss = false, printAddress = process.stderr.isTTY } = given
  const { loadConfig, storeName } = await import('../platform/config.ts')
  const { openGraph } = await import('../graph/open.ts')
  const { startService } = await import('../http/service.ts')
  const { createLog } = await import('../platform/log.ts')
  const { runningServer } = await import('./running-server.ts')
  const config = loadConfig({
    ...process.env,
    ...(host !== undefined && { TURNGRAPH_HOST: host }),
    ...(port !== undefined && { TURNGRAPH_PORT: port }),
    ...(store !== undefined && { TURNGRAPH_STORE: store }),
    ...(acceptLoss && { TURNGRAPH_ACCEPT_LOSS: 'on' }),
  })
  limitHeapGrowth()
  const running = await runningServer(config)
  if (running !== null) throw alreadyServed(config.dataFolder, running)
  const log = createLog(logLevel(config))
  const graph = await openGraph(config.store)
  const start = (on: Config) => startService({ config: on, graph, log })
  const starting = start(config)
    .catch((error: unknown) => {
      // Without a printed address, the user does not know the other port.
      if (keepsPort || !printAddress || !isPortTaken(error)) throw error
      printNote(`${describeTakenPort(config)} The page gets a free one.`)
      return start({ ...config, port: 0 })
    })
    .catch(async (error: unknown) => {
      await graph.close()
      throw portTaken(config, error)
    })
  // A signal during the start or the announcement ends the service gracefully, too.
  const ended = untilSignalled(async () => (await starting).close())
  const service = await starting
  const announce = async () => {
    const token = config.auth === 'token' ? path.join(config.dataFolder, 'token') : null
    if (process.stderr.isTTY || !log.isLevelEnabled('info'))
      await greet(config, storeName(config.store), service.url, token)
    else if (token !== null) log.info({ token }, 'the token of this service lies in this file')
    if (printAddress && config.web)
      printText(`Open ${await pageAddress({ ...config, token: null }, service.url)}`)
  }
  await Promise.race([ended, announce()])
  await ended
}

/** Chooses the log level. At a terminal, the two lines of the start message replace the JSON log unless a level is set. */
const logLevel = (config: Config): string =>
  process.stderr.isTTY && !process.env.TURNGRAPH_LOG ? 'warn' : config.logLevel

async function greet(config: Config, store: string, url: string, token: string | null): Promise<void> {
  printNote(`Turngraph listens on ${url} and serves ${store}.`)
  printNote(
    token === null
      ? 'It asks for no token.'
      : `Its token lies in ${token}; commands here use it by themselves.`,
  )
  if (!process.stderr.isTTY) return
  for (const line of nextSteps(config, url, await readNextCommand(config, url))) printNote(line)
}

const MAX_CHOICE_MS = 5_000

/** Returns null if the service cannot read its graph in time, because an unreachable store must not delay the start. */
async function readNextCommand(config: Config, url: string): Promise<string | null> {
  const { createHttpClient } = await import('./connect.ts')
  const { chooseNextCommand } = await import('./next-steps.ts')
  const client = createHttpClient({ ...config, token: null }, undefined, url)
  try {
    const signal = AbortSignal.timeout(MAX_CHOICE_MS)
    return await chooseNextCommand(client, config.project, { signal })
  } catch (error) {
    if (error instanceof TurngraphError) return null
    throw error
  } finally {
    await client.close()
  }
}

/** Lists the next steps for a person at a terminal. The view of the API is part of the page. */
export const nextSteps = ({ web }: Pick<Config, 'web'>, url: string, command: string | null): string[] => [
  ...(command === null ? [] : [`\nNext, in another terminal: ${command}`]),
  `API: ${url}${web ? '/docs' : '/openapi.json'}    End: Ctrl+C`,
]

const alreadyServed = (dataFolder: string, { pid, url }: { pid: number; url: string }): TurngraphError =>
  new TurngraphError('store_unavailable', `${dataFolder} is served already: process ${pid} at ${url}.`, {
    hint: 'Use that server, end it, or name another folder with TURNGRAPH_DATA.',
  })

const isPortTaken = (error: unknown): error is Error =>
  error instanceof Error && systemCode(error.cause) === 'EADDRINUSE'

const describeTakenPort = ({ host, port }: Config): string =>
  `Port ${port} on ${host} is taken by another process.`

function portTaken(config: Config, error: unknown): unknown {
  if (!isPortTaken(error)) return error
  const { cause } = error
  return new TurngraphError('invalid_request', describeTakenPort(config), {
    hint: 'Choose another one (--port 7481, `npm start -- --port 7481`), or any free one (--port 0). TURNGRAPH_PORT does the same.',
    cause,
  })
}
