import type { Graph } from '../src/graph/port.ts'
import type { Statement } from '../src/graph/statements.ts'
import { listDesires, listPaths } from '../src/transcripts/desires.ts'
import { listTranscriptPatterns, listTranscriptTurns } from '../src/transcripts/reports.ts'
import { listToolStats } from '../src/transcripts/tool-stats.ts'
import { fillTurns, instantOf, type Shapes } from './made-up-turns.ts'
import { onBenchGraph } from './on-graph.ts'

export type ReportsBench = {
  store: string | null
  steps: number
  shapes: Shapes
  samples: number
  /** A project that was filled before. */
  project: string | null
  out: string
}

const THRESHOLD = 5

/** Each report over so many steps, as a ratio to counting the same turns. */
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
      const count = () => graph.read(sinceMs === null ? COUNT : COUNT_SINCE, { project, ...since(sinceMs) })
      const counts: number[] = []
      const times: number[] = []
      for (let i = 0; i <= samples; i++) {
        counts.push(await msOf(count))
        times.push(await msOf(run))
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

type Report = { name: string; sinceMs: number | null; run: () => Promise<unknown> }

function reportsOf(graph: Graph, project: string, steps: number): Report[] {
  const turns = { project, minLength: THRESHOLD, limit: 50 }
  const paths = { project, threshold: THRESHOLD, limit: 20 }
  const pattern = { project, minLength: 0, limit: 50, pattern: 'Read{2+} → Bash' }
  const all: Record<string, () => Promise<unknown>> = {
    turns: () => listTranscriptTurns(graph, turns),
    'turns --patterns': () => listTranscriptPatterns(graph, { project, minLength: THRESHOLD }),
    'turns --pattern': () => listTranscriptTurns(graph, pattern),
    'turns --session': () => listTranscriptTurns(graph, { ...turns, sessionId: 's1' }),
    paths: () => listPaths(graph, paths),
    'paths --turns': () => listToolStats(graph, paths),
    desires: () => listDesires(graph, { project, threshold: THRESHOLD }),
  }
  // The newer half of the turns, and within a period of what was added up.
  const sinceMs = instantOf(steps / 25)
  const newer: Record<string, () => Promise<unknown>> = {
    'turns --since': () => listTranscriptTurns(graph, { ...turns, sinceMs }),
    'patterns --since': () => listTranscriptPatterns(graph, { project, minLength: THRESHOLD, sinceMs }),
    'paths --since': () => listPaths(graph, { ...paths, sinceMs }),
    'paths --turns --since': () => listToolStats(graph, { ...paths, sinceMs }),
  }
  return [
    ...Object.entries(all).map(([name, run]) => ({ name, run, sinceMs: null })),
    ...Object.entries(newer).map(([name, run]) => ({ name, run, sinceMs })),
  ]
}

const counting = (name: string, condition: string, params: readonly string[]): Statement => ({
  name,
  text: `MATCH (t:TranscriptTurn {project: $project}) WHERE ${condition} RETURN count(t) AS turns`,
  params,
})

const COUNT = counting('bench/count-turns', 't.length >= 1', ['project'])
const COUNT_SINCE = counting('bench/count-turns-since', 't.begunMs >= $sinceMs', ['project', 'sinceMs'])

const since = (sinceMs: number | null): { sinceMs?: number } => (sinceMs === null ? {} : { sinceMs })

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
