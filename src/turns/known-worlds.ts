import { LRUCache } from 'lru-cache'
import type { Graph } from '../graph/port.ts'
import type { Known } from './known.ts'

/**
 * What this process knows of the worlds that it captured into: the next turn of one is then stored without the read
 * before it. It is never believed, only tried: the write compares the revisions of the world's ledger and of the task's
 * criteria, and the token of the world's creation; where somebody else wrote meanwhile, it is refused, and the graph is read.
 */

const HOUR_MS = 3_600_000
/** Criteria with where they stand, and labels: some kilobytes each at most. */
const MOST_KNOWN = 50_000

type KnownWorlds = LRUCache<string, Known>

const ofGraphs = new WeakMap<Graph, KnownWorlds>()

/** By the key of the world. */
export function knownWorlds(graph: Graph): KnownWorlds {
  const held = ofGraphs.get(graph)
  if (held !== undefined) return held
  const known: KnownWorlds = new LRUCache({
    ttl: HOUR_MS,
    ttlResolution: 0, // it would set a timer at nearly every look-up
    maxSize: MOST_KNOWN,
    sizeCalculation: ({ criteria, progress, labels }) =>
      1 + criteria.length + progress.length + labels.length,
  })
  ofGraphs.set(graph, known)
  return known
}
