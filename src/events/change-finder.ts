/**
 * Finds the changes in a graph. Reads the changes of all processes every second, and the writes of this process shortly after
 * each write, by their keys (docs/decisions/events.md).
 */
import { isAway } from '../core/errors.ts'
import { inChunks } from '../core/group-by.ts'
import { isHalfOfACommit } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import {
  type Change,
  type ChangePage,
  type ChangeRef,
  cursorBefore,
  EVENTS_AT_ONCE,
  OVERLAP_MS,
  readChanges,
  readClock,
  readCurrentVersions,
  toChangeId,
} from './read-changes.ts'
import { type Found, readSettledEvents } from './read-events.ts'
import type { RecentEvent } from './recent-events.ts'
import { listWrittenChanges, type StoredStep } from './written-changes.ts'

/** Interval of reads. A write of another replica is found after slightly more than this time. */
const LOOK_MS = 1_000
/** Time from a write of this process until it is read. Writes within this time are read together. */
const GATHER_MS = 50

/** Hides a world before other statements delete it. The finder must read the hidden world before it is gone. */
const beginForgetting = statement('forget/begin-world')

/** Observer of the finder. `failed` receives errors that a later read does not fix, not those of an unreachable graph. */
export type FeedObserver = { lag(seconds: number): void; failed(error: unknown): void }

export class ChangeFinder {
  readonly #graph: Graph
  readonly #found: (events: RecentEvent[]) => void
  readonly #observer: FeedObserver | null
  /** Newest found version of each record that changed since the horizon. */
  readonly #versions = new Map<string, number>()
  #horizon = 0
  #starting: Promise<void> | null = null
  #isRunning = false
  #isBusy = false
  /** Records that this process has written since its writes were last read. */
  readonly #written = new Map<string, ChangeRef>()
  #nextLookAt = 0
  /** Time of the next read, by the process's clock. */
  #dueAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  /** @param found receives the found events, a few at a time */
  constructor(graph: Graph, found: (events: RecentEvent[]) => void, observer: FeedObserver | null) {
    this.#graph = graph
    this.#found = found
    this.#observer = observer
  }

  /** Time of the database's clock before which all changes have been found. */
  get horizon(): number {
    return this.#horizon
  }

  /** Starts the finder, which runs until `stop`. Waits for a start in progress. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#dueAt = Number.POSITIVE_INFINITY
    this.#starting = null
    this.#isRunning = false
    this.#versions.clear()
    this.#written.clear()
  }

  /** @returns a promise that the writer must wait for if its next statements delete the written records */
  noteWrite(steps: readonly StoredStep[]): Promise<void> | undefined {
    if (this.#starting === null) return
    for (const change of steps.flatMap(listWrittenChanges)) this.#written.set(toChangeId(change), change)
    if (this.#isRunning && !this.#isBusy) this.#schedule()
    if (steps.some(({ step }) => step.statement === beginForgetting))
      return this.#findWritten().catch((error: unknown) => {
        if (!isAway(error)) this.#observer?.failed(error)
      })
  }

  /** Notes the versions of recent changes without reporting them, because readers begin now. */
  async #start(): Promise<void> {
    this.#horizon = (await readClock(this.#graph)) - OVERLAP_MS
    for await (const { changes } of readChanges(this.#graph, this.#horizon))
      for (const change of changes) this.#versions.set(toChangeId(change), change.version)
    this.#isRunning = true
    this.#nextLookAt = performance.now() + LOOK_MS
    this.#schedule()
  }

  /** Schedules the next read. A further write does not delay a scheduled read. */
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
    if (this.#isBusy) return // with a read that began before the last stop
    this.#isBusy = true
    try {
      if (performance.now() >= this.#nextLookAt) await this.#findChanges()
      else await this.#findWritten()
    } catch (error) {
      if (!isAway(error)) this.#observer?.failed(error) // the next read begins at the same horizon
    } finally {
      this.#isBusy = false
      if (this.#isRunning) this.#schedule()
    }
  }

  async #findWritten(): Promise<void> {
    const written = [...this.#written.values()]
    this.#written.clear()
    for (const some of inChunks(written, EVENTS_AT_ONCE)) {
      const page = await readCurrentVersions(this.#graph, some)
      await this.#findEvents(page, () => this.#horizon) // writes of other processes since the last read are still unknown
    }
  }

  async #findChanges(): Promise<void> {
    this.#nextLookAt = performance.now() + LOOK_MS
    this.#written.clear() // the read below finds all of these writes
    const since = this.#horizon
    let horizon: number | null = null
    for await (const page of readChanges(this.#graph, since)) {
      horizon ??= page.now - OVERLAP_MS
      await this.#findEvents(page, (some) => cursorBefore(some, since, page.now))
      if (!this.#isRunning) return
      for (const [id, version] of this.#versions) if (version < horizon) this.#versions.delete(id) // cannot be found again
    }
    this.#horizon = horizon ?? since
  }

  /** @param toCursor computes the cursor of some changes, from which a reader gets them again */
  async #findEvents(
    { now, changes }: ChangePage,
    toCursor: (some: readonly Change[]) => number,
  ): Promise<void> {
    const isNews = (change: Change) => change.version > (this.#versions.get(toChangeId(change)) ?? -1)
    for (const some of inChunks(changes.filter(isNews), EVENTS_AT_ONCE)) {
      // Another read may report a newer state during this one.
      const found = (await this.#readFound(some)).filter(({ change }) => isNews(change))
      if (!this.#isRunning) return
      const since = toCursor(some)
      for (const { change } of found) {
        this.#versions.set(toChangeId(change), change.version)
        this.#observer?.lag(Math.max(0, now - change.version) / 1_000)
      }
      this.#found(
        found.map(({ change, event }) => ({ id: toChangeId(change), version: change.version, since, event })),
      )
    }
  }

  /** Reads the current states. Leaves an unreadable record to the next read, so that it does not block the others. */
  async #readFound(changes: readonly Change[]): Promise<Found[]> {
    try {
      return await readSettledEvents(this.#graph, changes)
    } catch (error) {
      if (isAway(error) && !isHalfOfACommit(error)) throw error
      if (changes.length > 1) {
        const found: Found[] = []
        for (const change of changes) found.push(...(await this.#readFound([change])))
        return found
      }
      this.#observer?.failed(error)
      return []
    }
  }
}
