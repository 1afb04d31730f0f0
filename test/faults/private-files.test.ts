import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTurngraphClient } from '../../src/client/create.ts'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'

const turn = plannedTurn(
  { project: 'private', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null },
  { turn: 1, revision: 1 },
)

test.each([
  [0o755, 'in a folder that others can look into, of which the service warns'],
  [0o700, 'in a private folder, of which it does not warn'],
])(
  'what a service and a client with a spool make can be read by their user alone: %o, %s',
  {
    timeout: PROCESS_TEST_MS,
  },
  async (mode) => {
    const folder = newFolder()
    const data = path.join(folder, 'data')
    mkdirSync(data)
    chmodSync(data, mode)
    const service = await startReadyService({ dataFolder: data, environment: { TURNGRAPH_AUTH: 'token' } })
    // Nobody listens there, so the turn waits in the spool.
    const client = createTurngraphClient({
      url: 'http://127.0.0.1:1',
      spool: path.join(data, 'spool'),
      retries: 0,
    })
    onTestFinished(() => client.close())
    await expect(client.captureTurnState(turn)).rejects.toMatchObject({ details: { spooled: true } })
    expect(readableByOthers(data)).toEqual([])
    const warned = service.output().includes(`chmod 700 ${data}`)
    expect(warned).toBe(mode !== 0o700)
  },
)

/** What others could read if they could look into `folder`: what lies in a private folder is out of their reach. */
function readableByOthers(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name)
    if ((statSync(place).mode & 0o077) === 0) return []
    return entry.isDirectory() ? [place, ...readableByOthers(place)] : [place]
  })
}
