/** Measures each report over the given number of steps, as a ratio to counting the same turns. */
import type { Graph } from '../src/graph/port.ts'
import type { Statement } from '../src/graph/statements.ts'
import { listDesires, listPaths } from '../src/transcripts/desires.ts'
import { listToolStats, listTranscriptPatterns, listTranscriptTurns } from '../src/transcripts/reports.ts'
import { measureMs, median } from './latency.ts'
import { fillTurns, instantOf, type Shapes } from './made-up-turns.ts'
import { onBenchGraph } from './on-graph.ts'

type ReportsBench = {
  store: string | null
  steps: number
  shapes: Shapes
  samples: number
  /** An already filled project. */
  project: string | null
  out: string
}

const THRESHOLD = 5

export async function benchReports(bench: ReportsBench): Promise<void> {
  const { store, steps, shapes, samples, out } = bench
  const project = bench.project ?? `bench-reports-${shapes}-${Date.now()}`
  const fill = async (graph: Graph) => {
    const began = performance.now()
    const turns = await fillTurns(graph, { project, steps, shapes })
    const seconds = (performance.now() - began) / 1000
    console.log(
      `${project}: ${steps} steps in ${turns} turns of ${shapes} shapes, ${Math.round(steps / seconds)} steps/s`,
    )
  }
  await onBenchGraph({ store, out, ...(bench.project === null && { fill }) }, async (graph) => {
    const figures: Record<string, { ms: number; ratio: number }> = {}
    for (const { name, run, sinceMs } of reportsOf(graph, project, steps)) {
      const count = () =>
        sinceMs === undefined ? graph.read(COUNT, { project }) : graph.read(COUNT_SINCE, { project, sinceMs })
      const counts: number[] = []
      const times: number[] = []
      for (let i = 0; i <= samples; i++) {
        counts.push(await measureMs(count))
        times.push(await measureMs(run))
      }
      const [floor, ms] = [median(counts.slice(1)), median(times.slice(1))]
      figures[name] = { ms, ratio: ms / floor }
      console.log(
        `${name.padEnd(20)} ${ms.toFixed(0).padStart(6)} ms, ${(ms / floor).toFixed(2)} x counting the turns (${floor.toFixed(0)} ms)`,
      )
    }
    return { steps, shapes, reports: figures }
  })
}

type Report = { name: string; sinceMs?: number; run: () => Promise<unknown> }

function reportsOf(graph: Graph, project: string, steps: number): Report[] {
  const turns = { project, minLength: THRESHOLD, limit: 50 }
  const patterns = { project, minLength: THRESHOLD }
  const paths = { project, threshold: THRESHOLD, limit: 20 }
  const pattern = { project, minLength: 0, limit: 50, pattern: 'Read{2+} → Bash' }
  // Selects the newer half of the turns.
  const sinceMs = instantOf(steps / 25)
  const since = new Date(sinceMs).toISOString()
  return [
    { name: 'turns', run: () => listTranscriptTurns(graph, turns) },
    { name: 'turns --patterns', run: () => listTranscriptPatterns(graph, patterns) },
    { name: 'turns --pattern', run: () => listTranscriptTurns(graph, pattern) },
    { name: 'turns --session', run: () => listTranscriptTurns(graph, { ...turns, sessionId: 's1' }) },
    { name: 'paths', run: () => listPaths(graph, paths) },
    { name: 'paths --turns', run: () => listToolStats(graph, paths) },
    { name: 'desires', run: () => listDesires(graph, { project, threshold: THRESHOLD }) },
    { name: 'turns --since', sinceMs, run: () => listTranscriptTurns(graph, { ...turns, since }) },
    { name: 'patterns --since', sinceMs, run: () => listTranscriptPatterns(graph, { ...patterns, since }) },
    { name: 'paths --since', sinceMs, run: () => listPaths(graph, { ...paths, since }) },
    { name: 'paths --turns --since', sinceMs, run: () => listToolStats(graph, { ...paths, since }) },
  ]
}

const counting = (name: string, condition: string, params: readonly string[]): Statement => ({
  name,
  text: `MATCH (t:TranscriptTurn {project: $project}) WHERE ${condition} RETURN count(t) AS turns`,
  params,
})

const COUNT = counting('bench/count-turns', 't.length >= 1', ['project'])
const COUNT_SINCE = counting('bench/count-turns-since', 't.begunMs >= $sinceMs', ['project', 'sinceMs'])
