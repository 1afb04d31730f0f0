import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { holds, type Scenario } from '../harness/scenario.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const vitest = path.join(root, 'node_modules', '.bin', 'vitest')
const TESTS = ['transcript-import', 'restore', 'forget'].map((of) => `test/faults/${of}-killed.test.ts`)

/**
 * Kills an import, a restore and a forget with -9 at the given number of steps: runs their tests with more
 * deaths.
 */
export const killedCommands: Scenario = async ({ rounds }) => {
  const child = spawn(vitest, ['run', ...TESTS], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, CHAOS_DEATHS: String(rounds) },
  })
  const [status] = await once(child, 'close')
  holds(status === 0, 'a killed and repeated command has the same result as one without a kill')
  return { commands: TESTS.length, deaths: rounds }
}
