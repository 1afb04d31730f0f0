import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { importAutobuild } from '../../../src/artifacts/import.ts'
import { httpClient } from '../../../src/client/http.ts'
import { EmbeddedGraph } from '../../../src/graph/embedded.ts'
import { migrate } from '../../../src/graph/migrations.ts'
import { readServerFile } from '../../../src/platform/data-folder/server-file.ts'
import { clientOf, PROJECT, TASK } from '../../support/records.ts'
import { viewOf } from '../../support/session-view.ts'
import { filesOfTurn, writeSlowly } from '../../support/written-session.ts'
import { Random } from '../harness/random.ts'
import { holds, inScope, pause, type Scenario, until } from '../harness/scenario.ts'
import { folderOfScenario, spawnCli } from '../harness/service-process.ts'

/** Longer than the import of a turn, so that deaths occur before, during and after it. */
const LATEST_KILL_MS = 1_500
const STORED_WITHIN_MS = 30_000

/**
 * A session writes a turn in each round while its watch is killed and restarted. In the end, the graph equals
 * that of imports after each turn.
 */
export const killedWatch: Scenario = ({ rounds, seed, log }) =>
  inScope(async (later) => {
    const random = new Random(seed)
    const folder = () => folderOfScenario(later)
    const [root, dataFolder] = [folder(), folder()]
    const start = () => spawnCli(['watch', root, '--project', PROJECT], { dataFolder })
    let watch = start()
    later(() => watch.kill('SIGKILL'))
    const reference = EmbeddedGraph.open({ folder: null })
    later(() => reference.close())
    await migrate(reference)
    for (let turn = 1; turn <= rounds; turn++) {
      const killed = pause(random.between(0, LATEST_KILL_MS)).then(() => {
        watch.kill('SIGKILL')
        watch = start()
      })
      for (const each of filesOfTurn(path.join(root, TASK), turn)) {
        // Each turn overwrites this file. A watch that restarts during the next turn would miss this turn's
        // content, which an import after the turn reads, so the session does not write the file.
        if (!each.file.endsWith('task_work_results.json')) await writeSlowly(each, random.between(1, 6))
      }
      await killed
      await importAutobuild(clientOf(reference), [root])
      await until(`turn ${turn} is stored`, STORED_WITHIN_MS, () => isStored(dataFolder, turn))
      if (turn % 10 === 0) log(`turn ${turn}`)
    }
    const ended = new Promise((resolve) => watch.once('exit', resolve))
    watch.kill('SIGKILL')
    await ended
    const graph = EmbeddedGraph.open({ folder: dataFolder })
    later(() => graph.close())
    const [stored, expected] = [await viewOf(clientOf(graph)), await viewOf(clientOf(reference))]
    holds(isDeepStrictEqual(stored, expected), 'a killed watch has the same result as imports', {
      stored,
    })
    return { turns: rounds, kills: rounds }
  })

async function isStored(dataFolder: string, turnNumber: number): Promise<boolean> {
  const server = readServerFile(dataFolder)
  if (server === null) return false
  const client = httpClient({ url: server.url, project: PROJECT, retries: 0 })
  return client.getTurn({ worldSlug: TASK, turnNumber }).then(
    () => true,
    () => false,
  )
}
