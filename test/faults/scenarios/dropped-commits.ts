import { CommitDropper } from '../harness/commit-dropper.ts'
import { FlowingRuns, noFigures } from '../harness/flowing-runs.ts'
import { neo4jFor } from '../harness/on-neo4j.ts'
import { Random } from '../harness/random.ts'
import { runStoreOnNeo4j } from '../harness/run-store.ts'
import { holds, inScope, type Scenario } from '../harness/scenario.ts'
import { folderOfScenario } from '../harness/service-process.ts'

const SHARE = 0.1

/** Repeatedly drops the reply to a COMMIT: the service itself finds out whether it was committed. */
export const droppedCommits: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const neo4j = await neo4jFor(options, later)
    const folder = folderOfScenario(later)
    const dropper = await CommitDropper.before(neo4j, SHARE, new Random(seed))
    later(() => dropper.close())
    const store = await runStoreOnNeo4j(neo4j, folder, later, dropper.url)
    const services = [await store.replica(), await store.replica()]
    const figures = noFigures()
    for (let round = 1; round <= rounds; round++) {
      const runs = new FlowingRuns(services, `dropped-${seed}-${round}-${Date.now()}`, figures)
      await runs.start()
      await runs.check()
      if (round % 5 === 0) log(`round ${round}: ${JSON.stringify({ ...figures, ...dropper.figures })}`)
    }
    holds(dropper.figures.afterReply > 0, 'replies were dropped', dropper.figures)
    await store.checkShape()
    return { rounds, ...figures, ...dropper.figures }
  })
