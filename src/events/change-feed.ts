/**
 * Reports the changes in a graph to readers, including changes by other processes. A single finder serves all readers, and runs
 * only while there are readers.
 */
import PQueue from 'p-queue'
import { TurngraphError } from '../core/errors.ts'
import { inChunks } from '../core/group-by.ts'
import type { Graph } from '../graph/port.ts'
import { type ChangeEvent, HEARTBEAT_MS } from './change-event.ts'
import { ChangeFinder, type FeedObserver } from './change-finder.ts'
import { cursorBefore, EVENTS_AT_ONCE, readAll, readChanges, readClock, toChangeId } from './read-changes.ts'
import { type Found, readSettledEvents } from './read-events.ts'
import { RecentEvents } from './recent-events.ts'
import { noteWrites, type StoredStep } from './written-changes.ts'

/** Maximum age of a cursor: older changes are not looked up. */
const OLDEST_CURSOR_MS = 24 * 60 * 60 * 1_000
/** Maximum time by which a cursor may be in the future: another replica's database may have another clock. */
const CLOCKS_DIFFER_MS = 60_000
const WOKEN_AT_ONCE = 10
const BEGINNING_AT_ONCE = 2

export type EventsOf = { project: string; worldSlug?: string | null | undefined }

/** Start of a reader: now, with a snapshot, or at the cursor of an earlier reader. */
export type Beginning = 'now' | 'snapshot' | number

/** Events with a cursor. A reader that continues from `cursor` gets these events again, and all later ones. */
export type EventBatch = { events: ChangeEvent[]; cursor: string | null }

export class ChangeFeed {
  readonly #graph: Graph
  readonly #finder: ChangeFinder
  readonly #recent = new RecentEvents()
  #readers = 0
  #isClosed = false
  readonly #waiting = new Set<() => void>()
  /** Queue for readers that begin: a snapshot reads all sessions, so they take turns, page by page. */
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

  /** Notes a write of this process, so that its readers get the event at once. */
  noteWrite(steps: readonly StoredStep[]): Promise<void> | undefined {
    return this.#finder.noteWrite(steps)
  }

  /** Ends all readers. */
  close(): void {
    this.#isClosed = true
    this.#stop()
    this.#wake()
  }

  /**
   * Yields changes until the caller stops or the feed is closed. A slow reader misses intermediate states, never the current
   * state. The first batch is empty, and an empty batch follows every 15 s without an event.
   *
   * @throws `cursor_expired`; `store_unavailable` if the graph is unreachable when the reader begins
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
    let sent = new SentVersions(this.#finder.horizon)
    let place = this.#recent.end
    let cursor = this.#finder.horizon
    if (from === 'snapshot') yield* this.#snapshot(of, sent)
    else if (from !== 'now') yield* this.#changesSince(from, of, sent)
    yield { events: [], cursor: String(cursor) }
    let quietSince = performance.now()
    while (!signal.aborted && !this.#isClosed) {
      if (!this.#recent.has(place)) {
        place = this.#recent.end
        sent = new SentVersions(this.#finder.horizon)
        yield* this.#changesSince(cursor, of, sent)
        quietSince = performance.now()
      }
      const found = this.#recent
        .newestFrom(place)
        .filter(({ id, version, event }) => isAbout(of, event) && !sent.has(id, version))
      place = this.#recent.end
      cursor = this.#finder.horizon
      sent.forgetBefore(cursor)
      for (const some of inChunks(found, EVENTS_AT_ONCE)) {
        yield { events: some.map(({ event }) => event), cursor: String(some[0]?.since) }
        quietSince = performance.now()
      }
      if (place < this.#recent.end) continue
      // Events of other projects also wake this reader, but do not count as its heartbeat.
      const isQuiet = await this.#nextEvent(signal, quietSince + HEARTBEAT_MS)
      if (!isQuiet) continue
      yield { events: [], cursor: String(this.#finder.horizon) }
      quietSince = performance.now()
    }
  }

  /** Yields the snapshot. It has no cursor, so an interrupted reader begins again. */
  async *#snapshot({ project, worldSlug = null }: EventsOf, sent: SentVersions): AsyncGenerator<EventBatch> {
    const pages = readAll(this.#graph, { project, worldSlug })
    for (;;) {
      const page = await this.#inTurn(() => pages.next())
      if (page.done) return
      for (const some of inChunks(page.value, EVENTS_AT_ONCE)) {
        const found = await this.#inTurn(() => readSettledEvents(this.#graph, some))
        sent.add(found)
        if (found.length > 0) yield { events: eventsIn(found), cursor: null }
      }
    }
  }

  async *#changesSince(cursor: number, of: EventsOf, sent: SentVersions): AsyncGenerator<EventBatch> {
    const now = await readClock(this.#graph)
    if (cursor < now - OLDEST_CURSOR_MS || cursor > now + CLOCKS_DIFFER_MS) throw cursorExpired()
    for await (const { now, changes } of readChanges(this.#graph, cursor, of.project)) {
      for (const some of inChunks(changes, EVENTS_AT_ONCE)) {
        const found = await this.#inTurn(() => readSettledEvents(this.#graph, some))
        sent.add(found)
        const events = eventsIn(found).filter((event) => isAbout(of, event))
        if (events.length > 0) yield { events, cursor: String(cursorBefore(some, cursor, now)) }
      }
    }
  }

  #stop(): void {
    this.#finder.stop()
    this.#recent.clear()
  }

  /** Wakes a few readers at a time: each writes to its connection, and the process answers requests in between. */
  #wake(): void {
    const waiting = [...this.#waiting]
    const wakeSome = () => {
      for (const wake of waiting.splice(0, WOKEN_AT_ONCE)) wake()
      if (waiting.length > 0) setImmediate(wakeSome)
    }
    wakeSome()
  }

  /** Waits for an event until a time of the process's clock; true if none came. */
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

/** Creates the feed of a graph, and the graph whose writes reach the readers of the feed at once. */
export function withChangeFeed(
  stored: Graph,
  observer: FeedObserver | null = null,
): { graph: Graph; feed: ChangeFeed } {
  const feed = new ChangeFeed(stored, observer)
  return { graph: noteWrites(stored, (steps) => feed.noteWrite(steps)), feed }
}

/** Versions that a snapshot or a cursor already sent to a reader, kept as long as the finder may find them again. */
class SentVersions {
  readonly #versions = new Map<string, number>()
  readonly #horizon: number
  #newest = 0

  /** @param horizon horizon of the finder when the reader begins: it finds nothing older */
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

  /** Forgets the versions if the finder can no longer find them. */
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
