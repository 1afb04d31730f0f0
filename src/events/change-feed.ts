/**
 * Tells readers what changes in a graph, in this process and in others. However many read: one look a second at what changed
 * since the last one, and none while nobody reads; what this very process writes is told soon after, by its keys
 * (docs/decisions/events.md).
 */
import PQueue from 'p-queue'
import { isAway, TurngraphError } from '../core/errors.ts'
import { isHalfOfACommit } from '../graph/decode.ts'
import type { StoredStep } from '../graph/note-writes.ts'
import type { Graph } from '../graph/port.ts'
import type { ChangeEvent } from './change-event.ts'
import {
  type Change,
  type ChangePage,
  type ChangeRef,
  readAll,
  readChanges,
  readClock,
  readCurrentVersions,
} from './read-changes.ts'
import { type Found, readEventsOf } from './read-events.ts'
import { changesOf } from './written-changes.ts'

/** Between two looks; what another replica wrote arrives within it and a little more. */
const LOOK_MS = 1_000
/** From a write of this process until it is told: the writes of this while are told together. */
const GATHER_MS = 50
/**
 * A statement takes its time from the database before it waits for a lock, and commits up to a deadline of 5 s later: each
 * look goes back so far, and so does the cursor of what it tells.
 */
const OVERLAP_MS = 10_000
/** A cursor that is older is refused: what changed since is not looked up minute by minute. */
const OLDEST_CURSOR_MS = 24 * 60 * 60 * 1_000
/** A cursor may come from a replica whose database has another clock. */
const CLOCKS_DIFFER_MS = 60_000
const HEARTBEAT_MS = 15_000
const EVENTS_AT_ONCE = 20
const WOKEN_AT_ONCE = 10
const BEGINNING_AT_ONCE = 2
/** What is kept for readers that are not done with the events before; a slower one looks them up in the graph. */
const KEPT_EVENTS = 2_000

export type EventsOf = { project: string; worldSlug?: string | null | undefined }

/** Where a reader begins: now, with all that is there, or where an earlier reader was. */
export type Beginning = 'now' | 'snapshot' | number

/** A reader that comes back with `cursor` is told these events again, also where it saw some of them, and all that follow. */
export type Told = { events: ChangeEvent[]; cursor: string | null }

/** `failed` is told what no other look would mend; not that the graph is away. */
export type FeedObserver = { lag(seconds: number): void; failed(error: unknown): void }

/** An event, and how far back the look went that found it: all that changed before has been told before. */
type Kept = { id: string; version: number; since: number; event: ChangeEvent }

export class ChangeFeed {
  readonly #graph: Graph
  readonly #observer: FeedObserver | null
  /** In the order in which they were found; those that no reader should need any more are dropped. */
  #kept: Kept[] = []
  /** How many were dropped: the place of an event is this and its index. */
  #dropped = 0
  /** The newest version that was found of each that changed since the horizon. */
  readonly #versions = new Map<string, number>()
  /** All that was stored before this instant of the database's clock has been found. */
  #horizon = 0
  #readers = 0
  #starting: Promise<void> | null = null
  #isRunning = false
  #isBusy = false
  #isClosed = false
  /** What this process has written since it was last told. */
  readonly #written = new Map<string, ChangeRef>()
  #nextLookAt = 0
  /** When it is busy next, by the clock of the process. */
  #dueAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  readonly #waiting = new Set<() => void>()
  /** A snapshot reads all sessions: readers that begin at once take turns, page by page. */
  readonly #inTurn: <T>(work: () => Promise<T>) => Promise<T>

  constructor(graph: Graph, observer: FeedObserver | null = null) {
    this.#graph = graph
    this.#observer = observer
    const beginning = new PQueue({ concurrency: BEGINNING_AT_ONCE })
    this.#inTurn = (work) => beginning.add(work)
  }

  get readers(): number {
    return this.#readers
  }

  /** Something was written by this process: its readers shall hear of it at once. */
  noteWrite(steps: readonly StoredStep[]): void {
    if (this.#starting === null) return
    for (const change of steps.flatMap(changesOf)) this.#written.set(idOf(change), change)
    if (this.#isRunning && !this.#isBusy) this.#schedule()
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
  async *read(of: EventsOf, from: Beginning, signal: AbortSignal): AsyncGenerator<Told> {
    this.#readers++
    try {
      this.#starting ??= this.#start().catch((error: unknown) => {
        this.#starting = null
        throw error
      })
      await this.#starting
      yield* this.#follow(of, from, signal)
    } finally {
      this.#readers--
      if (this.#readers === 0) this.#stop()
    }
  }

  async *#follow(of: EventsOf, from: Beginning, signal: AbortSignal): AsyncGenerator<Told> {
    let told = new ToldVersions(this.#horizon)
    let place = this.#end
    let cursor = this.#horizon
    if (from === 'snapshot') yield* this.#snapshot(of, told)
    else if (from !== 'now') yield* this.#changesSince(from, of, told)
    yield { events: [], cursor: String(cursor) }
    let quietSince = performance.now()
    while (!signal.aborted && !this.#isClosed) {
      if (place < this.#dropped) {
        place = this.#end
        told = new ToldVersions(this.#horizon)
        yield* this.#changesSince(cursor, of, told)
        quietSince = performance.now()
      }
      const found = newestOfEach(this.#kept.slice(place - this.#dropped)).filter(
        ({ id, version, event }) => isOf(of, event) && !told.has(id, version),
      )
      place = this.#end
      cursor = this.#horizon
      told.forgetBefore(cursor)
      for (const some of pieces(found)) {
        yield { events: some.map(({ event }) => event), cursor: String(some[0]?.since) }
        quietSince = performance.now()
      }
      if (place < this.#end) continue
      // Events of others wake this reader, too: they are no sign of life to it.
      const isQuiet = await this.#nextEvent(signal, quietSince + HEARTBEAT_MS)
      if (!isQuiet) continue
      yield { events: [], cursor: String(this.#horizon) }
      quietSince = performance.now()
    }
  }

  /** Without a cursor: a reader that is cut off in between begins anew. */
  async *#snapshot({ project, worldSlug = null }: EventsOf, told: ToldVersions): AsyncGenerator<Told> {
    const pages = readAll(this.#graph, { project, worldSlug })
    for (;;) {
      const page = await this.#inTurn(() => pages.next())
      if (page.done) return
      for (const some of pieces(page.value)) {
        const found = await this.#inTurn(() => readEventsOf(this.#graph, some))
        told.add(found)
        if (found.length > 0) yield { events: eventsIn(found), cursor: null }
      }
    }
  }

  async *#changesSince(cursor: number, of: EventsOf, told: ToldVersions): AsyncGenerator<Told> {
    const now = await readClock(this.#graph)
    if (cursor < now - OLDEST_CURSOR_MS || cursor > now + CLOCKS_DIFFER_MS) throw cursorExpired()
    for await (const { now, changes } of readChanges(this.#graph, cursor, of.project)) {
      for (const some of pieces(changes)) {
        const found = await this.#inTurn(() => readEventsOf(this.#graph, some))
        told.add(found)
        const events = eventsIn(found).filter((event) => isOf(of, event))
        if (events.length > 0) yield { events, cursor: String(cursorBefore(some, cursor, now)) }
      }
    }
  }

  /** Where a reader stands that has been told all that was found. */
  get #end(): number {
    return this.#dropped + this.#kept.length
  }

  /** What changed just before is known, and told to nobody: a reader begins now. */
  async #start(): Promise<void> {
    this.#horizon = (await readClock(this.#graph)) - OVERLAP_MS
    for await (const { changes } of readChanges(this.#graph, this.#horizon))
      for (const change of changes) this.#versions.set(idOf(change), change.version)
    this.#isRunning = true
    this.#nextLookAt = performance.now() + LOOK_MS
    this.#schedule()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#dueAt = Number.POSITIVE_INFINITY
    this.#starting = null
    this.#isRunning = false
    this.#dropped = this.#end
    this.#kept = []
    this.#versions.clear()
    this.#written.clear()
  }

  /** One more write shall not put off what is due. */
  #schedule(): void {
    const now = performance.now()
    const at = this.#written.size > 0 ? Math.min(now + GATHER_MS, this.#nextLookAt) : this.#nextLookAt
    if (at >= this.#dueAt) return
    this.#dueAt = at
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#work(), Math.max(0, at - now)).unref()
  }

  async #work(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY
    if (this.#isBusy) return // with what began before the last reader left
    this.#isBusy = true
    try {
      if (performance.now() >= this.#nextLookAt) await this.#findChanges()
      else await this.#tellWritten()
    } catch (error) {
      if (!isAway(error)) this.#observer?.failed(error) // the next look goes back as far
    } finally {
      this.#isBusy = false
      if (this.#isRunning) this.#schedule()
    }
  }

  async #tellWritten(): Promise<void> {
    const written = [...this.#written.values()]
    this.#written.clear()
    for (const some of pieces(written)) {
      const page = await readCurrentVersions(this.#graph, some)
      await this.#tell(page, () => this.#horizon) // what others have written since the last look is not known yet
    }
  }

  async #findChanges(): Promise<void> {
    this.#nextLookAt = performance.now() + LOOK_MS
    this.#written.clear() // all of it was stored before
    const since = this.#horizon
    let horizon: number | null = null
    for await (const page of readChanges(this.#graph, since)) {
      horizon ??= page.now - OVERLAP_MS
      await this.#tell(page, (some) => cursorBefore(some, since, page.now))
      if (!this.#isRunning) return
      this.#drop(horizon)
    }
    this.#horizon = horizon ?? since
  }

  /** @param cursorOf what brings a reader back to where some of the changes are told */
  async #tell({ now, changes }: ChangePage, cursorOf: (some: readonly Change[]) => number): Promise<void> {
    const news = changes.filter((change) => change.version > (this.#versions.get(idOf(change)) ?? -1))
    for (const some of pieces(news)) {
      const found = await this.#readEventsOf(some)
      if (!this.#isRunning) return
      const since = cursorOf(some)
      for (const { change, event } of found) {
        this.#versions.set(idOf(change), change.version)
        this.#kept.push({ id: idOf(change), version: change.version, since, event })
        this.#observer?.lag(Math.max(0, now - change.version) / 1_000)
      }
      this.#wake()
    }
  }

  /** What each now is. A record that cannot be read is left to the next look, and keeps no other from being told. */
  async #readEventsOf(changes: readonly Change[]): Promise<Found[]> {
    try {
      return await readEventsOf(this.#graph, changes)
    } catch (error) {
      if (isAway(error) && !isHalfOfACommit(error)) throw error
      if (changes.length > 1) {
        const found: Found[] = []
        for (const change of changes) found.push(...(await this.#readEventsOf([change])))
        return found
      }
      this.#observer?.failed(error)
      return []
    }
  }

  /** What no reader should need any more, and what no look finds any more. */
  #drop(horizon: number): void {
    if (this.#kept.length > 2 * KEPT_EVENTS) {
      this.#dropped += this.#kept.length - KEPT_EVENTS
      this.#kept = this.#kept.slice(-KEPT_EVENTS)
    }
    for (const [id, version] of this.#versions) if (version < horizon) this.#versions.delete(id)
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

/** The versions that a reader was told out of the order of looks, as far as a look may find them too. */
class ToldVersions {
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
      this.#versions.set(idOf(change), change.version)
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

/** Brings a reader back to where these changes begin: all before was told, but for what may still be committed late. */
const cursorBefore = ([first]: readonly Change[], since: number, now: number): number =>
  Math.max(since, Math.min(first?.version ?? since, now - OVERLAP_MS))

const eventsIn = (found: readonly Found[]): ChangeEvent[] => found.map(({ event }) => event)

const idOf = ({ type, key }: ChangeRef): string => `${type} ${key}`

function isOf({ project, worldSlug }: EventsOf, event: ChangeEvent): boolean {
  if (event.project !== project) return false
  return worldSlug == null || (event.type !== 'import' && event.worldSlug === worldSlug)
}

/** A reader that was away from a few looks hears of each once. */
function newestOfEach(kept: readonly Kept[]): Kept[] {
  const newest = new Map(kept.map((each) => [each.id, each]))
  return kept.filter((each) => newest.get(each.id) === each)
}

function* pieces<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += EVENTS_AT_ONCE) yield all.slice(at, at + EVENTS_AT_ONCE)
}

const cursorExpired = (): TurngraphError =>
  new TurngraphError('cursor_expired', 'What changed since that cursor is no longer known one by one.', {
    hint: 'Begin with a snapshot (snapshot=true, --snapshot): it tells what now is.',
  })
