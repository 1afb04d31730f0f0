import { again } from './again.ts'
import { OutsideWorker } from './outside-worker.ts'
import { checkHistory, checkTakesRuns } from './run-history.ts'
import { createRunWorld, type RunStatus, type RunWorld, startRun, untilRunEnded } from './run-world.ts'
import { holds } from './scenario.ts'
import type { ServiceProcess } from './service-process.ts'

const SIMULATED = 4
const COUNTS = { turnCount: 12, maxAttempts: 60 }
const ENDS_WITHIN_MS = 120_000

export type FlowingFigures = Record<RunStatus['status'], number> & { turns: number; acknowledged: number }

export const noFigures = (): FlowingFigures => ({
  running: 0,
  cancel_requested: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  turns: 0,
  acknowledged: 0,
})

/**
 * Runs in several worlds, one of them with an outside worker, during a fault of their store. After any fault,
 * the runs complete or end with a reason, no turn is lost or stored twice, and all answers to the worker are
 * true.
 */
export class FlowingRuns {
  readonly #services: readonly ServiceProcess[]
  readonly #project: string
  readonly #figures: FlowingFigures
  readonly #runs = new Map<RunWorld, string>()
  readonly #stop = new AbortController()
  #worker: OutsideWorker | null = null
  #working: Promise<void> = Promise.resolve()

  constructor(services: readonly ServiceProcess[], project: string, figures: FlowingFigures) {
    this.#services = services
    this.#project = project
    this.#figures = figures
  }

  async start(): Promise<void> {
    const { client } = this.#serviceOf(0)
    for (let i = 0; i < SIMULATED; i++) {
      const world = { project: this.#project, worldSlug: `simulated-${i}` }
      await again(() => createRunWorld(client, world, 'steady'))
      this.#runs.set(world, await this.#begin(world, i))
    }
    const outside = { project: this.#project, worldSlug: 'outside' }
    await again(() => createRunWorld(client, outside, 'external'))
    this.#runs.set(outside, await this.#begin(outside, SIMULATED))
    this.#worker = new OutsideWorker(outside, 'worker-1')
    this.#working = this.#worker.run(() => this.#serviceOf(1).client, this.#stop.signal)
    this.#working.catch(() => {}) // awaited in check()
  }

  #serviceOf(i: number): ServiceProcess {
    return this.#services[i % this.#services.length] as ServiceProcess
  }

  /** If the start of a run got no answer, its service ends the run; until then the world is busy. */
  #begin(world: RunWorld, i: number): Promise<string> {
    return again(() => startRun(this.#serviceOf(i).client, world, COUNTS))
  }

  /** Returns the current number of turns, as far as the service answers. */
  async turns(): Promise<number> {
    const { client } = this.#serviceOf(0)
    const worlds = [...this.#runs.keys()].map((world) =>
      client.getWorld(world).catch(() => ({ currentTurn: 0 })),
    )
    return (await Promise.all(worlds)).reduce((sum, { currentTurn }) => sum + currentTurn, 0)
  }

  async check(): Promise<void> {
    const { client } = this.#serviceOf(0)
    for (const [world, turnRunId] of this.#runs) {
      const run = await again(() => untilRunEnded(client, world, turnRunId, ENDS_WITHIN_MS))
      this.#figures[run.status]++
      holds(run.status !== 'cancelled', 'the run was not cancelled', run)
    }
    this.#stop.abort()
    await this.#working
    for (const [world, turnRunId] of this.#runs) {
      const { turns } = await again(() => checkHistory(client, world, [turnRunId]))
      this.#figures.turns += turns
      if (world !== this.#worker?.world) await again(() => checkTakesRuns(client, world))
    }
    await again(async () => {
      await this.#worker?.finish(client)
      await this.#worker?.check(client)
    })
    this.#figures.acknowledged += this.#worker?.acknowledged.length ?? 0
  }
}
