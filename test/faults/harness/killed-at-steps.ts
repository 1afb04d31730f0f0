import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { EmbeddedGraph } from '../../../src/graph/embedded.ts'
import type { Graph } from '../../../src/graph/port.ts'
import { failingAt, tracedPoints } from './fail-points.ts'
import { runCli, temporaryFolder } from './service-process.ts'

export type KilledCommand = {
  args: string[]
  /** Text in the parameters of its statements: only these steps count. */
  key: string
  /** Lower limit of the number of its transactions. */
  commits: number
  /** Makes the initial data folder. Default: an empty one. */
  begin?: () => string
}

/** Number of steps at which the command is killed, spread over all. Each costs two processes; `npm run chaos` kills at more. */
const DEATHS = Number(process.env.CHAOS_DEATHS ?? 3)
/** Time limit of each kill on a busy machine. */
const DEATH_BOUND_MS = 30_000

/** Time limit of a test that kills a command. */
export const KILLED_BOUND_MS = (1 + DEATHS) * DEATH_BOUND_MS

/** Kills a command while it runs, runs it again to its end, and checks the resulting graph. */
export async function killedAtSteps(
  { args, key, commits, begin = newFolder }: KilledCommand,
  look: (graph: Graph, killed: string) => Promise<void>,
): Promise<void> {
  const run = (dataFolder: string, environment: Record<string, string> = {}) =>
    runCli(args, { dataFolder, environment })
  const trace = path.join(newFolder(), 'trace')
  expect((await run(begin(), failingAt(key, 0, trace))).exitCode).toBe(0)
  const points = tracedPoints(trace)
  expect(points.filter((point) => point === 'after commit').length).toBeGreaterThan(commits)
  for (let i = 0; i < DEATHS; i++) {
    const death = 1 + Math.floor((i * points.length) / DEATHS)
    const dataFolder = begin()
    expect((await run(dataFolder, failingAt(key, death))).exitCode).toBeNull()
    const again = await run(dataFolder)
    expect(again.exitCode, again.output).toBe(0)
    const graph = EmbeddedGraph.open({ folder: dataFolder })
    try {
      await look(graph, `killed ${points[death - 1]} (${death} of ${points.length})`)
    } finally {
      await graph.close()
    }
  }
}

export function newFolder(): string {
  const { folder, remove } = temporaryFolder()
  onTestFinished(remove)
  return folder
}
