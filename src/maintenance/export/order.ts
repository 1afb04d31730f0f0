/**
 * Orders keys by code points on every engine. JavaScript orders by UTF-16 code units, and so does `>` of Neo4j without an
 * index, although its ORDER BY and its indexes use code points (5.26 and 2026.05). A page that begins after a key would
 * therefore miss keys.
 */

export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Surrogates and higher code units: the two orders differ for these. */
const DISPUTED = /[\ud800-\uffff]/

const ALL = 2 ** 31

/** Returns the query window that contains all keys after a key in both orders. It seldom exceeds the requested keys. */
export function windowAfter(after: string, limit: number): { after: string; limit: number } {
  const at = after.search(DISPUTED)
  // The prefix before the disputed character has the same position in both orders.
  return at === -1 ? { after, limit } : { after: after.slice(0, at), limit: ALL }
}

export const firstAfter = <T>(
  found: readonly T[],
  readKey: (one: T) => string,
  after: string,
  limit: number,
): T[] => found.filter((one) => compareKeys(readKey(one), after) > 0).slice(0, limit)
