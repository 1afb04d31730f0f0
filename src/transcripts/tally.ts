/** Names and how often each was met: bounded, because the names are other people's. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, times = 1): void {
    const kept = name.slice(0, LONGEST_NAME)
    const before = this.#counts.get(kept)
    if (before === undefined && this.#counts.size >= MOST_NAMES) return
    this.#counts.set(kept, (before ?? 0) + times)
  }

  /** By name. */
  entries(): [string, number][] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

const MOST_NAMES = 200
const LONGEST_NAME = 80
