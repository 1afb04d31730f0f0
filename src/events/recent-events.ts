// Keeps the events that were found last, once for all readers: each reader holds a place among them.
import type { ChangeEvent } from './change-event.ts'

/** An event, and how far back the look went that found it: all that changed before has been told before. */
export type RecentEvent = { id: string; version: number; since: number; event: ChangeEvent }

/** A reader that is further behind looks its events up in the graph. */
const KEPT_EVENTS = 2_000

export class RecentEvents {
  /** In the order in which they were found. */
  #events: RecentEvent[] = []
  /** How many were dropped: the place of an event is this and its index. */
  #dropped = 0

  /** The place of a reader that has been told all of them. */
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

  /** What was found from a place on: a reader that was away from a few looks hears of each thing once. */
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
