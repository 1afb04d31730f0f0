/** Prepares operations on a whole graph: loads a graph that its engine loads lazily, and lists the projects. */
import * as z from 'zod'
import { partsOfKey } from '../core/keys.ts'
import { readRows } from '../graph/decode.ts'
import type { Label } from '../graph/model/nodes.ts'
import { selectProjects } from '../graph/model-statements.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { requireProject } from '../memory/scope/missing-name.ts'
import { compareKeys } from './export/order.ts'

const everywhere = [statement('graph/load', 'worlds'), statement('graph/load', 'sessions')]

/** Deadline of the load. 100,000 turns and a million steps take 7 s, and 5 GB from then on (docs/decisions/embedded-memory.md). */
const LOAD_MS = 120_000

/** @throws `not_found` if the graph has nothing of the project */
export async function beginReadingAll(graph: Graph, project: string | null): Promise<void> {
  if (project !== null) await requireProject(graph, project)
  if (graph.engine !== 'embedded') return
  // The embedded graph loads lazily, and a full scan misses its deadline.
  for (const part of everywhere) await graph.read(part, {}, performance.now() + LOAD_MS)
}

const projectRow = z.object({ project: z.string() })

/** Lists the projects. `labels`: by default those of an export; a project that has only transcripts has no Project node. */
export async function listProjects(
  graph: Graph,
  from: string | null,
  labels: readonly Label[] = ['Project', 'TranscriptFile'],
): Promise<string[]> {
  const names = new Set<string>()
  for (const label of labels)
    for (const { project } of await readRows(graph, selectProjects(label), {}, projectRow))
      names.add(partsOfKey(project).join())
  return [...names].filter((name) => from === null || compareKeys(name, from) >= 0).sort(compareKeys)
}
