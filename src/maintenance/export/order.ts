/**
 * Keys in one order on every engine: by code points. JavaScript's own order is that of UTF-16, and so is Neo4j's `>`
 * where no index serves it, though its ORDER BY and its indexes go by code points (5.26 and 2026.05): a page that begins
 * after a key would lose others.
 */

export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Surrogates, and what is beyond them: from here on the orders differ. */
const DISPUTED = /[\ud800-\uffff]/

const ALL = 2 ** 31

/** What to ask for so that no key after this one is missed: seldom more than what is wanted. */
export function windowAfter(after: string, limit: number): { after: string; limit: number } {
  const at = after.search(DISPUTED)
  // The text before it is below the same keys in both orders.
  return at === -1 ? { after, limit } : { after: after.slice(0, at), limit: ALL }
}

/** The first of what was asked for that come after a key. */
export const firstAfter = <T>(
  found: readonly T[],
  readKey: (one: T) => string,
  after: string,
  limit: number,
): T[] => found.filter((one) => compareKeys(readKey(one), after) > 0).slice(0, limit)
