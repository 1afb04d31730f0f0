import { fileURLToPath } from 'node:url'
import { checkFree, checkHistory, checkTakesRuns } from '../harness/run-history.ts'
import { openRunStore } from '../harness/run-store.ts'
import { createRunWorld, type RunWorld, startRun, untilRunEnded, warmRuns } from '../harness/run-world.ts'
import { holds, inScope, pause, type Scenario } from '../harness/scenario.ts'
import type { ServiceProcess } from '../harness/service-process.ts'

const HOUR_MS = 3_600_000
const LEASE_MS = 2_000
const TAKEN_OVER_WITHIN_MS = 15_000
const preload = fileURLToPath(new URL('../harness/clock.mjs', import.meta.url))

/**
 * Two replicas whose clocks differ by two hours. Neither interrupts the live run of the other, and the run of
 * a dead one is interrupted when its lease is over. The database's clock decides.
 */
export const clocksApart: Scenario = (options) =>
  inScope(async (later) => {
    const store = await openRunStore('Neo4j', options, later)
    const offBy = (ms: number) => () =>
      store.replica({ NODE_OPTIONS: `--import ${preload}`, CHAOS_CLOCK_MS: String(ms) })
    const [startAhead, startBehind] = [offBy(HOUR_MS), offBy(-HOUR_MS)]
    let ahead = await startAhead()
    let behind = await startBehind()
    const project = `clocks-${options.seed}-${Date.now()}`
    await warmRuns(ahead.client, project)
    const figures = {
      rounds: options.rounds,
      live: 0,
      takenOver: 0,
      fastestMs: Infinity,
      slowestMs: 0,
      apartMs: 0,
    }
    for (let round = 1; round <= options.rounds; round++) {
      const worlds = ['ahead', 'behind'].map((name) => ({ project, worldSlug: `${name}-${round}` })) as [
        RunWorld,
        RunWorld,
      ]
      figures.live += await bothLive(ahead, behind, worlds)
      figures.apartMs = await apart(ahead, behind, worlds)
      const [dying, heir] = round % 2 === 0 ? [ahead, behind] : [behind, ahead]
      const tookMs = await dieAndBeTakenOver(dying, heir, worlds[0])
      figures.takenOver++
      figures.fastestMs = Math.min(figures.fastestMs, tookMs)
      figures.slowestMs = Math.max(figures.slowestMs, tookMs)
      if (dying === ahead) ahead = await startAhead()
      else behind = await startBehind()
    }
    await store.checkShape()
    return figures
  })

/** Makes runs that last three leases, one at each replica. */
async function bothLive(
  ahead: ServiceProcess,
  behind: ServiceProcess,
  [one, other]: readonly [RunWorld, RunWorld],
): Promise<number> {
  const run = async ({ client }: ServiceProcess, world: RunWorld) => {
    await createRunWorld(client, world, 'slow', { leaseTtlMs: LEASE_MS })
    const id = await startRun(client, world, { turnCount: 10, maxAttempts: 10 })
    const ended = await untilRunEnded(client, world, id)
    holds(ended.status === 'completed', 'a live run is not interrupted', ended)
  }
  await Promise.all([run(ahead, one), run(behind, other)])
  return 2
}

/** Returns the time between the starts of their runs, by their own clocks. */
async function apart(
  ahead: ServiceProcess,
  behind: ServiceProcess,
  [one, other]: readonly [RunWorld, RunWorld],
): Promise<number> {
  const startOf = async ({ client }: ServiceProcess, world: RunWorld) => {
    const { attempts } = await checkHistory(client, world)
    return Date.parse(attempts.at(-1)?.startedAt ?? '')
  }
  const apartMs = (await startOf(behind, one)) - (await startOf(ahead, other))
  holds(apartMs > 1.9 * HOUR_MS, 'the clocks are two hours apart', { apartMs })
  return apartMs
}

async function dieAndBeTakenOver(
  dying: ServiceProcess,
  heir: ServiceProcess,
  world: RunWorld,
): Promise<number> {
  const id = await startRun(dying.client, world, { turnCount: 50, maxAttempts: 50 })
  await pause(LEASE_MS)
  await dying.kill()
  const began = performance.now()
  const ended = await untilRunEnded(heir.client, world, id, TAKEN_OVER_WITHIN_MS)
  const tookMs = Math.round(performance.now() - began)
  holds(ended.status === 'interrupted', 'a dead replica’s run is interrupted', ended)
  holds(tookMs > LEASE_MS / 3, 'a run is not interrupted before its lease is over', { tookMs })
  await checkFree(heir.client, world)
  await checkTakesRuns(heir.client, world)
  return tookMs
}
