/** Compares the tree of an observation with another tree (contract: evidence.md, "On this tree"). Pure. */
import type { ObservedOn } from './observation.ts'

export const SEEN_ON = ['this_tree', 'earlier_tree', 'never'] as const
export type SeenOn = (typeof SEEN_ON)[number]

/** An observation without a tree, as outside of a repository, counts as one of an earlier tree. */
export function compareTrees(
  observed: Pick<ObservedOn, 'tree' | 'dirty'> | null | undefined,
  { tree, dirty }: { tree: string; dirty: string | null },
): SeenOn {
  if (observed == null) return 'never'
  return observed.tree === tree && toHex(observed.dirty) === toHex(dirty) ? 'this_tree' : 'earlier_tree'
}

const toHex = (digest: string | null): string | null => digest?.replace(/^sha256:/, '') ?? null
