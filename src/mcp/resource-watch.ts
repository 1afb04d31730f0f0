// Notifies a connection of changes of the resources that it subscribed to.
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import type { ChangeEvent } from '../events/change-event.ts'
import { isTouchedBy, parseResourceUri, type ResourceAddress } from './resource-address.ts'

/** Opens the changes of a project until the signal ends them. Resolves when later changes cannot be missed. */
export type OpenChanges = (project: string, signal: AbortSignal) => Promise<AsyncIterable<ChangeEvent>>

export type WatchOptions = {
  openChanges: OpenChanges
  /** Called when a subscribed resource has changed. */
  notify: (uri: string) => void
  /** Receives errors that end the changes of a project early. */
  onDefect: (error: unknown) => void
}

/** Maximum number of resources of all subscribers of a connection. */
const MAX_RESOURCES = 1_000
/** Maximum number of projects, each of which is a reader of events. */
const MAX_PROJECTS = 10

/**
 * Subscriptions of one connection. Reads the changes of a project once for all subscriptions, and notifies of a URI once per
 * change.
 */
export class ResourceWatch {
  readonly #options: WatchOptions
  /** Subscriptions by subscriber: a URI of `resources/subscribe`, or the id of a `subscriptions/listen` request. */
  readonly #subscribed = new Map<string | number, readonly ResourceAddress[]>()
  readonly #projects = new Map<string, { opened: Promise<void>; stop: AbortController }>()

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /**
   * Subscribes to resources. Resolves when later changes cannot be missed.
   *
   * @throws `not_found` and `invalid_request` for an invalid URI, `too_large` for too many resources, and the errors of opening
   * the changes. After an error there is no subscription.
   */
  async subscribe(subscriber: string | number, uris: readonly string[]): Promise<void> {
    const addresses = uris.map(parseResourceUri)
    this.#refuseTooMany(addresses)
    this.#subscribed.set(subscriber, addresses)
    try {
      await Promise.all([...listProjects(addresses)].map((project) => this.#follow(project)))
    } catch (error) {
      this.unsubscribe(subscriber)
      throw error
    }
  }

  unsubscribe(subscriber: string | number): void {
    this.#subscribed.delete(subscriber)
    const left = listProjects(this.#addresses())
    for (const project of this.#projects.keys()) if (!left.has(project)) this.#stop(project)
  }

  get hasSubscriptions(): boolean {
    return this.#subscribed.size > 0
  }

  close(): void {
    this.#subscribed.clear()
    for (const project of this.#projects.keys()) this.#stop(project)
  }

  #addresses(): ResourceAddress[] {
    return [...this.#subscribed.values()].flat()
  }

  #refuseTooMany(more: readonly ResourceAddress[]): void {
    const all = [...this.#addresses(), ...more]
    if (all.length <= MAX_RESOURCES && listProjects(all).size <= MAX_PROJECTS) return
    throw new TurngraphError(
      'too_large',
      `A connection subscribes to ${MAX_RESOURCES} resources of ${MAX_PROJECTS} projects at most.`,
      { hint: 'Unsubscribe from some, or open another connection.' },
    )
  }

  #follow(project: string): Promise<void> {
    const watched = this.#projects.get(project)
    if (watched !== undefined) return watched.opened
    const stop = new AbortController()
    const end = () => {
      stop.abort()
      // Another subscriber may have opened the project again in the meantime.
      if (this.#projects.get(project)?.stop === stop) this.#projects.delete(project)
    }
    const opened = this.#options.openChanges(project, stop.signal).then((changes) => {
      void this.#tell(changes, stop.signal).finally(end)
    })
    this.#projects.set(project, { opened, stop })
    opened.catch(end)
    return opened
  }

  async #tell(changes: AsyncIterable<ChangeEvent>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of changes) {
        const touched = this.#addresses().filter((address) => isTouchedBy(address, event))
        for (const uri of new Set(touched.map((address) => address.uri))) this.#options.notify(uri)
      }
    } catch (error) {
      if (!signal.aborted) this.#options.onDefect(error)
    }
  }

  #stop(project: string): void {
    this.#projects.get(project)?.stop.abort()
    this.#projects.delete(project)
  }
}

const listProjects = (addresses: readonly ResourceAddress[]): ReadonlySet<string> =>
  new Set(addresses.flatMap(({ input }) => input.project ?? []))

/** Request of 2026-07-28 that subscribes to resources. */
const listenRequest = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({
    notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }),
  }),
})

/** Returns the URIs of the request; null for another request, or for one that the SDK rejects. */
export function requestedUris(message: unknown): string[] | null {
  const request = listenRequest.safeParse(message)
  return request.success ? request.data.params.notifications.resourceSubscriptions : null
}
