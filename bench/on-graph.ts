import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import type { Graph } from '../src/graph/port.ts'
import { warmUp } from '../src/operations/warm-up.ts'
import { loadConfig, type Store } from '../src/platform/config.ts'
import { type Floor, floorOf } from './floor.ts'

type Work<T> = (graph: Graph, floor: Floor) => Promise<T>

/**
 * A migrated, warm graph with its floor for the time of a bench; what `measure` answers goes to `out` as JSON. What
 * `fill` writes is found as a process finds it that starts then: to read what it has written itself takes the embedded graph
 * half as long again.
 */
export async function onBenchGraph(
  { store, out, fill }: { store: string | null; out: string; fill?: Work<void> },
  measure: Work<object>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const { store: config } = loadConfig({
    ...process.env,
    TURNGRAPH_DATA: folder,
    ...(store === null ? {} : { TURNGRAPH_STORE: store }),
  })
  try {
    if (fill !== undefined) await onGraph(config, fill)
    const figures = await onGraph(config, measure)
    mkdirSync(path.dirname(out), { recursive: true })
    writeFileSync(out, `${JSON.stringify({ store: config.kind, ...figures }, null, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onGraph<T>(config: Store, work: Work<T>): Promise<T> {
  const graph = await openGraph(config)
  const floor = floorOf(graph, config.kind === 'neo4j' ? config : null)
  try {
    await migrate(graph)
    await warmUp(graph)
    return await work(graph, floor)
  } finally {
    await floor.close()
    await graph.close()
  }
}
