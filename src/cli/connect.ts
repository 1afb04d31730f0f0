/** Connects a command to the running service, otherwise to the store itself while the command runs. */
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
  /** True if the command writes nothing: a missing graph is not created. */
  readsOnly?: boolean
  /** True if the command examines a graph: it is neither migrated nor reconciled first. */
  asItIs?: boolean
  /** Maximum wait of each call if the service rejects it for its rate; default: no wait. */
  rateLimitWaitMs?: number
}

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

export async function connect(options: ConnectOptions): Promise<TurngraphClient> {
  const { project, readsOnly = false, asItIs = false } = options
  setReadsOnly(readsOnly)
  const config = configFor(project)
  const found = await serviceOrStore(config, options)
  if ('listProjects' in found) return found
  const { inProcessClient } = await import('../client/in-process.ts')
  const { TurnRuns } = await import('../runs/turn-runs.ts')
  const { Executors, loadExecutors } = await import('../runs/executors.ts')
  const { readInstance } = await import('../graph/instance-lock.ts')
  const { withChangeFeed } = await import('../events/change-feed.ts')
  // A read-only command runs no turns, so it needs no file of executors.
  const executors = readsOnly ? new Executors() : loadExecutors(config.executorsFile)
  const formerLife = config.store.kind === 'embedded' ? readInstance(config.dataFolder) : null
  // Resumed runs wait for a server, because this command ends soon.
  const instance = formerLife ?? crypto.randomUUID()
  const { graph, feed } = withChangeFeed(found)
  const runs = new TurnRuns({ graph, instance, executors, resumes: 'later' })
  // No other process has the graph open, so runs of an earlier service in it have ended.
  if (formerLife !== null && !asItIs) await runs.begin()
  const { turnLengthThreshold } = config
  const isProjectNamed = isNamed(project)
  return inProcessClient({ graph, feed, project: config.project, isProjectNamed, runs, turnLengthThreshold })
}

export const namedProject = (project: string | undefined): string | undefined =>
  project ?? (process.env.TURNGRAPH_PROJECT || undefined)

const isNamed = (project: string | undefined): boolean => namedProject(project) !== undefined

export async function withTranscripts<T>(
  { project, readsOnly = false }: Pick<ConnectOptions, 'project' | 'readsOnly'>,
  use: (store: TranscriptStore, project: string) => Promise<T>,
): Promise<T> {
  setReadsOnly(readsOnly)
  const config = configFor(project)
  const found = await serviceOrStore(config, { project, readsOnly })
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

/** @param project project of an option. A service has its own default, so it gets only a project that the user named. */
export function createHttpClient(
  config: Config,
  project: string | undefined,
  url: string,
  rateLimitWaitMs = 0,
): HttpClient {
  return httpClient({
    url,
    token: tokenFor(config),
    project: isNamed(project) ? config.project : null,
    rateLimitWaitMs,
    ...(url === config.url && { beforeSend: proveOnce(config, url) }),
  })
}

/** Makes the service of TURNGRAPH_URL prove before the first request that it knows the token; repeats this after a failure. */
function proveOnce(config: Config, url: string): () => Promise<void> {
  let proven = false
  return async () => {
    if (!proven) await requireProof(config, url, tokenFor(config))
    proven = true
  }
}

/** @throws `store_unavailable` that names the process with the embedded graph */
async function serviceOrStore(
  config: Config,
  { project, readsOnly = false, asItIs = false, rateLimitWaitMs }: ConnectOptions,
): Promise<TurngraphClient | Graph> {
  const open = () => openMigrated(config.store, readsOnly, asItIs)
  // Another command releases the graph within seconds, unless it imports. A graph without a known holder is being opened or closed.
  const holderMs = ({ details }: InUseError) => (details.held_by === null ? STARTING_MS : 10_000)
  const found =
    config.url === null
      ? await serverOr(config, open, { serverMs: STARTING_MS, holderMs })
      : { url: config.url }
  return 'url' in found ? throughService(config, project, found.url, rateLimitWaitMs) : found
}

/** Maximum wait for a server that starts. A longer start waits for the server's store, which a command does not share. */
const STARTING_MS = 2_000
const ASK_AGAIN_MS = 50

type Patience = { serverMs: number; holderMs: (error: InUseError) => number; signal?: AbortSignal }

/**
 * Finds the running server, otherwise opens the graph. Waits for a server that starts, and for each process that has the graph
 * open, because commands that run in parallel open the graph one after the other.
 */
export async function serverOr<T>(
  folder: Pick<Config, 'dataFolder' | 'token'>,
  open: () => Promise<T>,
  { serverMs, holderMs, signal }: Patience,
): Promise<Server | T> {
  const began = performance.now()
  let heldBy: number | null | undefined
  let heldSince = began
  for (;;) {
    signal?.throwIfAborted()
    const now = performance.now()
    const server = await runningServer(folder)
    if (server !== null && (server.ready || now - began > serverMs)) return server
    if (server === null) {
      try {
        return await open()
      } catch (error) {
        if (!isInUse(error)) throw error
        if (error.details.held_by !== heldBy) heldSince = now
        heldBy = error.details.held_by
        if (now - heldSince > holderMs(error)) throw error
      }
    }
    await sleep(ASK_AGAIN_MS)
  }
}

async function openMigrated(store: Store, readsOnly: boolean, asItIs: boolean): Promise<Graph> {
  const { migrate } = await import('../graph/migrations.ts')
  const graph = await openStore(store, readsOnly)
  try {
    // A new, empty graph is always migrated.
    if (!asItIs || existingStore(store) !== store) await migrate(graph)
    return graph
  } catch (error) {
    await graph.close()
    throw error
  }
}

/** Opens the store. For a read-only command without an existing graph, opens an empty one in memory. */
export async function openStore(store: Store, readsOnly = false): Promise<Graph> {
  // Imports the engine here, because a command that uses a server needs none, and the drivers take half of its start time.
  const { openGraph } = await import('../graph/open.ts')
  const existing = existingStore(store)
  const graph = await openGraph(readsOnly ? existing : store)
  setGraphInUse(storeName(store), existing === store ? null : newsOfNewGraph(store, readsOnly))
  return graph
}

export const existingStore = (store: Store): Store =>
  store.kind === 'embedded' && store.folder !== null && !hasGraph(store.folder)
    ? { ...store, folder: null }
    : store

/** True if a graph exists, or only its marks: then the graph was lost. */
const hasGraph = (folder: string): boolean =>
  ['graph.db', 'graph.acknowledged'].some((name) => existsSync(path.join(folder, name)))

/** Returns a note for a command that may run in the wrong folder: the graph does not exist, or was created. */
function newsOfNewGraph(store: Store, readsOnly: boolean): string | null {
  if (store.kind !== 'embedded' || store.folder === null) return null
  const folder = shownFolder(store.folder)
  return readsOnly
    ? `There is no graph in ${folder} yet: the first capture or import makes it.`
    : `Made a new graph in ${folder}.`
}

export const tokenFor = ({ token, dataFolder }: Config): string | null => token ?? readTokenFile(dataFolder)
