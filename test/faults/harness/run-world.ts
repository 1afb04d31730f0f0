import { mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TurngraphClient } from '../../../src/client/client.ts'
import type { OperationOutput } from '../../../src/operations/table.ts'
import { until } from './scenario.ts'

/** A world whose turns come only from runs. */
export type RunWorld = { project: string; worldSlug: string }

export type RunStatus = OperationOutput<'getTurnRunStatus'>

/** Executors of the services under test. `quick` fails at the second of every four attempts. */
const EXECUTORS = {
  quick: { kind: 'simulated', outcomes: ['committed', 'failed', 'committed', 'committed'], repeat: true },
  plain: { kind: 'simulated', duration_ms: 0 },
  steady: { kind: 'simulated', duration_ms: 5, outcomes: ['committed', 'failed', 'committed'], repeat: true },
  slow: { kind: 'simulated', duration_ms: 300 },
} as const

export type ExecutorName = keyof typeof EXECUTORS | 'external'

/** The environment of a service with these executors. The file is in a folder that the scenario removes. */
export function withExecutors(folder: string): { TURNGRAPH_EXECUTORS: string } {
  const file = path.join(mkdtempSync(path.join(folder, 'executors-')), 'executors.json')
  writeFileSync(file, JSON.stringify(EXECUTORS))
  return { TURNGRAPH_EXECUTORS: file }
}

export async function createRunWorld(
  client: TurngraphClient,
  world: RunWorld,
  executor: ExecutorName,
  settings: { leaseTtlMs?: number; resume?: 'auto' } = {},
): Promise<RunWorld> {
  await client.createWorld({ ...world, featureId: 'FEAT-1', taskId: world.worldSlug, executor, ...settings })
  return world
}

/** Starts a run and returns its id. */
export async function startRun(
  client: TurngraphClient,
  world: RunWorld,
  counts: { turnCount: number; maxAttempts: number },
): Promise<string> {
  const { turnRunId } = await client.runTurn({ ...world, ...counts })
  if (turnRunId === undefined) throw new Error('run_turn started a single attempt')
  return turnRunId
}

export const untilRunEnded = (
  client: TurngraphClient,
  { project }: RunWorld,
  turnRunId: string,
  boundMs = 60_000,
): Promise<RunStatus> =>
  until(`turn run ${turnRunId} ends`, boundMs, async () => {
    const run = await client.getTurnRunStatus({ project, turnRunId })
    return run.endedAt !== null && run
  })

const WARM_RUNS = 6

/**
 * A Neo4j that has just received its first data plans its statements again, for longer than a short lease.
 * Some runs with a long lease trigger this beforehand.
 */
export async function warmRuns(client: TurngraphClient, project: string): Promise<void> {
  for (let i = 0; i < WARM_RUNS; i++) {
    const world = await createRunWorld(
      client,
      { project: `${project}-warm`, worldSlug: `world-${i}` },
      'quick',
    )
    await untilRunEnded(client, world, await startRun(client, world, { turnCount: 6, maxAttempts: 12 }))
  }
}
