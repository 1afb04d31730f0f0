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

/** Splits a list into pieces. A piece ends with the entry that brings its size to `most`. */
export function* inChunks<T>(
  list: readonly T[],
  measure: (entry: T) => number,
  most: number,
): Generator<T[]> {
  let chunk: T[] = []
  let size = 0
  for (const entry of list) {
    chunk.push(entry)
    size += measure(entry)
    if (size < most) continue
    yield chunk
    chunk = []
    size = 0
  }
  if (chunk.length > 0) yield chunk
}
