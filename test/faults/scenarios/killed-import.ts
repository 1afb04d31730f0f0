import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { EmbeddedGraph } from '../../../src/graph/embedded.ts'
import { clientOf } from '../../support/records.ts'
import { bytesOf, everyTurn, sessionOf, turn } from '../../support/transcript-import.ts'
import { failingAt, tracedPoints } from '../harness/fail-points.ts'
import { Random } from '../harness/random.ts'
import { holds, inScope, type Scenario } from '../harness/scenario.ts'
import { folderOfScenario, runCli } from '../harness/service-process.ts'

const PROJECT = 'killed-import'
const TOOLS = ['Grep', 'Read', 'Edit']

/** Makes a transcript with a number of turns. Another `name` makes other turns. */
const transcriptOf = (name: string, turns: number): Buffer =>
  bytesOf(...Array.from({ length: turns }, (_, i) => turn(`${name}-${i}`, TOOLS, { from: 10 * i })))

/**
 * Kills an import of a transcript at one of its steps and runs it again. Then the file is rewritten in place
 * and imported once more: each of its turns is stored, regardless of the rest of the killed import.
 */
export const killedImport: Scenario = ({ rounds, seed, log }) =>
  inScope(async (later) => {
    const random = new Random(seed)
    const folder = () => folderOfScenario(later)
    const [transcripts, trace] = [folder(), path.join(folder(), 'trace')]
    const file = path.join(transcripts, `${sessionOf(1)}.jsonl`)
    const importInto = (dataFolder: string, environment = {}) =>
      runCli(['import', 'transcripts', transcripts, '--project', PROJECT], { dataFolder, environment })
    writeFileSync(file, transcriptOf('first', 60))
    await importInto(folder(), failingAt(PROJECT, 0, trace))
    const steps = tracedPoints(trace).length
    holds(steps > 0, 'an import has steps')
    const figures = { rounds, steps, killed: 0, turns: 0 }
    for (let round = 1; round <= rounds; round++) {
      const dataFolder = folder()
      writeFileSync(file, transcriptOf('first', random.between(40, 60)))
      const killed = await importInto(dataFolder, failingAt(PROJECT, 1 + ((round - 1) % steps)))
      if (killed.exitCode === null) figures.killed++
      const turns = random.between(61, 300)
      for (const content of [null, transcriptOf(`rewritten-${round}`, turns)]) {
        if (content !== null) writeFileSync(file, content)
        const again = await importInto(dataFolder)
        holds(again.exitCode === 0, 'a killed import can be run again', again)
      }
      const graph = EmbeddedGraph.open({ folder: dataFolder })
      try {
        const stored = await everyTurn(clientOf(graph, PROJECT))
        const found = stored.filter(({ turnId }) => turnId.startsWith(`rewritten-${round}-`)).length
        holds(found === turns, 'a file that was rewritten in place is read again', { round, found, turns })
        figures.turns += found
      } finally {
        await graph.close()
      }
      if (round % 10 === 0) log(`round ${round}: ${figures.killed} killed, ${figures.turns} turns`)
    }
    return figures
  })
