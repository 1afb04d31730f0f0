import { startBriefNeo4j } from '../../support/test-neo4j.ts'
import { FlowingRuns, noFigures } from '../harness/flowing-runs.ts'
import { planStatements } from '../harness/on-neo4j.ts'
import { Random } from '../harness/random.ts'
import { runStoreOnNeo4j } from '../harness/run-store.ts'
import { inScope, pause, type Scenario, until } from '../harness/scenario.ts'
import { folderOfScenario, untilReady } from '../harness/service-process.ts'

const AWAY_AT_MOST_MS = 5_000

/** Kills Neo4j with -9 during runs: they continue when it is back, or end with a reason. */
export const killNeo4jInRuns: Scenario = ({ rounds, seed, log }) =>
  inScope(async (later) => {
    const random = new Random(seed)
    const server = await startBriefNeo4j({ version: 'lts' })
    later(() => server.stop())
    const folder = folderOfScenario(later)
    const store = await runStoreOnNeo4j(server.url, folder, later)
    const services = [await store.replica(), await store.replica()]
    const figures = noFigures()
    for (let round = 1; round <= rounds; round++) {
      const runs = new FlowingRuns(services, `killed-${seed}-${round}`, figures)
      await runs.start()
      const killAfter = random.between(0, 30)
      await until('turns are made', 60_000, async () => (await runs.turns()) >= killAfter)
      await server.kill()
      await pause(random.between(0, AWAY_AT_MOST_MS))
      await server.restart()
      await planStatements(server.url)
      for (const service of services) await untilReady(service)
      await runs.check()
      log(`round ${round}: ${JSON.stringify(figures)}`)
    }
    return { rounds, ...figures, ...(await store.checkShape()) }
  })
