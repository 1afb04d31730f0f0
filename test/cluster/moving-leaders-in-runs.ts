// Moves the leader of a simulated cluster under turn runs of two services.
import { FlowingRuns, noFigures } from '../faults/harness/flowing-runs.ts'
import { neo4jFor } from '../faults/harness/on-neo4j.ts'
import { Random } from '../faults/harness/random.ts'
import { runStoreOnNeo4j } from '../faults/harness/run-store.ts'
import { holds, inScope, pause, type Scenario } from '../faults/harness/scenario.ts'
import { temporaryFolder } from '../faults/harness/service-process.ts'
import { BoltRouter, DEPARTURES } from './bolt-router.ts'

const LOST_REPLIES = 0.05

/** Runs complete or end with a reason, no turn is lost or doubled, and fences only rise, while leaders come and go. */
export const movingLeadersInRuns: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const random = new Random(seed)
    const neo4j = await neo4jFor(options, later)
    const { folder, remove } = temporaryFolder()
    later(remove)
    const losesReply = () => random.fraction() < LOST_REPLIES
    const router = await BoltRouter.start({ leader: neo4j, losesReply })
    later(() => router.close())
    const store = await runStoreOnNeo4j(neo4j, folder, later, router.url)
    const services = [await store.replica(), await store.replica()]
    const figures = noFigures()
    for (let round = 1; round <= rounds; round++) {
      const runs = new FlowingRuns(services, `moving-runs-${seed}-${round}-${Date.now()}`, figures)
      let isDone = false
      const moving = async () => {
        while (!isDone) {
          await pause(random.between(200, 1_000))
          router.moveLeader(DEPARTURES[random.between(0, DEPARTURES.length - 1)] ?? 'steps down')
        }
      }
      const working = async () => {
        try {
          await runs.start()
          await runs.check()
        } finally {
          isDone = true
        }
      }
      await Promise.all([moving(), working()])
      log(`round ${round}: ${JSON.stringify({ ...figures, ...router.figures })}`)
    }
    holds(router.figures.moves > 0, 'leaders moved', router.figures)
    await store.checkShape()
    return { rounds, ...figures, ...router.figures }
  })
