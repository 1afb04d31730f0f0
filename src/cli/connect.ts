import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TurngraphClient } from '../client/client.ts'
import { httpClient } from '../client/http.ts'
import type { Graph } from '../graph/port.ts'
import { type Config, loadConfig, type Store } from '../platform/config.ts'
import { isHeld } from '../platform/data-folder/holder.ts'
import { shownFolder, storeName } from '../platform/store-name.ts'
import type { TranscriptStore } from '../transcripts/import-files.ts'
import type { TranscriptProgress } from '../transcripts/progress.ts'
import { withProjectChecked } from './ask.ts'
import { existingStore } from './existing-store.ts'
import { setGraphInUse } from './graph-in-use.ts'
import { runningServer, type Server } from './running-server.ts'

export type ConnectOptions = {
  project?: string | undefined
  /** The command writes nothing: where there is no graph yet, none is made for it. */
  readsOnly?: boolean
  /** For whoever examines a graph: nothing is migrated and nothing reconciled first. */
  asItIs?: boolean
}

/** Another command is done with the embedded graph within seconds, unless it imports. */
const WAIT_FOR_HOLDER_MS = 10_000
/** A server that starts is ready by then; a longer wait is one for its store, which a command does not share. */
const WAIT_MS = 2_000
const ASK_AGAIN_MS = 50

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

/**
 * The service of TURNGRAPH_URL, else the one that runs on the data folder, else the store itself.
 *
 * @throws `store_unavailable` that names the process which holds the embedded graph
 */
async function connect({
  project,
  readsOnly = false,
  asItIs = false,
}: ConnectOptions): Promise<TurngraphClient> {
  const config = configFor(project)
  const found = config.url === null ? await serverOrStore(config, readsOnly, asItIs) : { url: config.url }
  if ('url' in found) return throughService(config, project, found.url)
  const [{ inProcessClient }, { TurnRuns }, { Executors, loadExecutors }, { knownInstance }] =
    await Promise.all([
      import('../client/in-process.ts'),
      import('../runs/turn-runs.ts'),
      import('../runs/executors.ts'),
      import('../graph/instance-lock.ts'),
    ])
  // A command that only reads runs nothing, so it needs no file of executors.
  const executors = readsOnly ? new Executors() : loadExecutors(config.executorsFile)
  const formerLife = config.store.kind === 'embedded' ? knownInstance(config.dataFolder) : null
  const runs = new TurnRuns({ graph: found, instance: formerLife ?? crypto.randomUUID(), executors })
  // Nobody else has the graph open: what a service left behind in it is over.
  if (formerLife !== null && !asItIs) await runs.begin()
  return inProcessClient({
    graph: found,
    project: config.project,
    runs,
    turnLengthThreshold: config.turnLengthThreshold,
  })
}

/** Gives `use` where transcripts go, and the project, for the time of one command, and closes it after. */
export async function withTranscripts<T>(
  { project }: ConnectOptions,
  use: <P extends TranscriptProgress>(store: TranscriptStore<P>, project: string) => Promise<T>,
): Promise<T> {
  const config = configFor(project)
  const found = config.url === null ? await serverOrStore(config, false) : { url: config.url }
  if ('url' in found) {
    const { clientStore } = await import('../client/transcript-store.ts')
    const client = throughService(config, project, found.url)
    return use(clientStore(client), config.project)
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

function throughService(config: Config, project: string | undefined, url: string): TurngraphClient {
  setGraphInUse(`the graph behind ${url}`)
  return httpClient({ url, token: tokenFor(config), project: namedProject(config, project) })
}

/** Two commands at once take turns, and one that comes while a server starts waits until it is ready. */
async function serverOrStore(config: Config, readsOnly: boolean, asItIs = false): Promise<Server | Graph> {
  const began = performance.now()
  for (;;) {
    const waited = performance.now() - began
    const server = await runningServer(config.dataFolder)
    if (server !== null && (server.ready || waited > WAIT_MS)) return server
    if (server === null) {
      try {
        return await openStore(config, readsOnly, asItIs)
      } catch (error) {
        if (waited > patience(error)) throw error
      }
    }
    await sleep(ASK_AGAIN_MS)
  }
}

/** Another command lets go of the graph soon. One that nobody is known to hold is just being opened, or closed. */
function patience(error: unknown): number {
  if (!isHeld(error)) return 0
  return error.details.held_by === null ? WAIT_MS : WAIT_FOR_HOLDER_MS
}

async function openStore({ store }: Config, readsOnly: boolean, asItIs: boolean): Promise<Graph> {
  // A command that goes through a server needs no engine: the drivers take half of its time to load.
  const [{ openGraph }, { migrate }] = await Promise.all([
    import('../graph/open.ts'),
    import('../graph/migrations.ts'),
  ])
  const isThere = existingStore(store) === store
  const from = readsOnly ? existingStore(store) : store
  const graph = await openGraph(from)
  setGraphInUse(storeName(store), isThere ? null : newsOfNewGraph(store, readsOnly))
  try {
    // Where there is no graph yet, an empty one has nothing to hide.
    if (!asItIs || from !== store) await migrate(graph)
    return graph
  } catch (error) {
    await graph.close()
    throw error
  }
}

/** A command that runs in the wrong folder finds nothing, or stores where nobody looks: it says so. */
export function newsOfNewGraph(store: Store, readsOnly: boolean): string | null {
  if (store.kind !== 'embedded' || store.folder === null) return null
  const folder = shownFolder(store.folder)
  return readsOnly
    ? `There is no graph in ${folder} yet: the first capture or import makes it.`
    : `Made a new graph in ${folder}.`
}

/** A service has a default of its own: it is told a project only where somebody named one. */
export const namedProject = (config: Config, option: string | undefined): string | null =>
  option !== undefined || process.env.TURNGRAPH_PROJECT ? config.project : null

/** TURNGRAPH_TOKEN, else the token that the service of the data folder made for the commands beside it. */
export function tokenFor({ token, dataFolder }: Config): string | null {
  if (token !== null) return token
  const file = path.join(dataFolder, 'token')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}
