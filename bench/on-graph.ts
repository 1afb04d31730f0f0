import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { loadConfig } from '../src/config.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import type { Graph } from '../src/graph/port.ts'
import { warmUp } from '../src/warm-up.ts'
import { type Floor, floorOf } from './floor.ts'

/** A migrated, warm graph with its floor for the time of a bench; what `measure` answers goes to `out` as JSON. */
export async function onBenchGraph(
  { store, out }: { store: string | null; out: string },
  measure: (graph: Graph, floor: Floor) => Promise<object>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const config = loadConfig({
    ...process.env,
    TURNGRAPH_DATA: folder,
    ...(store === null ? {} : { TURNGRAPH_STORE: store }),
  })
  const graph = await openGraph(config.store)
  const floor = floorOf(graph, config.store.kind === 'neo4j' ? config.store : null)
  try {
    await migrate(graph)
    await warmUp(graph)
    const figures = await measure(graph, floor)
    mkdirSync(path.dirname(out), { recursive: true })
    writeFileSync(out, `${JSON.stringify({ store: graph.engine, ...figures }, null, 2)}\n`)
  } finally {
    await floor.close()
    await graph.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
