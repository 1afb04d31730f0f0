/** Set of the places of texts, with one bit for each place. Pure. */

export class PlaceSet {
  #words = new Int32Array(1_024)

  add(place: number): void {
    const at = place >>> 5
    if (at >= this.#words.length) {
      const larger = new Int32Array(2 * at)
      larger.set(this.#words)
      this.#words = larger
    }
    this.#words[at] = (this.#words[at] ?? 0) | (1 << (place & 31))
  }

  has(place: number): boolean {
    return (((this.#words[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 1
  }

  /** Bits of the set, 32 in each element. */
  get words(): Int32Array {
    return this.#words
  }
}

/** Writes the places that are in all sets to `places`, ascending, and returns their number. */
export function listShared(sets: readonly PlaceSet[], places: Int32Array): number {
  const [first = new Int32Array(0), ...others] = sets.map(({ words }) => words)
  let count = 0
  for (let at = 0; at < first.length; at++) {
    let bits = first[at] ?? 0
    for (let i = 0; bits !== 0 && i < others.length; i++) bits &= others[i]?.[at] ?? 0
    for (; bits !== 0; bits &= bits - 1) places[count++] = 32 * at + 31 - Math.clz32(bits & -bits)
  }
  return count
}

/** Keeps those of the first `count` places that are in all sets. Moves them to the start of `places`, and returns their number. */
export function keepShared(sets: readonly PlaceSet[], places: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const place = places[at] ?? 0
    if (sets.every((set) => set.has(place))) places[kept++] = place
  }
  return kept
}
