// Calls the operations of the service over REST.
import { hasBody, routes } from '../../operations/routes.ts'
import { brokenOff, Failure, failureFrom, noToken, notReachable, notSignedIn } from './failure.ts'
import type { Answered, Asked, ItemOf, OperationName } from './operations.ts'
import { ServiceStatus } from './service-status.ts'
import { StreamBeginnings } from './stream-beginnings.ts'

export type ListName = {
  [N in OperationName]: Answered<N> extends { next_cursor: string | null } ? N : never
}[OperationName]

type Page<N extends ListName> = { items: ItemOf<N>[]; next_cursor: string | null }
/** The items of some pages, and the pages with their other fields. */
export type Items<N extends ListName> = { items: ItemOf<N>[]; pages: Answered<N>[]; hasMore: boolean }

/** Text that a browser sends in a header. `fetch` throws for any other text. */
const HEADER_TEXT = /^[\x20-\x7e]+$/

/** Maximum page size of the service. */
export const MAX_ITEMS = 500

export class Service {
  readonly status = new ServiceStatus()
  readonly beginnings = new StreamBeginnings()
  readonly #token: string | null

  constructor(token: string | null) {
    this.#token = token
  }

  /** @throws {@link Failure} */
  async call<N extends OperationName>(name: N, input: Asked<N>, signal?: AbortSignal): Promise<Answered<N>> {
    const { url, ...init } = requestFor(name, input)
    const answer = await this.fetchJson(url, { ...init, signal: signal ?? null })
    return answer as Answered<N> // one table defines the types of both sides
  }

  /** All items of a list, page by page. */
  async listAll<N extends ListName>(name: N, input: Asked<N>, signal?: AbortSignal): Promise<ItemOf<N>[]> {
    const whole = { ...input, limit: MAX_ITEMS }
    return (await this.listPages(name, whole, Number.POSITIVE_INFINITY, signal)).items
  }

  /** Lists the items of the first pages of a list; `hasMore` is true if more pages follow. */
  async listPages<N extends ListName>(
    name: N,
    input: Asked<N>,
    pages: number,
    signal?: AbortSignal,
  ): Promise<Items<N>> {
    const found: Items<N> = { items: [], pages: [], hasMore: true }
    let cursor: string | null = null
    while (found.hasMore && found.pages.length < pages) {
      const page: Answered<N> = await this.call(name, { ...input, cursor }, signal)
      const { items, next_cursor: next } = page as Page<N>
      found.pages.push(page)
      found.items.push(...items)
      cursor = next
      found.hasMore = next !== null
    }
    return found
  }

  /**
   * Returns the JSON of a 2xx answer.
   *
   * @throws {@link Failure}, also if the answer breaks off or came from a program between the page and the service
   */
  async fetchJson(url: string, init: RequestInit = {}): Promise<unknown> {
    const response = await this.fetch(url, init)
    const text = await response.text().catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause
      throw brokenOff(init.method ?? 'GET')
    })
    try {
      return JSON.parse(text)
    } catch {
      throw new Failure('internal', 'The answer is no JSON.', 'Look at what stands between page and service.')
    }
  }

  /** Returns a 2xx answer of any content type. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.#token !== null) {
      if (!HEADER_TEXT.test(this.#token)) throw noToken()
      headers.set('authorization', `Bearer ${this.#token}`)
    }
    const response = await fetch(url, { ...init, headers, credentials: 'omit' }).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause
      this.status.note('not reachable')
      throw notReachable()
    })
    if (response.ok) {
      this.status.note('ready')
      return response
    }
    const failure = await failureFrom(response)
    if (failure.code === 'store_unavailable') this.status.note('store unavailable')
    else if (response.status < 500) this.status.note('ready') // a proxy answers 502 for a service that is away
    if (failure.code !== 'unauthorized') throw failure
    this.status.noteRefusedToken()
    throw notSignedIn()
  }
}

/** Distributes the fields of an operation over path, query and body, as its route declares them. */
function requestFor(
  name: OperationName,
  input: object,
): { url: string; method: string; headers: HeadersInit; body?: string } {
  const route = routes.find(({ operation }) => operation === name)
  if (route === undefined) throw new Failure('internal', `The operation ${name} has no route.`)
  const fields = new Map(Object.entries(input).filter(([, value]) => value != null))
  const path = route.path.replace(/\{(\w+)\}/g, (_all, field: string) => {
    const value = String(fields.get(field))
    fields.delete(field)
    return encodeURIComponent(value)
  })
  const { method } = route
  if (hasBody(route)) {
    const headers = { 'content-type': 'application/json' }
    return { url: path, method, headers, body: JSON.stringify(Object.fromEntries(fields)) }
  }
  const query = new URLSearchParams([...fields].map(([key, value]) => [key, String(value)])).toString()
  return { url: query === '' ? path : `${path}?${query}`, method, headers: {} }
}
