import { failingAt } from '../harness/fail-points.ts'
import { Random } from '../harness/random.ts'
import { type CutRuns, checkCut, killAtRandom } from '../harness/random-kill.ts'
import { type EngineName, openRunStore } from '../harness/run-store.ts'
import { holds, inScope, type Scenario } from '../harness/scenario.ts'
import type { ServiceProcess } from '../harness/service-process.ts'
import {
  checkDoomed,
  type DoomedRun,
  dieInRestart,
  listSteps,
  runUntilDeath,
  type Steps,
} from '../harness/step-kill.ts'

/** The place of a kill: the n-th step of a run, also a step of the next start, or any moment. */
type Kill = { run: number; restart: number } | 'at random'

const AT_RANDOM = 0.2

/**
 * Kills the service with -9 between every pair of steps of a run, at every step of the restart that ends
 * unfinished work, and at random. After the next start no world is stuck, no turn is lost or stored twice,
 * and the counters add up.
 */
export const killRunsOn =
  (engine: EngineName): Scenario =>
  (options) =>
    inScope(async (later) => {
      const { rounds, seed, log } = options
      const random = new Random(seed)
      const store = await openRunStore(engine, options, later)
      const project = `kill-runs-${seed}-${Date.now()}`
      const steps = await listSteps(store, project)
      const kills = killsOf(steps, rounds, random)
      const figures = {
        rounds,
        stepsOfRun: steps.run.length,
        stepsOfRestart: steps.restart.length,
        atSteps: 0,
        inRestarts: 0,
        atRandom: 0,
        survived: 0,
        completed: 0,
        interrupted: 0,
        unstarted: 0,
        turns: 0,
        acknowledged: 0,
        landed: 0,
      }
      let left: Left = null
      for (const [i, kill] of kills.entries()) {
        const world = { project, worldSlug: `doomed-${i + 1}` }
        const atStep = kill === 'at random' ? null : kill
        const service = await store.startReady(atStep === null ? {} : failingAt(world.worldSlug, atStep.run))
        await checkLeft(service, left, figures)
        if (atStep === null) {
          left = { cut: await killAtRandom(service, project, i + 1, random) }
          figures.atRandom++
        } else {
          const doomed = await runUntilDeath(service, world)
          figures[doomed.died ? 'atSteps' : 'survived']++
          if (atStep.restart > 0) {
            const died = await dieInRestart(store, world.worldSlug, atStep.restart)
            holds(died, 'a fail point ends a restart', { world, kill })
            figures.inRestarts++
          }
          left = { doomed }
        }
        if ((i + 1) % 20 === 0) log(`${engine}, round ${i + 1}: ${JSON.stringify(figures)}`)
      }
      const last = await store.startReady()
      await checkLeft(last, left, figures)
      await last.stop()
      return { ...figures, ...prefixed('graph', await store.checkShape()) }
    })

type Left = { doomed: DoomedRun } | { cut: CutRuns } | null
type Found = Record<Awaited<ReturnType<typeof checkDoomed>>, number>

/** Checks the work that was unfinished at the death before this start. */
async function checkLeft(service: ServiceProcess, left: Left, figures: Found): Promise<void> {
  if (left === null) return
  if ('doomed' in left) figures[await checkDoomed(service, left.doomed)]++
  else add(figures, await checkCut(service, left.cut))
}

/** Chooses every step if there are enough rounds, or a selection; the other rounds kill at random. */
function killsOf({ run, restart }: Steps, rounds: number, random: Random): Kill[] {
  const midway = run.indexOf('before turns/capture') + 1
  const all = [
    ...run.map((_, i) => ({ run: i + 1, restart: 0 })),
    ...restart.map((_, i) => ({ run: random.between(midway, run.length - 8), restart: i + 1 })),
  ]
  const atSteps = random.shuffled(all).slice(0, Math.ceil(rounds * (1 - AT_RANDOM)))
  const others = Array.from({ length: rounds - atSteps.length }, () => 'at random' as const)
  return random.shuffled([...atSteps, ...others])
}

function add(figures: Record<string, number>, more: Record<string, number>): void {
  for (const [name, value] of Object.entries(more)) figures[name] = (figures[name] ?? 0) + value
}

const prefixed = (prefix: string, figures: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}_${name}`, value]))
