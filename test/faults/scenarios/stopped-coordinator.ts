import { Random } from '../harness/random.ts'
import { checkHistory, checkTakesRuns, RESTARTED } from '../harness/run-history.ts'
import { openRunStore, type RunStore } from '../harness/run-store.ts'
import { createRunWorld, type RunWorld, startRun, untilRunEnded, warmRuns } from '../harness/run-world.ts'
import { same } from '../harness/same.ts'
import { holds, inScope, pause, type Scenario, until } from '../harness/scenario.ts'
import type { ServiceProcess } from '../harness/service-process.ts'

/**
 * A short lease. The two replicas and a Neo4j share a small machine, on which a renewal may take a second.
 */
const LEASE_MS = 2_000
/** Minimum time that a frozen owner keeps its lease: a lease is renewed after a third of its time. */
const MIN_KEPT_MS = (LEASE_MS * 2) / 3 - 100
const TAKEN_OVER_WITHIN_MS = 15_000

/**
 * A replica is suspended for longer than the lease of its run (SIGSTOP). Another one takes over the world and
 * runs in it. Then the first one continues (SIGCONT): its late commit gets `lease_lost`, and the graph is
 * unchanged.
 */
export const stoppedCoordinator: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const random = new Random(seed)
    const store = await openRunStore('Neo4j', options, later)
    const [sleeper, other] = [await store.replica(), await store.replica()]
    const project = `stopped-${seed}-${Date.now()}`
    await warmRuns(sleeper.client, project)
    const figures = {
      rounds,
      lateCommits: 0,
      lateRenewals: 0,
      late: 0,
      fastestMs: Infinity,
      slowestMs: 0,
    }
    for (let round = 1; round <= rounds; round++) {
      const world = { project, worldSlug: `world-${round}` }
      await createRunWorld(sleeper.client, world, 'slow', { leaseTtlMs: LEASE_MS })
      const lost = await startRun(sleeper.client, world, { turnCount: 50, maxAttempts: 50 })
      await pause(random.between(50, LEASE_MS))
      sleeper.freeze()
      const tookMs = await takeOver(other, world, lost)
      figures.fastestMs = Math.min(figures.fastestMs, tookMs)
      figures.slowestMs = Math.max(figures.slowestMs, tookMs)
      const refusal = await goesOn(sleeper, lost, store)
      figures[refusal]++
      const { runs } = await checkHistory(other.client, world, [lost])
      holds(
        runs.get(lost)?.status === 'interrupted',
        'a run that was taken over stays interrupted',
        runs.get(lost),
      )
      await checkTakesRuns(sleeper.client, world)
      if (round % 10 === 0) log(`round ${round}: ${JSON.stringify(figures)}`)
    }
    await store.checkShape()
    return figures
  })

/** Another replica interrupts the run and makes two turns. Returns how long the lost run was unattended. */
async function takeOver({ client, output }: ServiceProcess, world: RunWorld, lost: string): Promise<number> {
  const began = performance.now()
  const run = await untilRunEnded(client, world, lost, TAKEN_OVER_WITHIN_MS)
  const tookMs = Math.round(performance.now() - began)
  holds(run.status === 'interrupted' && run.failureReason === RESTARTED, 'a lost run is interrupted', run)
  holds(run.lastAttemptStatus !== 'running', 'its attempt ends with it', run)
  holds(tookMs >= MIN_KEPT_MS, 'a lease is kept for its time', { tookMs })
  const own = await startRun(client, world, { turnCount: 2, maxAttempts: 2 })
  const next = await untilRunEnded(client, world, own)
  holds(next.status === 'completed', 'a world that was taken over accepts runs', { next, log: output() })
  return tookMs
}

/**
 * The rejected request. `late`: the answer to a pending request came too late, so no further one was sent.
 */
type Refusal = 'lateCommits' | 'lateRenewals' | 'late'

const SETTLES_MS = 200

/** Wakes the suspended replica: it is rejected, reports it, and changes nothing. */
async function goesOn(sleeper: ServiceProcess, lost: string, store: RunStore): Promise<Refusal> {
  const before = await store.dump()
  sleeper.thaw()
  const line = await until('the sleeper sees that its run is lost', 15_000, async () =>
    lineAbout(sleeper, lost),
  ).catch((error: Error) => {
    throw new Error(`${error.message}; ${lost}\n${sleeper.output()}`)
  })
  await pause(SETTLES_MS)
  same(await store.dump(), before, 'a late owner changes nothing')
  const { code, message = '' } = line.err ?? {}
  if (code === 'timeout' && line.msg === 'the turn run cannot go on') return 'late'
  holds(code === 'lease_lost', 'a late owner gets lease_lost', line)
  return message.startsWith('Attempt') ? 'lateCommits' : 'lateRenewals'
}

type Logged = { turnRunId?: string; msg?: string; err?: { code?: string; message: string } }

/** Finds the line that a service logs when it gives up a run. */
async function lineAbout({ output }: ServiceProcess, turnRunId: string): Promise<Logged | null> {
  const lines = output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Logged)
  return lines.find((line) => line.turnRunId === turnRunId) ?? null
}
