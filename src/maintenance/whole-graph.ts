import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { requireProject } from '../memory/worlds/missing-name.ts'

const everywhere = [statement('graph/load-worlds'), statement('graph/load-sessions')]

/** A graph of 100,000 turns and a million steps takes 7 s, and 5 GB from then on: see docs/decisions/embedded-memory.md. */
const LOAD_MS = 120_000

/**
 * Before the first page of all there is of a project, or of all projects (null).
 *
 * @throws `not_found` where the graph holds nothing of the project
 */
export async function beginReadingAll(graph: Graph, project: string | null): Promise<void> {
  if (project !== null) await requireProject(graph, project)
  await preload(graph)
}

/** Preloads the embedded graph: it loads lazily otherwise, and a full scan misses its deadline. */
async function preload(graph: Graph): Promise<void> {
  if (graph.engine !== 'embedded') return
  for (const part of everywhere) await graph.read(part, {}, performance.now() + LOAD_MS)
}
