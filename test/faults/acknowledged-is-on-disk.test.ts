import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'
import { sendTurn } from './harness/send.ts'
import { canTrace, type SystemCall, systemCallsDuring } from './harness/system-calls.ts'

const traceable = canTrace()
if (!traceable) console.log('Left out: what lies on the disk before an answer. This machine has no strace.')

const CAPTURES = 12

test.skipIf(!traceable)(
  'between the commit and the answer of a capture, the log is synced to the disk',
  async () => {
    const answers = await tracedCaptures('on')
    for (const { synced } of answers) expect(synced).toBe(true)
  },
)

// So that the test above is known to see the difference. The engine's own checkpoints may sync now and then.
test.skipIf(!traceable)(
  'with TURNGRAPH_SYNC=off an answer does not wait for the disk',
  { timeout: PROCESS_TEST_MS },
  async () => {
    const answers = await tracedCaptures('off')
    expect(answers.filter(({ synced }) => !synced).length).toBeGreaterThan(0)
  },
)

async function tracedCaptures(sync: 'on' | 'off'): Promise<{ synced: boolean }[]> {
  const folder = newFolder()
  const service = await startReadyService({ dataFolder: folder, environment: { TURNGRAPH_SYNC: sync } })
  const place = { project: 'traced', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null }
  const calls = await systemCallsDuring(service.pid, path.join(folder, 'trace'), async () => {
    for (let turn = 1; turn <= CAPTURES; turn++) {
      const { status } = await sendTurn(service.url, plannedTurn(place, { turn, revision: 1 }))
      expect(status).toBe(201)
    }
  })
  const answers = calls.filter(({ text }) => text.includes('HTTP/1.1 201'))
  expect(answers).toHaveLength(CAPTURES)
  return answers.map((answer) => ({ synced: isSyncedBefore(answer, calls) }))
}

/** One capture at a time: what was written last to the log before an answer is the commit it acknowledges. */
function isSyncedBefore(answer: SystemCall, calls: readonly SystemCall[]): boolean {
  const commit = calls.findLast(
    ({ name, file, text, began }) =>
      // A log that begins is written by the checkpoint, beside the commit.
      name === 'write' && isLog(file) && !text.includes('GRAFWAL') && began < answer.began,
  )
  if (commit === undefined) throw new Error('no commit was seen before the answer')
  return calls.some(
    ({ name, file, began, ended }) =>
      name === 'fdatasync' && file === commit.file && began > commit.ended && ended < answer.began,
  )
}

const isLog = (file: string): boolean => /graph\.db\.wal\/wal_\d+\.log$/.test(file)
