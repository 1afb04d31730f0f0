/**
 * Tells readers what changes in a graph, in this process and in others. However many read: one looks for what changed, and
 * none while nobody reads.
 */
import PQueue from 'p-queue'
import { TurngraphError } from '../core/errors.ts'
import type { Graph } from '../graph/port.ts'
import { type ChangeEvent, HEARTBEAT_MS } from './change-event.ts'
import { ChangeFinder, type FeedObserver } from './change-finder.ts'
import { cursorBefore, pieces, readAll, readChanges, readClock, toChangeId } from './read-changes.ts'
import { type Found, readSettledEvents } from './read-events.ts'
import { RecentEvents } from './recent-events.ts'
import type { StoredStep } from './written-changes.ts'

/** A cursor that is older is refused: what changed since is not looked up minute by minute. */
const OLDEST_CURSOR_MS = 24 * 60 * 60 * 1_000
/** A cursor may come from a replica whose database has another clock. */
const CLOCKS_DIFFER_MS = 60_000
const WOKEN_AT_ONCE = 10
const BEGINNING_AT_ONCE = 2

export type EventsOf = { project: string; worldSlug?: string | null | undefined }

/** Where a reader begins: now, with all that is there, or where an earlier reader was. */
export type Beginning = 'now' | 'snapshot' | number

/** A reader that comes back with `cursor` is told these events again, also where it saw some of them, and all that follow. */
export type EventBatch = { events: ChangeEvent[]; cursor: string | null }

export class ChangeFeed {
  readonly #graph: Graph
  readonly #finder: ChangeFinder
  readonly #recent = new RecentEvents()
  #readers = 0
  #isClosed = false
  readonly #waiting = new Set<() => void>()
  /** A snapshot reads all sessions: readers that begin at once take turns, page by page. */
  readonly #inTurn: <T>(work: () => Promise<T>) => Promise<T>

  constructor(graph: Graph, observer: FeedObserver | null = null) {
    this.#graph = graph
    this.#finder = new ChangeFinder(
      graph,
      (events) => {
        this.#recent.add(events)
        this.#wake()
      },
      observer,
    )
    const beginning = new PQueue({ concurrency: BEGINNING_AT_ONCE })
    this.#inTurn = (work) => beginning.add(work)
  }

  get readers(): number {
    return this.#readers
  }

  /** Takes note of a write of this process, so that its readers hear of it at once. */
  noteWrite(steps: readonly StoredStep[]): void {
    this.#finder.noteWrite(steps)
  }

  /** Ends all readers. */
  close(): void {
    this.#isClosed = true
    this.#stop()
    this.#wake()
  }

  /**
   * Tells what changes until the caller stops, or the feed is closed. A slow reader misses what was in between, never what
   * now is. An empty list comes first, and every 15 s without an event.
   *
   * @throws `cursor_expired`; `store_unavailable` where the graph is away as the reader begins
   */
  async *read(of: EventsOf, from: Beginning, signal: AbortSignal): AsyncGenerator<EventBatch> {
    this.#readers++
    try {
      await this.#finder.start()
      yield* this.#follow(of, from, signal)
    } finally {
      this.#readers--
      if (this.#readers === 0) this.#stop()
    }
  }

  async *#follow(of: EventsOf, from: Beginning, signal: AbortSignal): AsyncGenerator<EventBatch> {
    let told = new SentVersions(this.#finder.horizon)
    let place = this.#recent.end
    let cursor = this.#finder.horizon
    if (from === 'snapshot') yield* this.#snapshot(of, told)
    else if (from !== 'now') yield* this.#changesSince(from, of, told)
    yield { events: [], cursor: String(cursor) }
    let quietSince = performance.now()
    while (!signal.aborted && !this.#isClosed) {
      if (!this.#recent.has(place)) {
        place = this.#recent.end
        told = new SentVersions(this.#finder.horizon)
        yield* this.#changesSince(cursor, of, told)
        quietSince = performance.now()
      }
      const found = this.#recent
        .newestFrom(place)
        .filter(({ id, version, event }) => isAbout(of, event) && !told.has(id, version))
      place = this.#recent.end
      cursor = this.#finder.horizon
      told.forgetBefore(cursor)
      for (const some of pieces(found)) {
        yield { events: some.map(({ event }) => event), cursor: String(some[0]?.since) }
        quietSince = performance.now()
      }
      if (place < this.#recent.end) continue
      // Events of others wake this reader, too: they are no sign of life to it.
      const isQuiet = await this.#nextEvent(signal, quietSince + HEARTBEAT_MS)
      if (!isQuiet) continue
      yield { events: [], cursor: String(this.#finder.horizon) }
      quietSince = performance.now()
    }
  }

  /** Without a cursor: a reader that is cut off in between begins anew. */
  async *#snapshot({ project, worldSlug = null }: EventsOf, told: SentVersions): AsyncGenerator<EventBatch> {
    const pages = readAll(this.#graph, { project, worldSlug })
    for (;;) {
      const page = await this.#inTurn(() => pages.next())
      if (page.done) return
      for (const some of pieces(page.value)) {
        const found = await this.#inTurn(() => readSettledEvents(this.#graph, some))
        told.add(found)
        if (found.length > 0) yield { events: eventsIn(found), cursor: null }
      }
    }
  }

  async *#changesSince(cursor: number, of: EventsOf, told: SentVersions): AsyncGenerator<EventBatch> {
    const now = await readClock(this.#graph)
    if (cursor < now - OLDEST_CURSOR_MS || cursor > now + CLOCKS_DIFFER_MS) throw cursorExpired()
    for await (const { now, changes } of readChanges(this.#graph, cursor, of.project)) {
      for (const some of pieces(changes)) {
        const found = await this.#inTurn(() => readSettledEvents(this.#graph, some))
        told.add(found)
        const events = eventsIn(found).filter((event) => isAbout(of, event))
        if (events.length > 0) yield { events, cursor: String(cursorBefore(some, cursor, now)) }
      }
    }
  }

  #stop(): void {
    this.#finder.stop()
    this.#recent.clear()
  }

  /** A few at a time: each writes to its connection, and requests are answered in between. */
  #wake(): void {
    const waiting = [...this.#waiting]
    const wakeSome = () => {
      for (const wake of waiting.splice(0, WOKEN_AT_ONCE)) wake()
      if (waiting.length > 0) setImmediate(wakeSome)
    }
    wakeSome()
  }

  /** Waits for one, and no longer than until an instant of the process; true where none came. */
  #nextEvent(signal: AbortSignal, until: number): Promise<boolean> {
    if (signal.aborted || this.#isClosed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isQuiet: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve(isQuiet)
      }
      const wake = () => end(false)
      const timer = setTimeout(end, Math.max(0, until - performance.now()), true)
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }
}

/** The versions that a reader was sent outside the order of looks, as long as a look may still find them. */
class SentVersions {
  readonly #versions = new Map<string, number>()
  readonly #horizon: number
  #newest = 0

  /** @param horizon of the looks when the reader begins: they find nothing that is older */
  constructor(horizon: number) {
    this.#horizon = horizon
  }

  add(found: readonly Found[]): void {
    for (const { change } of found) {
      if (change.version < this.#horizon) continue
      this.#versions.set(toChangeId(change), change.version)
      this.#newest = Math.max(this.#newest, change.version)
    }
  }

  has(id: string, version: number): boolean {
    return version <= (this.#versions.get(id) ?? -1)
  }

  /** No look finds them any more. */
  forgetBefore(horizon: number): void {
    if (this.#newest < horizon) this.#versions.clear()
  }
}

const eventsIn = (found: readonly Found[]): ChangeEvent[] => found.map(({ event }) => event)

function isAbout({ project, worldSlug }: EventsOf, event: ChangeEvent): boolean {
  if (event.project !== project) return false
  return worldSlug == null || (event.type !== 'import' && event.worldSlug === worldSlug)
}

const cursorExpired = (): TurngraphError =>
  new TurngraphError('cursor_expired', 'What changed since that cursor is no longer known one by one.', {
    hint: 'Begin with a snapshot (snapshot=true, --snapshot): it tells what now is.',
  })
