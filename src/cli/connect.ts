/** Connects a command: to the service that runs, else to the store itself, for the time of the command. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TurngraphClient } from '../client/client.ts'
import { type HttpClient, httpClient } from '../client/http.ts'
import type { Graph } from '../graph/port.ts'
import { type Config, loadConfig, type Store, shownFolder, storeName } from '../platform/config.ts'
import { type InUseError, isInUse } from '../platform/data-folder/holder.ts'
import { readTokenFile } from '../platform/data-folder/token-file.ts'
import type { TranscriptStore } from '../transcripts/import-files.ts'
import { setGraphInUse } from './graph-in-use.ts'
import { setReadsOnly } from './lost-output.ts'
import { withProjectChecked } from './require-project.ts'
import { requireProof, runningServer, type Server } from './running-server.ts'

type ConnectOptions = {
  project?: string | undefined
  /** The command writes nothing: where there is no graph yet, none is made for it. */
  readsOnly?: boolean
  /** For a command that examines a graph: nothing is migrated and nothing reconciled first. */
  asItIs?: boolean
  /** How long each call may wait where the service refuses it as one too many; default: not at all. */
  rateLimitWaitMs?: number
}

/** Gives `use` a client for the time of one command, and closes it after. */
export async function withClient<T>(
  options: ConnectOptions,
  use: (client: TurngraphClient) => Promise<T>,
): Promise<T> {
  const client = await connect(options)
  try {
    return await withProjectChecked(client, options.project, use)
  } finally {
    await client.close()
  }
}

/** The service of TURNGRAPH_URL, else the one that runs on the data folder, else the store itself. */
export async function connect(options: ConnectOptions): Promise<TurngraphClient> {
  const { project, readsOnly = false, asItIs = false } = options
  setReadsOnly(readsOnly)
  const config = configFor(project)
  const graph = await serviceOrStore(config, options)
  if ('listProjects' in graph) return graph
  const [{ inProcessClient }, { TurnRuns }, { Executors, loadExecutors }, { readInstance }] =
    await Promise.all([
      import('../client/in-process.ts'),
      import('../runs/turn-runs.ts'),
      import('../runs/executors.ts'),
      import('../graph/instance-lock.ts'),
    ])
  // A command that only reads runs nothing, so it needs no file of executors.
  const executors = readsOnly ? new Executors() : loadExecutors(config.executorsFile)
  const formerLife = config.store.kind === 'embedded' ? readInstance(config.dataFolder) : null
  // A run that is resumed waits for a server: this command ends soon.
  const instance = formerLife ?? crypto.randomUUID()
  const runs = new TurnRuns({ graph, instance, executors, resumes: 'later' })
  // Nobody else has the graph open: what a service left behind in it is over.
  if (formerLife !== null && !asItIs) await runs.begin()
  const { turnLengthThreshold } = config
  return inProcessClient({ graph, project: config.project, runs, turnLengthThreshold })
}

/** Gives `use` where transcripts go, and the project, for the time of one command, and closes it after. */
export async function withTranscripts<T>(
  { project }: ConnectOptions,
  use: (store: TranscriptStore, project: string) => Promise<T>,
): Promise<T> {
  const config = configFor(project)
  const found = await serviceOrStore(config, { project })
  if ('listProjects' in found) {
    const { clientStore } = await import('../client/transcript-store.ts')
    return use(clientStore(found), config.project)
  }
  const { graphStore } = await import('../transcripts/graph-store.ts')
  try {
    return await use(graphStore(found, config.turnLengthThreshold), config.project)
  } finally {
    await found.close()
  }
}

/** The settings of the environment, with what the options of a command put in their place. */
export const configFor = (project?: string, settings: NodeJS.ProcessEnv = {}): Config =>
  loadConfig({ ...process.env, ...settings, ...(project !== undefined && { TURNGRAPH_PROJECT: project }) })

export function throughService(
  config: Config,
  project: string | undefined,
  url: string,
  rateLimitWaitMs = 0,
): HttpClient {
  setGraphInUse(`the graph behind ${url}`)
  return createHttpClient(config, project, url, rateLimitWaitMs)
}

/** @param project as an option named it: a service has a default of its own, and is told only what somebody named */
export function createHttpClient(
  config: Config,
  project: string | undefined,
  url: string,
  rateLimitWaitMs = 0,
): HttpClient {
  const isNamed = project !== undefined || process.env.TURNGRAPH_PROJECT
  return httpClient({
    url,
    token: tokenFor(config),
    project: isNamed ? config.project : null,
    rateLimitWaitMs,
    ...(url === config.url && { beforeSend: proveOnce(config, url) }),
  })
}

/** The service of TURNGRAPH_URL proves that it knows the token before the first request; if that fails, before the next one. */
function proveOnce(config: Config, url: string): () => Promise<void> {
  let proven = false
  return async () => {
    if (!proven) await requireProof(config, url, tokenFor(config))
    proven = true
  }
}

/** @throws `store_unavailable` that names the process which holds the embedded graph */
async function serviceOrStore(
  config: Config,
  { project, readsOnly = false, asItIs = false, rateLimitWaitMs }: ConnectOptions,
): Promise<TurngraphClient | Graph> {
  const open = () => openMigrated(config.store, readsOnly, asItIs)
  // Another command is done with the graph within seconds, unless it imports. One that nobody is known to hold is just
  // being opened, or closed.
  const holderMs = ({ details }: InUseError) => (details.held_by === null ? STARTING_MS : 10_000)
  const found =
    config.url === null
      ? await serverOr(config, open, { serverMs: STARTING_MS, holderMs })
      : { url: config.url }
  return 'url' in found ? throughService(config, project, found.url, rateLimitWaitMs) : found
}

/** A server that starts is ready by then; a longer wait is one for its store, which a command does not share. */
const STARTING_MS = 2_000
const ASK_AGAIN_MS = 50

type Patience = { serverMs: number; holderMs: (error: InUseError) => number; signal?: AbortSignal }

/** Two processes at once take turns, and one that comes while a server starts waits until it is ready. */
export async function serverOr<T>(
  folder: Pick<Config, 'dataFolder' | 'token'>,
  open: () => Promise<T>,
  { serverMs, holderMs, signal }: Patience,
): Promise<Server | T> {
  const began = performance.now()
  for (;;) {
    signal?.throwIfAborted()
    const waited = performance.now() - began
    const server = await runningServer(folder)
    if (server !== null && (server.ready || waited > serverMs)) return server
    if (server === null) {
      try {
        return await open()
      } catch (error) {
        if (!isInUse(error) || waited > holderMs(error)) throw error
      }
    }
    await sleep(ASK_AGAIN_MS)
  }
}

async function openMigrated(store: Store, readsOnly: boolean, asItIs: boolean): Promise<Graph> {
  const { migrate } = await import('../graph/migrations.ts')
  const graph = await openStore(store, readsOnly)
  try {
    // Where there is no graph yet, an empty one has nothing to hide.
    if (!asItIs || existingStore(store) !== store) await migrate(graph)
    return graph
  } catch (error) {
    await graph.close()
    throw error
  }
}

/** Opens the store itself, for a command that only reads; in memory where no store exists yet. */
export async function openStore(store: Store, readsOnly = false): Promise<Graph> {
  // A command that goes through a server needs no engine: the drivers take half of its time to load.
  const { openGraph } = await import('../graph/open.ts')
  const existing = existingStore(store)
  const graph = await openGraph(readsOnly ? existing : store)
  setGraphInUse(storeName(store), existing === store ? null : newsOfNewGraph(store, readsOnly))
  return graph
}

/** The store for a command that only looks: where there is no embedded graph yet, an empty one in memory. */
export const existingStore = (store: Store): Store =>
  store.kind === 'embedded' && store.folder !== null && !hasGraph(store.folder)
    ? { ...store, folder: null }
    : store

/** Also where only its marks are left: that graph is lost, and not none. */
const hasGraph = (folder: string): boolean =>
  ['graph.db', 'graph.acknowledged'].some((name) => existsSync(path.join(folder, name)))

/** A command that runs in the wrong folder finds nothing, or stores where nobody looks: it says so. */
function newsOfNewGraph(store: Store, readsOnly: boolean): string | null {
  if (store.kind !== 'embedded' || store.folder === null) return null
  const folder = shownFolder(store.folder)
  return readsOnly
    ? `There is no graph in ${folder} yet: the first capture or import makes it.`
    : `Made a new graph in ${folder}.`
}

/** TURNGRAPH_TOKEN, else the token that the service of the data folder made for the commands beside it. */
export function tokenFor({ token, dataFolder }: Config): string | null {
  if (token !== null) return token
  return readTokenFile(dataFolder)
}
