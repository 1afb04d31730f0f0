import { readFileSync } from 'node:fs'
import { again } from '../harness/again.ts'
import { inCrew } from '../harness/crew.ts'
import { allPages } from '../harness/pages.ts'
import { Random } from '../harness/random.ts'
import { checkHistory } from '../harness/run-history.ts'
import { type EngineName, openRunStore } from '../harness/run-store.ts'
import {
  createRunWorld,
  type ExecutorName,
  type RunWorld,
  startRun,
  untilRunEnded,
} from '../harness/run-world.ts'
import { holds, inScope, pause, type Scenario } from '../harness/scenario.ts'
import type { ServiceProcess } from '../harness/service-process.ts'

const CALLERS = 32
/** Number of rounds of runs in all worlds: with only a few worlds, the growth of memory is not meaningful. */
const wavesFor = (worlds: number) => (worlds < MANY ? 1 : 3)
const MANY = 500
const TURNS = 5
const WAVE_TAKES_AT_MOST_MS = 900_000
const CHECKED = 20
/** Limit of the time of the last world, as a multiple of the median. */
const MAX_BEHIND = 2
/**
 * Above one measurement (76 on embedded, whose graph is in this process; the share of data in it is unknown).
 */
const MAX_GROWTH_KB_PER_WORLD = 160

/**
 * Starts a run in each of many worlds at once, in one service, repeatedly, and then a run in each that is
 * cancelled. All runs end, no world is left behind by the others, and the growth of memory is limited.
 * `rounds` is the number of worlds.
 */
export const manyWorldsOn =
  (engine: EngineName): Scenario =>
  (options) =>
    inScope(async (later) => {
      const { rounds: count, seed, log } = options
      const store = await openRunStore(engine, options, later)
      const service = await store.startReady()
      const project = `many-${seed}-${Date.now()}`
      const worldsFor = (name: string) =>
        Array.from({ length: count }, (_, i) => ({ project: `${project}-${name}`, worldSlug: `world-${i}` }))
      const worlds = worldsFor('steady')
      await createAll(service, worlds, 'steady')
      const figures: Record<string, number> = { worlds: count, rssBeforeMb: rssMb(service) }
      const waves = wavesFor(count)
      for (let wave = 1; wave <= waves; wave++) {
        const seen = await runAll(service, worlds)
        for (const [name, value] of Object.entries(seen)) figures[`wave${wave}_${name}`] = value
        log(`${engine}, wave ${wave}: ${JSON.stringify(seen)}`)
      }
      const grown = ((figures[`wave${waves}_rssMb`] ?? 0) - (figures.wave1_rssMb ?? 0)) * 1024
      figures.grownKbAWorldAndWave = Math.round(grown / count / Math.max(1, waves - 1))
      const cancelled = worldsFor('cancelled')
      await createAll(service, cancelled, 'slow')
      Object.assign(figures, await cancelAll(service, cancelled))
      const random = new Random(seed)
      for (const world of random.shuffled([...worlds, ...cancelled]).slice(0, CHECKED))
        await checkHistory(service.client, world)
      await service.stop()
      await store.checkShape()
      holds(
        figures.grownKbAWorldAndWave < MAX_GROWTH_KB_PER_WORLD || waves === 1,
        'memory grows by no more than a bound for each run',
        figures,
      )
      return figures
    })

const createAll = ({ client }: ServiceProcess, worlds: readonly RunWorld[], executor: ExecutorName) =>
  inCrew(CALLERS, worlds, (world) => createRunWorld(client, world, executor))

async function runAll(service: ServiceProcess, worlds: readonly RunWorld[]): Promise<Record<string, number>> {
  const { client } = service
  const began = performance.now()
  const since = () => Math.round(performance.now() - began)
  const runs = new Map<string, string>()
  const started = new Map<string, number>()
  const starting = inCrew(CALLERS, worlds, async (world) => {
    // A cold Neo4j may time out on the first runs. A run whose caller got an error is released immediately.
    const start = () => startRun(client, world, { turnCount: TURNS, maxAttempts: 2 * TURNS })
    runs.set(world.worldSlug, await again(start))
    started.set(world.worldSlug, since())
  })
  let failure: unknown = null
  starting.catch((error: unknown) => {
    failure = error
  })
  const endedAt = new Map<string, number>()
  let leastWhenHalfDone = TURNS
  let rss = 0
  const before = new Map(
    (await allWorlds(service, worlds)).map((world) => [world.worldSlug, world.currentTurn]),
  )
  while (endedAt.size < worlds.length) {
    if (failure !== null) throw failure
    holds(since() < WAVE_TAKES_AT_MOST_MS, 'all runs end', { ended: endedAt.size })
    const seen = await allWorlds(service, worlds)
    for (const { worldSlug, activeTurnRunId } of seen) {
      if (activeTurnRunId === null && started.has(worldSlug) && !endedAt.has(worldSlug))
        endedAt.set(worldSlug, since())
    }
    if (endedAt.size <= worlds.length / 2) {
      const made = seen.map(({ worldSlug, currentTurn }) => currentTurn - (before.get(worldSlug) ?? 0))
      leastWhenHalfDone = Math.min(...made)
    }
    rss = Math.max(rss, rssMb(service))
    await pause(500) // reading a thousand worlds is also work for the service
  }
  await starting
  const ends = [...endedAt.values()].sort((a, b) => a - b)
  const [medianMs, lastMs] = [ends[Math.floor(ends.length / 2)] ?? 0, ends.at(-1) ?? 0]
  const startedLastMs = Math.max(...started.values())
  const ended = await inCrew(CALLERS, worlds, (world) =>
    client.getTurnRunStatus({ ...world, turnRunId: runs.get(world.worldSlug) ?? '' }),
  )
  const cut = ended.filter(({ status }) => status !== 'completed')
  holds(cut.length === 0, 'every run completes', {
    cut: cut.length,
    of: worlds.length,
    first: cut[0],
    lastMs,
    log: service.output().slice(-4_000),
  })
  holds(lastMs <= MAX_BEHIND * medianMs + 2_000, 'no world is starved', { medianMs, lastMs })
  return { startedLastMs, medianMs, lastMs, leastWhenHalfDone, rssMb: rss }
}

/** Cancels all runs at once, every second one with abort. */
async function cancelAll(
  { client }: ServiceProcess,
  worlds: readonly RunWorld[],
): Promise<Record<string, number>> {
  const runs = await inCrew(CALLERS, worlds, async (world) => ({
    world,
    turnRunId: await again(() => startRun(client, world, { turnCount: 1_000, maxAttempts: 1_000 })),
  }))
  const began = performance.now()
  // A store with 1,000 active runs may not answer in time. The error asks the caller to try again.
  await inCrew(CALLERS, runs, ({ world: { project }, turnRunId }, i) =>
    again(() => client.cancelTurnRun({ project, turnRunId, reason: 'storm', abort: i % 2 === 0 })),
  )
  const askedMs = Math.round(performance.now() - began)
  await inCrew(CALLERS, runs, async ({ world, turnRunId }) => {
    const run = await untilRunEnded(client, world, turnRunId)
    holds(
      run.status === 'cancelled' && run.cancelReason === 'storm',
      'a cancelled run ends as cancelled',
      run,
    )
  })
  return { cancelsAskedMs: askedMs, allCancelledMs: Math.round(performance.now() - began) }
}

const allWorlds = ({ client }: ServiceProcess, [first]: readonly RunWorld[]) =>
  allPages((cursor) => client.listWorlds({ project: first?.project, limit: 500, cursor }))

function rssMb({ pid }: ServiceProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(status.match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024)
}
