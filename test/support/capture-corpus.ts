import { findTaskFolders } from '../../src/artifacts/folders.ts'
import { readFolders } from '../../src/artifacts/read.ts'
import { parseWire } from '../../src/core/wire-form.ts'
import type { Graph } from '../../src/graph/port.ts'
import { captureTurnState } from '../../src/memory/capture/capture.ts'
import { type CaptureRequest, captureRequest } from '../../src/memory/record/record.ts'
import { defaultSlug } from '../../src/memory/scope/scope.ts'

/** Captures every run of a repository of the corpus as a world of a project, and returns their slugs. */
export async function captureCorpus(graph: Graph, project: string, root: string): Promise<string[]> {
  const { tasks } = await readFolders(await findTaskFolders([root]))
  const worlds = new Set<string>()
  for (const { featureId, taskId, runs } of tasks) {
    for (const [i, run] of runs.entries()) {
      const scope = { project, featureId, taskId }
      const plain = defaultSlug(scope, i + 1, false)
      const worldSlug = worlds.has(plain) ? defaultSlug(scope, i + 1, true) : plain
      worlds.add(worldSlug)
      for (const turn of run) {
        const request = parseWire(captureRequest, { ...turn, project, world_slug: worldSlug }, 'turn')
        await captureTurnState(graph, request as CaptureRequest & { project: string })
      }
    }
  }
  return [...worlds]
}
