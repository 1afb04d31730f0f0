/** Creates a client for a service, with or without a spool, or for a store of its own. */
import * as z from 'zod'
import { aFunction } from '../core/fields.ts'
import { parseInput } from '../core/wire-form.ts'
import type { Graph } from '../graph/port.ts'
import { loadConfig, type Store } from '../platform/config.ts'
import type { Executor } from '../runs/executor.ts'
import { callOn, callsBy } from './calls.ts'
import type { TurngraphClient } from './client.ts'
import { clientIsClosed } from './client-errors.ts'
import { type HttpClientOptions, httpClient, httpClientOptions, toAddress } from './http.ts'
import { type SpoolOptions, spoolOptions } from './spool.ts'

const RETRIES = 3

/** Type of the log for both forms of a client. With two types, the compiler could not infer the parameters of a caller's function. */
type Log = (message: string, fields?: object) => void

const httpOptions = httpClientOptions.extend({
  /** Folder in which captures wait while the service is unreachable, optionally with its limits. */
  spool: z.union([z.string().min(1), spoolOptions]).optional(),
  /** Receives messages about background work, such as a rejected spooled turn; default: a process warning. */
  log: aFunction<Log>().optional(),
})
export type HttpTurngraphOptions = z.input<typeof httpOptions>

const storeOptions = z.strictObject({
  /** An open graph, a store to open, or its address as in TURNGRAPH_STORE: `embedded:FOLDER`, `neo4j://…`. */
  store: z.custom<Graph | Store | string>(
    (given) => (typeof given === 'string' && given !== '') || (typeof given === 'object' && given !== null),
    'must be an address such as embedded:FOLDER or neo4j://…, or an open graph',
  ),
  project: z.string().min(1).nullish(),
  /** Executors of turn runs by name, in addition to `external`. */
  executors: z.record(z.string(), aFunction<Executor>()).optional(),
  /** Identity of this program in leases; default: the identity of the embedded folder, otherwise a new UUID. */
  workerId: z.string().min(1).optional(),
  /** Receives messages that a service would log, such as recovered promises; default: no log. */
  log: aFunction<Log>().optional(),
})
export type StoreTurngraphOptions = z.input<typeof storeOptions>

/**
 * Creates a client for a service (`url`), with retries, time-outs and an optional spool, or for a store of its own (`store`),
 * which the first call opens and migrates. `close()` closes the store, even if it was passed open.
 *
 * @throws `invalid_request`; each call rejects with `store_unavailable` while the store cannot be opened
 * @example
 * const client = createTurngraphClient({ url: 'http://127.0.0.1:7480', token, spool: '.turngraph/spool' })
 * const alone = createTurngraphClient({ store: 'embedded:.turngraph', project: 'shop' })
 */
export function createTurngraphClient(
  options: HttpTurngraphOptions | StoreTurngraphOptions,
): TurngraphClient {
  const given = checkOptions(options)
  if ('store' in given) return openLazily(() => onStore(given))
  const { spool, log, ...http } = { retries: RETRIES, ...given }
  if (spool === undefined) return httpClient(http)
  httpClient(http) // throws for invalid options at once
  const place = typeof spool === 'string' ? { folder: spool } : spool
  return openLazily(() => withSpool(http, place, log ?? warn))
}

async function onStore({
  store,
  project,
  executors,
  workerId,
  log,
}: StoreTurngraphOptions): Promise<TurngraphClient> {
  const { inProcessClient } = await import('./in-process.ts')
  const { openGraph } = await import('../graph/open.ts')
  const { migrate } = await import('../graph/migrations.ts')
  const { TurnRuns } = await import('../runs/turn-runs.ts')
  const { Executors } = await import('../runs/executors.ts')
  const { holdInstance } = await import('../graph/instance-lock.ts')
  const { withChangeFeed } = await import('../events/change-feed.ts')
  const place = typeof store === 'string' ? storeAt(store) : store
  const { graph, feed } = withChangeFeed('kind' in place ? await openGraph(place) : place)
  try {
    await migrate(graph)
    const folder = 'kind' in place && place.kind === 'embedded' ? place.folder : null
    const known =
      folder === null
        ? crypto.randomUUID()
        : (await holdInstance({ dataFolder: folder, store: place as Store })).id
    const instance = workerId ?? known
    const runs = new TurnRuns({
      graph,
      instance,
      // An embedded folder is open in one process only. Another client of any other store may have the same workerId.
      isInstanceLocked: folder !== null,
      executors: new Executors(executors),
      ...(log !== undefined && { log: { info: swapped(log), warn: swapped(log) } }),
    })
    await runs.begin()
    return inProcessClient({
      graph,
      feed,
      project: project ?? 'default',
      isProjectNamed: project !== undefined,
      runs,
      workerId: instance,
      ...(log !== undefined && { log }),
    })
  } catch (error) {
    if ('kind' in place) await graph.close()
    throw error
  }
}

const swapped =
  (log: Log) =>
  (fields: object, message: string): void =>
    log(message, fields)

const storeAt = (address: string): Store => loadConfig({ ...process.env, TURNGRAPH_STORE: address }).store

async function withSpool(
  given: HttpClientOptions,
  spool: SpoolOptions,
  log: (message: string) => void,
): Promise<TurngraphClient> {
  const { spoolingClient } = await import('./spooling.ts')
  const { url, project = null, workerId } = given
  const replayer = httpClient({ ...given, retries: 0 })
  return spoolingClient(httpClient(given), {
    spool,
    replayer,
    address: toAddress(url),
    project,
    workerId,
    log,
  })
}

const warn = (message: string): void => process.emitWarning(message, 'TurngraphSpool')

/** Creates a client that its first call opens. If opening fails, the next call tries again. */
function openLazily(open: () => Promise<TurngraphClient>): TurngraphClient {
  let opening: Promise<TurngraphClient> | null = null
  let closed = false
  const opened = (): Promise<TurngraphClient> => {
    if (closed) return Promise.reject(clientIsClosed())
    opening ??= open().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }
  const calls = callsBy(async (name, input, options) => callOn(await opened(), name, input, options))
  const upload: TurngraphClient['importTranscript'] = async (...given) =>
    (await opened()).importTranscript(...given)
  return {
    ...calls,
    importTranscript: upload,
    events: async function* (input, options) {
      yield* (await opened()).events(input, options)
    },
    workerId: async () => (await opened()).workerId(),
    spool: async () => (await opened()).spool(),
    close: async () => {
      if (closed) return
      closed = true
      await opening?.then(
        (client) => client.close(),
        () => {},
      )
    },
  }
}

/** Rejects misspelled options, which would have no effect. */
function checkOptions<T extends HttpTurngraphOptions | StoreTurngraphOptions>(options: T): T {
  const given: unknown = options
  const onAStore = typeof given === 'object' && given !== null && 'store' in given
  parseInput(onAStore ? storeOptions : httpOptions, given, 'createTurngraphClient', 'is no option here')
  return options
}
