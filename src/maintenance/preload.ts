import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'

const everywhere = [statement('graph/load-worlds'), statement('graph/load-sessions')]

/** A graph of 100,000 turns and a million steps takes 7 s, and 5 GB from then on: see docs/decisions/embedded-memory.md. */
const LOAD_MS = 120_000

/**
 * For whoever is about to read all there is: has the embedded graph read its file whole. It does so by and by else,
 * whenever a node is asked for all its properties, and a statement that meets many of them would miss its deadline.
 */
export async function loadWhole(graph: Graph): Promise<void> {
  if (graph.engine !== 'embedded') return
  for (const part of everywhere) await graph.read(part, {}, performance.now() + LOAD_MS)
}
