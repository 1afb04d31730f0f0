import type { TurngraphClient } from '../../../src/client/client.ts'
import { OutsideWorker, passing } from './outside-worker.ts'
import type { Random } from './random.ts'
import { checkFree, checkHistory, checkTakesRuns } from './run-history.ts'
import { createRunWorld, type RunWorld, startRun, untilRunEnded } from './run-world.ts'
import { holds, pause, until } from './scenario.ts'
import type { ServiceProcess } from './service-process.ts'

const SIMULATED = 3
const MAX_MS = 1_000

/** Concurrent runs of several worlds, one of them with an outside worker, at the moment of a kill -9. */
export type CutRuns = { worlds: RunWorld[]; started: Map<RunWorld, string[]>; worker: OutsideWorker }

export async function killAtRandom(
  service: ServiceProcess,
  project: string,
  round: number,
  random: Random,
): Promise<CutRuns> {
  const { client } = service
  const slugs = Array.from({ length: SIMULATED }, (_, i) => `cut-${round}-${i}`)
  const worlds = slugs.map((worldSlug) => ({ project, worldSlug }))
  for (const world of worlds) await createRunWorld(client, world, 'steady')
  const outside = await createRunWorld(client, { project, worldSlug: `cut-${round}-outside` }, 'external')
  const worker = new OutsideWorker(outside, 'worker-1')
  const stop = new AbortController()
  const started = new Map<RunWorld, string[]>()
  const runAgainAndAgain = async (world: RunWorld) => {
    started.set(world, [])
    while (!stop.signal.aborted) {
      await startRun(client, world, { turnCount: random.between(2, 12), maxAttempts: 40 })
        .then((id) => {
          started.get(world)?.push(id)
          return untilRunEnded(client, world, id)
        })
        .catch(passing)
    }
  }
  const working = [...[...worlds, outside].map(runAgainAndAgain), worker.run(() => client, stop.signal)]
  // Usually waits until there are turns: on Neo4j that takes longer than starting the runs.
  if (random.fraction() < 0.8) await until('turns are made', 30_000, () => hasTurns(client, outside))
  await pause(random.between(1, MAX_MS))
  stop.abort()
  await service.kill()
  await Promise.all(working)
  return { worlds: [...worlds, outside], started, worker }
}

const hasTurns = async (client: TurngraphClient, world: RunWorld): Promise<boolean> =>
  (await client.getWorld(world)).currentTurn > 0

/**
 * Checks after a restart that all worlds are free and complete, and that all answers to the worker were true.
 */
export async function checkCut(
  { client }: ServiceProcess,
  { worlds, started, worker }: CutRuns,
): Promise<{ turns: number; acknowledged: number; landed: number; interrupted: number }> {
  const figures = { turns: 0, acknowledged: 0, landed: 0, interrupted: 0 }
  for (const world of worlds) {
    await checkFree(client, world)
    const { turns, runs } = await checkHistory(client, world, started.get(world))
    figures.turns += turns
    figures.interrupted += [...runs.values()].filter(({ status }) => status === 'interrupted').length
    for (const run of runs.values())
      holds(
        run.status === 'completed' || run.status === 'interrupted',
        'a death interrupts, or came too late',
        run,
      )
  }
  if ((await worker.finish(client)) === 'landed') figures.landed++
  await worker.check(client)
  figures.acknowledged += worker.acknowledged.length
  for (const world of worlds.filter((held) => held !== worker.world)) await checkTakesRuns(client, world)
  return figures
}
