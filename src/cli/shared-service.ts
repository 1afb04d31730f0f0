/** Provides the service of a data folder to a long-running process. */
import { once } from 'node:events'
import { neverArrived } from '../client/client-errors.ts'
import { readEventStream } from '../client/event-stream.ts'
import type { HttpClient } from '../client/http.ts'
import { TurngraphError } from '../core/errors.ts'
import { joinSignals } from '../core/join-signals.ts'
import type { ChangeEvent } from '../events/change-event.ts'
import type { Service } from '../http/service.ts'
import type { EventsRequest } from '../operations/events.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { createHttpClient, openStore, serverOr, throughService } from './connect.ts'

/** Maximum wait for another process that is about to serve the folder or to release it. */
const PATIENCE_MS = 15_000

/**
 * The running service of a data folder, otherwise a new one in this process. The new one has a free loopback port, so that other
 * processes can use it. If the running service ends, this process takes over.
 */
export class SharedService {
  readonly #config: Config
  readonly #project: string | undefined
  readonly #log: Log
  #own: Service | null = null
  readonly #closing = new AbortController()
  #client: Promise<HttpClient> | null = null

  constructor(config: Config, project: string | undefined, log: Log) {
    this.#config = config
    this.#project = project
    this.#log = log
  }

  get isOwn(): boolean {
    return this.#own !== null
  }

  client(): Promise<HttpClient> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = null
      throw error
    })
    return this.#client
  }

  /** Yields the changes in a project from now on, even after a takeover. Resolves when later changes cannot be missed. */
  async changes(project: string, signal: AbortSignal): Promise<AsyncIterable<ChangeEvent>> {
    const until = joinSignals(signal, this.#closing.signal)
    const opening = new AbortController()
    const isOpen = once(opening.signal, 'abort')
    const open = async (request: EventsRequest, stop: AbortSignal) => {
      const response = await this.use((client) => client.openEvents(request, stop))
      opening.abort()
      return response
    }
    const events = readEventStream({ project }, { open, signal: until })
    const first = events.next()
    await Promise.race([isOpen, first])
    return beginningWith(first, events)
  }

  /** Runs work with a client. If the service is gone, runs it again with the service that has taken over. */
  async use<T>(work: (client: HttpClient) => Promise<T>): Promise<T> {
    const used = this.client()
    try {
      return await work(await used)
    } catch (error) {
      if (!neverArrived(error)) throw error
      if (this.#client === used) this.#client = null
      return work(await this.client())
    }
  }

  /** Closes the service, even if it is just starting. */
  async close(): Promise<void> {
    this.#closing.abort(new TurngraphError('store_unavailable', 'This command ends.'))
    await this.#client?.catch(() => {})
    await this.#own?.close()
  }

  async #connect(): Promise<HttpClient> {
    const { url } = this.#config
    if (url !== null) return throughService(this.#config, this.#project, url)
    const server = await serverOr(this.#config, () => this.#serve(), {
      serverMs: PATIENCE_MS,
      holderMs: () => PATIENCE_MS,
      signal: this.#closing.signal,
    })
    return (this.isOwn ? createHttpClient : throughService)(this.#config, this.#project, server.url)
  }

  async #serve(): Promise<Service> {
    const { startService } = await import('../http/service.ts')
    const config = { ...this.#config, host: '127.0.0.1', port: 0 }
    const graph = await openStore(config.store)
    try {
      this.#own = await startService({ config, graph, log: this.#log })
      return this.#own
    } catch (error) {
      await graph.close()
      throw error
    }
  }
}

async function* beginningWith<T>(
  first: Promise<IteratorResult<T, void>>,
  rest: AsyncGenerator<T, void>,
): AsyncGenerator<T> {
  const { done, value } = await first
  if (done) return
  yield value
  yield* rest
}
