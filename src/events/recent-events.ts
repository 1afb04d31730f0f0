// Keeps the most recent events for all readers. Each reader has a position among them.
import type { ChangeEvent } from './change-event.ts'

/** Event with the cursor before it: all earlier changes were reported. */
export type RecentEvent = { id: string; version: number; since: number; event: ChangeEvent }

/** Maximum number of kept events. A reader that is further behind reads its events from the graph. */
const KEPT_EVENTS = 2_000

export class RecentEvents {
  /** Events in the order in which they were found. */
  #events: RecentEvent[] = []
  /** Number of dropped events. The position of an event is this number plus its index. */
  #dropped = 0

  /** Position after the last event. */
  get end(): number {
    return this.#dropped + this.#events.length
  }

  has(place: number): boolean {
    return place >= this.#dropped
  }

  add(events: readonly RecentEvent[]): void {
    this.#events.push(...events)
    if (this.#events.length > 2 * KEPT_EVENTS) this.#dropTo(this.#events.length - KEPT_EVENTS)
  }

  clear(): void {
    this.#dropTo(this.#events.length)
  }

  /** Returns the events from a position on, only the newest one of each record. */
  newestFrom(place: number): RecentEvent[] {
    const events = this.#events.slice(place - this.#dropped)
    const newest = new Map(events.map((each) => [each.id, each]))
    return events.filter((each) => newest.get(each.id) === each)
  }

  #dropTo(index: number): void {
    this.#dropped += index
    this.#events = this.#events.slice(index)
  }
}
