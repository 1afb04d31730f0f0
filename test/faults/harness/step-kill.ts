import { failingAt, tracedPoints } from './fail-points.ts'
import { passing } from './outside-worker.ts'
import { checkFree, checkHistory, checkTakesRuns } from './run-history.ts'
import type { RunStore } from './run-store.ts'
import { createRunWorld, type RunWorld, startRun, untilRunEnded } from './run-world.ts'
import { holds, until } from './scenario.ts'
import { isReady, type ServiceProcess } from './service-process.ts'

/** Limits for three turns in four attempts, because one attempt fails. */
const COUNTS = { turnCount: 3, maxAttempts: 6 }

/**
 * Steps at which a service may die: `run` counts from the creation of the world, `restart` from the next
 * start.
 */
export type Steps = { run: string[]; restart: string[] }

export type DoomedRun = { world: RunWorld; turnRunId: string | null; died: boolean }

/** Lists the steps of a whole run, and those of a restart that finds an unfinished run. */
export async function listSteps(store: RunStore, project: string): Promise<Steps> {
  const whole = { project, worldSlug: 'listed-run' }
  const first = await store.startReady(failingAt(whole.worldSlug, 0, store.file('run-steps')))
  const { turnRunId } = await runUntilDeath(first, whole)
  holds(turnRunId !== null, 'a service without a fail point answers')
  const run = tracedPoints(store.file('run-steps'))

  const cut = { project, worldSlug: 'cut-run' }
  const second = await store.startReady(failingAt(cut.worldSlug, run.indexOf('before turns/capture') + 1))
  const { died } = await runUntilDeath(second, cut)
  holds(died, 'a fail point ends the service')
  const third = await store.startReady(failingAt(cut.worldSlug, 0, store.file('restart-steps')))
  await third.kill()
  return { run, restart: tracedPoints(store.file('restart-steps')) }
}

/**
 * Runs until the fail point ends the service, or, without a fail point, until the run has ended. Then stops
 * the service.
 */
export async function runUntilDeath(service: ServiceProcess, world: RunWorld): Promise<DoomedRun> {
  const { client } = service
  let turnRunId: string | null = null
  try {
    await createRunWorld(client, world, 'quick')
    turnRunId = await startRun(client, world, COUNTS)
    await untilRunEnded(client, world, turnRunId)
  } catch (error) {
    passing(error)
  }
  // The last fail points come after the visible end of the run. A service that ends without a kill has passed
  // them.
  const died = (await service.stop()) === null
  holds(died || turnRunId !== null, 'only a death ends a call', { world, output: service.output() })
  return { world, turnRunId, died }
}

/** Starts a service that dies at a step. Returns null if the step is part of its start. */
export const startDying = (
  store: RunStore,
  worldSlug: string,
  point: number,
): Promise<ServiceProcess | null> =>
  store.start(failingAt(worldSlug, point)).catch((error: Error) => {
    if (error.message.startsWith('the service ended while starting')) return null
    throw error
  })

/** Starts a service that dies during its start, at a step of its reconciliation. */
export async function dieInRestart(store: RunStore, worldSlug: string, point: number): Promise<boolean> {
  const service = await startDying(store, worldSlug, point)
  if (service === null) return true
  // The service listens before it reconciles, and is ready when it has ended the unfinished work.
  await until(
    'the service dies at its start, or is ready',
    60_000,
    async () => !isAlive(service) || isReady(service),
  )
  return !isAlive(service)
}

/**
 * Checks after a restart that the run has ended, and that its world is free, complete and accepts another
 * run.
 */
export async function checkDoomed(
  { client }: ServiceProcess,
  { world, turnRunId }: DoomedRun,
): Promise<'completed' | 'interrupted' | 'unstarted'> {
  await createRunWorld(client, world, 'quick') // the service may have died before this step
  await checkFree(client, world)
  const { runs } = await checkHistory(client, world, turnRunId === null ? [] : [turnRunId])
  holds(runs.size <= 1, 'one request starts one run', [...runs.values()])
  const [run] = runs.values()
  await checkTakesRuns(client, world)
  if (run === undefined) return 'unstarted'
  const { status } = run
  holds(status === 'completed' || status === 'interrupted', 'a death interrupts, or came too late', run)
  return status
}

export function isAlive({ pid }: ServiceProcess): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // ESRCH
  }
}
