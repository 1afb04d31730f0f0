/** Of the criteria of a task those that something still speaks of, and those that they were merged into. */
export function keptKeys(
  criteria: readonly { key: string; mergedInto: string | null }[],
  named: readonly string[],
): Set<string> {
  const into = new Map(criteria.map(({ key, mergedInto }) => [key, mergedInto]))
  const kept = new Set<string>()
  for (const key of named) {
    for (let at: string | null = key; at !== null && !kept.has(at); at = into.get(at) ?? null) kept.add(at)
  }
  return kept
}
