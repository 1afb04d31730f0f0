// Keeps the earlier queries of this browser, newest first.

export type AskedQuery = { query: string; params: string }

const STORED_AS = 'turngraph.queries'
const MAX_QUERIES = 30

export function readHistory(): AskedQuery[] {
  const stored: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? '[]')
  return Array.isArray(stored) ? stored.filter(isAskedQuery) : []
}

export function addToHistory({ query, params }: AskedQuery): void {
  const others = readHistory().filter((other) => other.query !== query || other.params !== params)
  localStorage.setItem(STORED_AS, JSON.stringify([{ query, params }, ...others].slice(0, MAX_QUERIES)))
}

const isAskedQuery = (given: unknown): given is AskedQuery =>
  typeof given === 'object' &&
  given !== null &&
  'query' in given &&
  'params' in given &&
  typeof given.query === 'string' &&
  typeof given.params === 'string'
