import type { TurngraphClient } from '../../../src/client/client.ts'
import { Random } from '../harness/random.ts'
import { checkFree, checkHistory } from '../harness/run-history.ts'
import { type EngineName, openRunStore, type RunStore } from '../harness/run-store.ts'
import { createRunWorld, type RunWorld, startRun, untilRunEnded } from '../harness/run-world.ts'
import { holds, inScope, pause, type Scenario, until } from '../harness/scenario.ts'
import { isAlive, startDying } from '../harness/step-kill.ts'

const COUNTS = { turnCount: 20, maxAttempts: 60 }
/** Number of kills, which is the maximum length of a chain of resumed runs. */
const DEATHS = 5
/** Maximum number of steps of a start with up to two or three attempts. */
const MAX_STEPS = 60

/**
 * Kills the service with -9 five times during one run of a world whose runs are resumed: once at any moment,
 * then at steps of the starts that resume it. In the end, the requested turns are committed, each once, and
 * every run except the last was interrupted and resumed by exactly one other.
 */
export const resumedRunsOn =
  (engine: EngineName): Scenario =>
  (options) =>
    inScope(async (later) => {
      const { rounds, seed, log } = options
      const random = new Random(seed)
      const store = await openRunStore(engine, options, later)
      const project = `resumed-runs-${seed}-${Date.now()}`
      const figures = { rounds, runs: 0, turns: 0, attempts: 0 }
      for (let round = 1; round <= rounds; round++) {
        const world = { project, worldSlug: `resumed-${round}` }
        const turnRunId = await killedRun(store, world, random)
        for (let death = 2; death <= DEATHS; death++)
          await dieAtStep(store, world, random.between(1, MAX_STEPS))
        const last = await store.startReady()
        const { runs, attempts } = await checkResumed(last.client, world, turnRunId)
        figures.runs += runs
        figures.attempts += attempts
        figures.turns += COUNTS.turnCount
        await last.stop()
        if (round % 10 === 0) log(`${engine}, round ${round}: ${JSON.stringify(figures)}`)
      }
      return figures
    })

async function killedRun(store: RunStore, world: RunWorld, random: Random): Promise<string> {
  const service = await store.startReady()
  await createRunWorld(service.client, world, 'steady', { resume: 'auto' })
  const turnRunId = await startRun(service.client, world, COUNTS)
  await pause(random.between(1, 100))
  await service.kill()
  return turnRunId
}

async function dieAtStep(store: RunStore, { worldSlug }: RunWorld, point: number): Promise<void> {
  const service = await startDying(store, worldSlug, point)
  if (service !== null)
    await until(`the service dies at step ${point}`, 60_000, async () => !isAlive(service))
}

async function checkResumed(
  client: TurngraphClient,
  world: RunWorld,
  first: string,
): Promise<{ runs: number; attempts: number }> {
  const listed = async () => (await client.listTurnRuns(world)).items.toReversed()
  const newest = (await listed()).at(-1)
  if (newest === undefined) throw new Error('there is no run')
  await untilRunEnded(client, world, newest.turnRunId)
  const runs = await listed()
  const about = runs.map(({ turnRunId, status, resumes }) => ({ turnRunId, status, resumes }))
  const chain = [null, ...runs.map(({ turnRunId }) => ({ turnRunId }))].slice(0, -1)
  holds(runs[0]?.turnRunId === first, 'the first run is the requested one', about)
  holds(
    JSON.stringify(runs.map(({ resumes }) => resumes)) === JSON.stringify(chain),
    'each run resumes the one before it, and no other',
    about,
  )
  holds(
    runs.every(({ status }, i) => status === (i === runs.length - 1 ? 'completed' : 'interrupted')),
    'every run but the last was interrupted, and the last is completed',
    about,
  )
  await checkFree(client, world)
  const { turns, attempts } = await checkHistory(client, world)
  holds(turns === COUNTS.turnCount, 'the requested turns are committed once', { world, turns })
  return { runs: runs.length, attempts: attempts.length }
}
