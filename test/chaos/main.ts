import { parseArgs } from 'node:util'
import { anyOrder } from './any-order.ts'
import { killNeo4j } from './kill-neo4j.ts'
import { killService } from './kill-service.ts'
import { racingReaders } from './racing-readers.ts'
import { sameTurnTwice } from './same-turn-twice.ts'
import type { Scenario } from './scenario.ts'
import { stoppedService } from './stopped-service.ts'

/** The scenarios, each with how many rounds a full run takes. */
const scenarios: Record<string, { run: Scenario; rounds: number }> = {
  'kill-service': { run: killService, rounds: 20 },
  'kill-neo4j': { run: killNeo4j, rounds: 20 },
  'same-turn-twice': { run: sameTurnTwice, rounds: 200 },
  // Rounds are seconds.
  'racing-readers': { run: racingReaders, rounds: 60 },
  'any-order': { run: anyOrder, rounds: 20 },
  'stopped-service': { run: stoppedService, rounds: 6 },
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
