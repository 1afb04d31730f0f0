import { parseArgs } from 'node:util'
import type { Scenario } from './harness/scenario.ts'
import { clocksApart } from './scenarios/clocks-apart.ts'
import { cutReaders } from './scenarios/cut-readers.ts'
import { damagedStore } from './scenarios/damaged-store.ts'
import { droppedCommits } from './scenarios/dropped-commits.ts'
import { fullDisk } from './scenarios/full-disk.ts'
import { killNeo4j } from './scenarios/kill-neo4j.ts'
import { killNeo4jInRuns } from './scenarios/kill-neo4j-in-runs.ts'
import { killRunsOn } from './scenarios/kill-runs.ts'
import { killService } from './scenarios/kill-service.ts'
import { killedCommands } from './scenarios/killed-commands.ts'
import { killedImport } from './scenarios/killed-import.ts'
import { killedWatch } from './scenarios/killed-watch.ts'
import { lateWorker } from './scenarios/late-worker.ts'
import { longRun } from './scenarios/long-run.ts'
import { manyConnections } from './scenarios/many-connections.ts'
import { manyWorldsOn } from './scenarios/many-worlds.ts'
import { oneWorld } from './scenarios/one-world.ts'
import { racingReaders } from './scenarios/racing-readers.ts'
import { resumedRunsOn } from './scenarios/resumed-runs.ts'
import { stoppedCoordinator } from './scenarios/stopped-coordinator.ts'
import { stoppedService } from './scenarios/stopped-service.ts'

/** The scenarios, each with the number of rounds of a full run. */
const scenarios: Record<string, { run: Scenario; rounds: number }> = {
  'kill-service': { run: killService, rounds: 20 },
  'full-disk': { run: fullDisk, rounds: 100 },
  'damaged-store': { run: damagedStore, rounds: 100 },
  'kill-neo4j': { run: killNeo4j, rounds: 20 },
  // A round is a death of each command.
  'killed-commands': { run: killedCommands, rounds: 60 },
  'killed-import': { run: killedImport, rounds: 100 },
  // A round is a turn with a death in it.
  'killed-watch': { run: killedWatch, rounds: 100 },
  // A round is a second.
  'racing-readers': { run: racingReaders, rounds: 60 },
  'cut-readers': { run: cutReaders, rounds: 200 },
  'stopped-service': { run: stoppedService, rounds: 6 },
  'many-connections': { run: manyConnections, rounds: 100 },
  'kill-runs': { run: killRunsOn('embedded'), rounds: 200 },
  'kill-runs-neo4j': { run: killRunsOn('Neo4j'), rounds: 200 },
  'resumed-runs': { run: resumedRunsOn('embedded'), rounds: 50 },
  'resumed-runs-neo4j': { run: resumedRunsOn('Neo4j'), rounds: 50 },
  'stopped-coordinator': { run: stoppedCoordinator, rounds: 50 },
  'late-worker': { run: lateWorker, rounds: 20 },
  'one-world': { run: oneWorld, rounds: 200 },
  'dropped-commits': { run: droppedCommits, rounds: 20 },
  'kill-neo4j-in-runs': { run: killNeo4jInRuns, rounds: 10 },
  'clocks-apart': { run: clocksApart, rounds: 5 },
  // A round is a world.
  'many-worlds': { run: manyWorldsOn('embedded'), rounds: 1_000 },
  'many-worlds-neo4j': { run: manyWorldsOn('Neo4j'), rounds: 1_000 },
  // A round is a turn.
  'long-run': { run: longRun, rounds: 10_000 },
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})

const chosen = Object.entries(scenarios).filter(([name]) => (values.only ?? name).split(',').includes(name))
if (chosen.length === 0) throw new Error(`--only takes names of ${Object.keys(scenarios).join(', ')}`)

for (const [name, { run, rounds }] of chosen) {
  const began = performance.now()
  const log = (line: string) => console.error(`  ${name}: ${line}`)
  try {
    const figures = await run({ rounds: Number(values.rounds ?? rounds), seed: Number(values.seed), log })
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(`${name}: held in ${seconds} s. ${JSON.stringify(figures)}`)
  } catch (error) {
    process.exitCode = 1
    console.log(`${name}: FAILED (--seed ${values.seed})`)
    console.log(error)
  }
}
