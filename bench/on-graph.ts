// Runs a bench on a separate graph.
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import type { Graph } from '../src/graph/port.ts'
import { warmUp } from '../src/operations/warm-up.ts'
import { type Config, loadConfig } from '../src/platform/config.ts'
import { inFolder, storeSetting, writeFigures } from './bench-folder.ts'
import { createFloor, type Floor } from './floor.ts'

type Work<T> = (graph: Graph, floor: Floor, config: Config) => Promise<T>

type GraphBench = {
  store: string | null
  out: string
  fill?: Work<void>
  environment?: Record<string, string>
}

/**
 * Runs a bench on a migrated, warm graph with its floor, and writes the result of `measure` to `out` as JSON.
 * The graph is opened again after `fill`, as by a new process: reading its own writes takes the embedded
 * graph half as long again.
 */
export const onBenchGraph = (
  { store, out, fill, environment }: GraphBench,
  measure: Work<object>,
): Promise<void> =>
  inFolder(async (folder) => {
    const config = loadConfig({
      ...process.env,
      TURNGRAPH_DATA: folder,
      ...environment,
      ...storeSetting(store),
    })
    if (fill !== undefined) await onGraph(config, fill)
    const figures = await onGraph(config, measure)
    writeFigures(out, { store: config.store.kind, ...figures })
  })

async function onGraph<T>(config: Config, work: Work<T>): Promise<T> {
  const graph = await openGraph(config.store)
  const floor = createFloor(graph, config.store.kind === 'neo4j' ? config.store : null)
  try {
    await migrate(graph)
    await warmUp(graph)
    return await work(graph, floor, config)
  } finally {
    await floor.close()
    await graph.close()
  }
}
