/** Names, and how often each was met. */
export type Counted = Record<string, number>

/** Names and how often each was met: bounded, because the names are other people's. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, times = 1): void {
    const kept = name.slice(0, LONGEST_NAME)
    const before = this.#counts.get(kept)
    if (before === undefined && this.#counts.size >= MOST_NAMES) return
    this.#counts.set(kept, (before ?? 0) + times)
  }

  addAll(others: Counted): void {
    for (const [name, times] of Object.entries(others)) this.add(name, times)
  }

  /** By name. */
  counted(): Counted {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

const MOST_NAMES = 200
const LONGEST_NAME = 80
