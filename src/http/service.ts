// Starts and ends the HTTP service of a graph.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Queries } from '../analysis/query/queries.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'
import { withChangeFeed } from '../events/change-feed.ts'
import { holdInstance } from '../graph/instance-lock.ts'
import { ObservedGraph, type StatementObserver } from '../graph/observed.ts'
import type { Graph } from '../graph/port.ts'
import type { CaptureRequest } from '../memory/record/record.ts'
import { type Config, storeName } from '../platform/config.ts'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { isOpenToOthers } from '../platform/data-folder/private-file.ts'
import { removeServerFile, writeServerFile } from '../platform/data-folder/server-file.ts'
import { createLog, type Log } from '../platform/log.ts'
import { VERSION } from '../platform/version.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { loadExecutors } from '../runs/executors.ts'
import { TurnRuns } from '../runs/turn-runs.ts'
import { SearchIndexes } from '../search/search.ts'
import { refuseMalformed } from './answer.ts'
import { loadTokens } from './api-tokens.ts'
import { createApp } from './app.ts'
import { boundConnections, CONNECTION_OPTIONS, connectionBound, Drain, openFileLimit } from './connections.ts'
import { GenAiSpans } from './genai-spans.ts'
import { Metrics } from './metrics.ts'
import { SchemaState, StoreWatch } from './schema-state.ts'

export type Service = {
  /** Address of the service on this machine. */
  url: string
  port: number
  /**
   * Waits for the answers in flight (at most 10 s), releases the turn runs of the service, and closes the graph. A second call
   * waits for the first.
   */
  close(): Promise<void>
}

const DRAIN_MS = 10_000

/** Maximum number of readers of events. They keep their connections, which must not exclude other clients. */
const MAX_READERS = 1_000

/** Maximum wait of a search for its index. */
const MAX_WAIT_FOR_INDEX_MS = 4_000

/** Duration above which the log reports a statement. Frequent statements take a few milliseconds. */
const SLOW_SECONDS = 1

/**
 * Serves a graph over HTTP. Starts even if the store is unreachable: answers 503 until it recovers. Takes ownership of the
 * graph: `close()` closes it, too. If the start fails, the graph stays open.
 *
 * @throws `invalid_request` if the port is in use or a token file is not valid
 * @example
 * const service = await startService({ config: loadConfig(process.env), graph })
 * process.once('SIGTERM', () => void service.close())
 */
export async function startService(parts: { config: Config; graph: Graph; log?: Log }): Promise<Service> {
  const { config, log = createLog(config.logLevel) } = parts
  const metrics = new Metrics()
  const store = storeName(config.store)
  const watch = new StoreWatch(log, store)
  const onStatement: StatementObserver = ({ statement, outcome, seconds, error }) => {
    metrics.statements.observe({ statement, outcome }, seconds)
    if (hasCode(error, 'store_unavailable')) return watch.reportAway(error)
    if (outcome === 'ok') watch.reportAnswer()
    if (seconds > SLOW_SECONDS)
      log.warn({ statement, outcome, ms: Math.round(1000 * seconds) }, 'slow statement')
  }
  const observed = new ObservedGraph(parts.graph, onStatement, (error) => {
    if (hasCode(error, 'store_unavailable')) watch.reportAway(error)
  })
  const { graph, feed } = withChangeFeed(observed, {
    lag: (seconds) => metrics.eventLag.observe(seconds),
    failed: (error) => log.error({ err: error }, 'events: a look at what changed failed'),
  })
  makeDataFolder(config.dataFolder)
  const tokens = loadTokens(config)
  const executors = loadExecutors(config.executorsFile)
  const instance = await holdInstance(config)
  const spans = config.genAiSpans ? new GenAiSpans() : null
  const observer = {
    runEnded: (status: string) => metrics.runsEnded.inc({ status }),
    leaseLost: () => metrics.leasesLost.inc(),
    turnCommitted: (turn: CaptureRequest) => spans?.turnCommitted(turn),
  }
  const runs = new TurnRuns({ graph, instance: instance.id, executors, log, observer })
  const queries = new Queries(graph)
  metrics.watch({ runs: () => runs.executing, readers: () => feed.readers })
  // Ends the runs of an earlier process of this service before the first answer.
  const schema = new SchemaState(graph, log, watch, () => runs.begin())
  const most = mostConnections(config, log)
  const closing = new AbortController()
  const app = createApp({
    config,
    tokens,
    log,
    graph,
    schema,
    runs,
    queries,
    metrics,
    spans,
    feed,
    search: new SearchIndexes(graph, { maxWaitMs: MAX_WAIT_FOR_INDEX_MS }),
    closing: closing.signal,
    maxReaders: Math.min(MAX_READERS, Math.floor(most / 2)),
    defaultProject: config.project,
    turnLengthThreshold: config.turnLengthThreshold,
    importRoots: config.importRoots,
  })
  const drain = new Drain()
  const server = createServer(CONNECTION_OPTIONS, drain.around(app)).on('clientError', refuseMalformed)
  boundConnections(server, most)
  const port = await listen(server, config).catch(async (error: unknown) => {
    await instance.release()
    throw error
  })
  const url = `http://${reachableHost(config.host)}:${port}`
  try {
    writeServerFile(config.dataFolder, { pid: process.pid, url, version: VERSION })
    await schema.bringUpToDate()
  } catch (error) {
    await drain.close(server, 0)
    removeServerFile(config.dataFolder, url)
    await instance.release()
    throw error
  }
  warnOfOpenFolders(config, log)
  log.info({ url, engine: graph.engine, store, version: VERSION }, 'listening')

  const end = async () => {
    schema.stop()
    watch.stop()
    closing.abort()
    feed.close()
    await Promise.all([drain.close(server, DRAIN_MS), runs.close()])
    queries.close()
    await runs.close() // ends the runs that the last requests started
    await graph.close()
    await instance.release()
    // Comes last, because a process that waits for the graph watches this file.
    removeServerFile(config.dataFolder, url)
    log.info({ url }, 'closed')
  }
  let ending: Promise<void> | undefined
  return {
    url,
    port,
    close: () => {
      ending ??= end()
      return ending
    },
  }
}

function mostConnections({ maxConnections }: Config, log: Log): number {
  const openFiles = openFileLimit()
  const most = connectionBound(maxConnections, openFiles)
  if (most < maxConnections) {
    log.warn(
      { openFiles, most, asked: maxConnections },
      `this process may open ${openFiles} files, so it takes ${most} connections at a time; raise the limit (ulimit -n)`,
    )
  }
  return most
}

function warnOfOpenFolders({ dataFolder, store }: Config, log: Log): void {
  const folders = new Set([dataFolder, (store.kind === 'embedded' && store.folder) || dataFolder])
  for (const folder of folders)
    if (isOpenToOthers(folder))
      log.warn(`other users of this machine can look into ${folder}: chmod 700 ${quoteForShell(folder)}`)
}

/** Codes of the errors for an address that this machine does not have. */
const ADDRESS_ERRORS = ['EADDRNOTAVAIL', 'ENOTFOUND']

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new TurngraphError('invalid_request', `Cannot listen on ${host}:${port}: ${cause.message}`, {
          hint: ADDRESS_ERRORS.includes(systemCode(cause) ?? '')
            ? 'Set TURNGRAPH_HOST to an address of this machine, such as 127.0.0.1.'
            : 'Set TURNGRAPH_PORT to another port, or to 0 for any free one.',
          cause,
        }),
      ),
    )
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => resolve((server.address() as AddressInfo).port))
  })
}

/** Replaces an address that means "all addresses", to which no client can connect. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1'
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare === '::') return '[::1]'
  return bare.includes(':') ? `[${bare}]` : bare
}
