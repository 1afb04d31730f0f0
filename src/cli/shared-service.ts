import { setTimeout as sleep } from 'node:timers/promises'
import { callOn } from '../client/calls.ts'
import type { TurngraphClient } from '../client/client.ts'
import { httpClient } from '../client/http.ts'
import { neverArrived } from '../client/never-arrived.ts'
import { TurngraphError } from '../core/errors.ts'
import type { Service } from '../http/service.ts'
import type { OperationName } from '../operations/table.ts'
import type { Config } from '../platform/config.ts'
import { isHeld } from '../platform/data-folder/holder.ts'
import type { Log } from '../platform/log.ts'
import { storeName } from '../platform/store-name.ts'
import { namedProject, newsOfNewGraph, tokenFor } from './connect.ts'
import { existingStore } from './existing-store.ts'
import { setGraphInUse } from './graph-in-use.ts'
import { runningServer } from './running-server.ts'

/** Another process may be about to serve the folder, or to let go of it. */
const PATIENCE_MS = 15_000
const ASK_AGAIN_MS = 100

/**
 * The service of a data folder, for a process that needs it for long: the running one, else one in this very
 * process, on a free loopback port, for others to go through. When the running one ends, this takes over.
 */
export class SharedService {
  readonly #config: Config
  readonly #project: string | null
  readonly #log: Log
  #own: Service | null = null
  #closed = false
  #client: Promise<TurngraphClient> | null = null

  /** @param project as an option named it */
  constructor(config: Config, project: string | undefined, log: Log) {
    this.#config = config
    this.#project = namedProject(config, project)
    this.#log = log
  }

  /** Whether it is this very process that serves. */
  get isOwn(): boolean {
    return this.#own !== null
  }

  client(): Promise<TurngraphClient> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = null
      throw error
    })
    return this.#client
  }

  async call(operation: OperationName, input: Record<string, unknown>): Promise<unknown> {
    const used = this.client()
    try {
      return await callOn(await used, operation, input)
    } catch (error) {
      if (!neverArrived(error)) throw error
      if (this.#client === used) this.#client = null
      return callOn(await this.client(), operation, input)
    }
  }

  /** Also where it is just about to serve. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#client?.catch(() => {})
    await this.#own?.close()
  }

  async #connect(): Promise<TurngraphClient> {
    const { url } = this.#config
    if (url !== null) return this.#through(url)
    const began = performance.now()
    for (;;) {
      if (this.#closed) throw new TurngraphError('store_unavailable', 'This command ends.')
      const running = await runningServer(this.#config.dataFolder)
      if (running?.ready) return this.#through(running.url)
      try {
        if (running === null) return this.#asClientOf(await this.#serve())
      } catch (error) {
        if (!isHeld(error) || performance.now() - began > PATIENCE_MS) throw error
      }
      if (performance.now() - began > PATIENCE_MS && running !== null) return this.#through(running.url)
      await sleep(ASK_AGAIN_MS)
    }
  }

  async #serve(): Promise<string> {
    // Whoever goes through a server needs no engine: the drivers take half of a command's time to load.
    const [{ openGraph }, { startService }] = await Promise.all([
      import('../graph/open.ts'),
      import('../http/service.ts'),
    ])
    const config = { ...this.#config, host: '127.0.0.1', port: 0 }
    const isThere = existingStore(config.store) === config.store
    const graph = await openGraph(config.store)
    setGraphInUse(storeName(config.store), isThere ? null : newsOfNewGraph(config.store, false))
    try {
      this.#own = await startService({ config, graph, log: this.#log })
    } catch (error) {
      await graph.close()
      throw error
    }
    return this.#own.url
  }

  #through(url: string): TurngraphClient {
    setGraphInUse(`the graph behind ${url}`)
    return this.#asClientOf(url)
  }

  #asClientOf(url: string): TurngraphClient {
    return httpClient({ url, token: tokenFor(this.#config), project: this.#project })
  }
}
