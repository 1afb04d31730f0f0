// Tells a connection which of the resources that it subscribed to have changed.
import { TurngraphError } from '../core/errors.ts'
import type { ChangeEvent } from '../events/change-event.ts'
import { isTouchedBy, parseResourceUri, type ResourceAddress } from './resource-address.ts'

/** Resolves once the changes of a project are heard: whatever changes from then on is told, until the signal. */
export type OpenChanges = (project: string, signal: AbortSignal) => Promise<AsyncIterable<ChangeEvent>>

export type WatchOptions = {
  openChanges: OpenChanges
  /** A subscribed resource has changed. */
  notify: (uri: string) => void
  /** What ends the changes of a project before their time. */
  onDefect: (error: unknown) => void
}

/** For all subscribers of a connection. */
const MOST_RESOURCES = 1_000
/** Each is a reader of events. */
const MOST_PROJECTS = 10

/**
 * The subscriptions of one connection. However many they are, the changes of a project are read once, and a URI is told
 * once for a change.
 */
export class ResourceWatch {
  readonly #options: WatchOptions
  /** By what the subscriber is called: a URI of `resources/subscribe`, the request of `subscriptions/listen`. */
  readonly #subscribed = new Map<string | number, readonly ResourceAddress[]>()
  readonly #projects = new Map<string, { opened: Promise<void>; stop: AbortController }>()

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /**
   * Resolves once it hears of whatever changes.
   *
   * @throws `not_found` and `invalid_request` for what is no URI of a resource, `too_large` where they are too many, and
   * what opening the changes does: there is no subscription then
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

  close(): void {
    this.#subscribed.clear()
    for (const project of this.#projects.keys()) this.#stop(project)
  }

  #addresses(): ResourceAddress[] {
    return [...this.#subscribed.values()].flat()
  }

  #refuseTooMany(more: readonly ResourceAddress[]): void {
    const all = [...this.#addresses(), ...more]
    if (all.length <= MOST_RESOURCES && listProjects(all).size <= MOST_PROJECTS) return
    throw new TurngraphError(
      'too_large',
      `A connection subscribes to ${MOST_RESOURCES} resources of ${MOST_PROJECTS} projects at most.`,
      { hint: 'Unsubscribe from some, or open another connection.' },
    )
  }

  #follow(project: string): Promise<void> {
    const watched = this.#projects.get(project)
    if (watched !== undefined) return watched.opened
    const stop = new AbortController()
    const end = () => {
      stop.abort()
      // The next subscriber may have opened it anew by then.
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
