/** Measures every named analysis and every query of the documents, over one project of the given size. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { listAnalyses, runAnalysis } from '../src/analysis/named-analyses.ts'
import { inProcessClient } from '../src/client/in-process.ts'
import type { Graph } from '../src/graph/port.ts'
import { TURNS_A_WORLD, turnOf } from './fill.ts'
import { measureMs, median } from './latency.ts'
import { fillTurns, instantOf, TURNS_A_SESSION } from './made-up-turns.ts'
import { onBenchGraph } from './on-graph.ts'

type AnalysesBench = {
  store: string | null
  turns: number
  steps: number
  samples: number
  /** An already filled project. */
  project: string | null
  out: string
}

export async function benchAnalyses(bench: AnalysesBench): Promise<void> {
  const { store, turns, steps, samples, out } = bench
  const project = bench.project ?? `bench-analyses-${Date.now()}`
  const fill = async (graph: Graph) => {
    await fillTurns(graph, { project, steps, shapes: 'few' })
    await fillSessions(graph, { project, turns })
    console.log(`${project}: ${turns} turns, ${steps} steps`)
  }
  await onBenchGraph({ store, out, ...(bench.project === null && { fill }) }, async (graph) => {
    const figures: Record<string, { ms: number }> = {}
    for (const { name, run } of [...named(graph, project), ...documented(graph, project)]) {
      const times: number[] = []
      for (let i = 0; i <= samples; i++) times.push(await measureMs(run))
      const ms = median(times.slice(1))
      figures[name] = { ms }
      console.log(`${name.padEnd(60).slice(0, 60)} ${ms.toFixed(0).padStart(6)} ms`)
    }
    return { turns, steps, analyses: figures }
  })
}

/**
 * Fills sessions of ten turns. Four of five sessions end approved, and one of ten criteria is rejected on the
 * way.
 */
async function fillSessions(
  graph: Graph,
  { project, turns }: { project: string; turns: number },
): Promise<void> {
  const client = inProcessClient({ graph, project })
  const worlds = Math.ceil(turns / TURNS_A_WORLD)
  const fillOne = async (world: number) => {
    for (let number = 1; number <= TURNS_A_WORLD; number++) {
      const turn = turnOf(`w${world}`, number)
      const last = number === TURNS_A_WORLD
      const [takenBack] = turn.verifications
      if (takenBack !== undefined && world % 5 === 0 && number % 3 === 0) takenBack.status = 'rejected'
      const instant = instantOf(world * TURNS_A_SESSION + number)
      await client.captureTurnState({
        ...turn,
        featureId: `FEAT-${world % 50}`,
        ...(last && world % 5 !== 0 && { coachDecision: 'approved', issues: [] }),
        startedAt: new Date(instant).toISOString(),
        completedAt: new Date(instant + 50_000).toISOString(),
        transcriptSessionIds: [`s${world}`],
      })
    }
  }
  const WIDTH = 12
  for (let world = 0; world < worlds; world += WIDTH) {
    await Promise.all(Array.from({ length: Math.min(WIDTH, worlds - world) }, (_, i) => fillOne(world + i)))
  }
}

type Asked = { name: string; run: () => Promise<unknown> }

const named = (graph: Graph, project: string): Asked[] =>
  listAnalyses().map(({ name }) => ({ name, run: () => runAnalysis(graph, { project, name, limit: 100 }) }))

const DOCUMENT = fileURLToPath(new URL('../docs/how-to/analyst.md', import.meta.url))

/** Runs in this process: the separate process of a query adds no time to the engine's own. */
function documented(graph: Graph, project: string): Asked[] {
  const blocks = [...readFileSync(DOCUMENT, 'utf8').matchAll(/\n([^\n]+)\n\n```cypher\n(.*?)^```$/gms)]
  return blocks.map(([, question = '', text = '']) => {
    const params = [...new Set(text.match(/\$\w+/g) ?? [])].map((name) => name.slice(1))
    const given: Record<string, string> = { project, feature: 'FEAT-1', task: 'TASK-w1', world: 'w1' }
    return {
      name: question,
      run: () =>
        graph.read(
          { name: 'docs', text, params },
          Object.fromEntries(params.map((param) => [param, given[param] ?? ''])),
          performance.now() + 60_000,
        ),
    }
  })
}
