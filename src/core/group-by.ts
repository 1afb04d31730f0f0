/** Does what `Map.groupBy` does, which Node 20 lacks. The groups are in the order of their first entry. */
export function groupBy<T, K>(list: readonly T[], toKey: (entry: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const entry of list) {
    const key = toKey(entry)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return groups
}

/** Splits a list into chunks of at most this total size. Only a chunk with a single entry may be larger. */
export function* inChunks<T>(
  list: readonly T[],
  most: number,
  measure: (entry: T) => number = () => 1,
): Generator<T[]> {
  let chunk: T[] = []
  let size = 0
  for (const entry of list) {
    const more = measure(entry)
    if (chunk.length > 0 && size + more > most) {
      yield chunk
      chunk = []
      size = 0
    }
    chunk.push(entry)
    size += more
  }
  if (chunk.length > 0) yield chunk
}
