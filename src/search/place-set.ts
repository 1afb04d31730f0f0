/** Sets of the places of texts, one bit for each place. Pure. */

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

  /** The bits, in parts of 32. */
  get words(): Int32Array {
    return this.#words
  }
}

/** Writes the places that all sets have into a list, ascending, and counts them. */
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

/** Moves those of the first places that all sets have to the start, and counts them. */
export function keepShared(sets: readonly PlaceSet[], places: Int32Array, count: number): number {
  let kept = 0
  for (let at = 0; at < count; at++) {
    const place = places[at] ?? 0
    if (sets.every((set) => set.has(place))) places[kept++] = place
  }
  return kept
}
