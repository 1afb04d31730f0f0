import type { Label } from '../../graph/model/nodes.ts'

/** How many nodes went, or would go, by label. */
export type Counts = Partial<Record<Label, number>>

export class Tally {
  readonly #counts = new Map<Label, number>()

  add(counts: Counts): void {
    for (const [label, count] of Object.entries(counts) as [Label, number][]) {
      if (count > 0) this.#counts.set(label, (this.#counts.get(label) ?? 0) + count)
    }
  }

  /** In the order of the labels' names. */
  counts(): Counts {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
