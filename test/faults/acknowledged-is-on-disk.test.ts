import { appendFileSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WriteAheadLog } from '../../src/graph/write-ahead-log.ts'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'
import { until } from './harness/scenario.ts'
import { sendTurn } from './harness/send.ts'
import { isReady } from './harness/service-process.ts'
import { canTrace, failingDuring, type SystemCall, systemCallsDuring } from './harness/system-calls.ts'

const traceable = canTrace()
if (!traceable) console.log('Left out: what lies on the disk before an answer. This machine has no strace.')

const CAPTURES = 12
const place = { project: 'traced', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null }

test.skipIf(!traceable)(
  'between the commit and the answer of a capture, the log is synced to the disk',
  async () => {
    const answers = await tracedCaptures('on')
    for (const { synced } of answers) expect(synced).toBe(true)
  },
)

// Proves that the test above detects the difference. The engine's own checkpoints may sync from time to time.
test.skipIf(!traceable)(
  'with TURNGRAPH_SYNC=off an answer does not wait for the disk',
  { timeout: PROCESS_TEST_MS },
  async () => {
    const answers = await tracedCaptures('off')
    expect(answers.filter(({ synced }) => !synced).length).toBeGreaterThan(0)
  },
)

test.skipIf(!traceable)(
  'after a failed sync of the log, no further write is acknowledged, and the next start has all earlier ones',
  { timeout: PROCESS_TEST_MS },
  async () => {
    const folder = newFolder()
    const service = await startReadyService({ dataFolder: folder })
    const capture = (turn: number) => sendTurn(service.url, plannedTurn(place, { turn, revision: 1 }))
    expect((await capture(1)).status).toBe(201)
    await failingDuring(service.pid, 'fdatasync', async () => {
      expect((await capture(2)).status).toBe(503)
    })
    expect(await capture(3)).toMatchObject({ status: 503, body: { error: { code: 'store_unavailable' } } })
    await until('it is not ready', 30_000, async () => !(await isReady(service)))
    await service.kill()
    const next = await startReadyService({ dataFolder: folder })
    const scope = { project: place.project, worldSlug: 'TASK-1' }
    expect((await next.client.getTurn({ ...scope, turnNumber: 1 })).turnNumber).toBe(1)
  },
)

test.skipIf(!traceable)(
  'the name of a new log is on the disk before a write in it is acknowledged',
  { timeout: PROCESS_TEST_MS },
  async () => {
    const folder = newFolder()
    const service = await startReadyService({ dataFolder: folder })
    const logs = () => readdirSync(path.join(folder, 'graph.db.wal')).join()
    const capture = async (turn: number) =>
      expect((await sendTurn(service.url, plannedTurn(place, { turn, revision: 1 }))).status).toBe(201)
    const calls = await systemCallsDuring(service.pid, path.join(folder, 'trace'), async () => {
      await capture(1)
      const before = logs()
      await until('a checkpoint has begun another log', PROCESS_TEST_MS, async () => logs() !== before)
      await capture(2)
    })
    const answer = calls.findLast(({ text }) => text.includes('HTTP/1.1 201'))
    if (answer === undefined) throw new Error('no answer was seen')
    const { file, ended } = commitBefore(answer, calls)
    expect(isSynced(path.dirname(file), 'fsync', { after: ended, before: answer.began }, calls)).toBe(true)
  },
)

test.skipIf(!traceable)('a sync covers every log that became active since the last one', async () => {
  const folder = newFolder()
  const wal = path.join(folder, 'wal')
  mkdirSync(wal)
  const log = new WriteAheadLog(wal)
  onTestFinished(() => log.close())
  const append = (name: string) => appendFileSync(path.join(wal, name), 'a commit')
  append('wal_1.log')
  await log.sync()
  const calls = await systemCallsDuring(process.pid, path.join(folder, 'trace'), async () => {
    append('wal_1.log')
    append('wal_2.log')
    append('wal_3.log')
    await log.sync()
  })
  const synced = calls.filter(({ name, file }) => name === 'fdatasync' && path.dirname(file) === wal)
  expect(synced.map(({ file }) => path.basename(file))).toEqual(['wal_1.log', 'wal_2.log', 'wal_3.log'])
})

async function tracedCaptures(sync: 'on' | 'off'): Promise<{ synced: boolean }[]> {
  const folder = newFolder()
  const service = await startReadyService({ dataFolder: folder, environment: { TURNGRAPH_SYNC: sync } })
  const calls = await systemCallsDuring(service.pid, path.join(folder, 'trace'), async () => {
    for (let turn = 1; turn <= CAPTURES; turn++) {
      const { status } = await sendTurn(service.url, plannedTurn(place, { turn, revision: 1 }))
      expect(status).toBe(201)
    }
  })
  const answers = calls.filter(({ text }) => text.includes('HTTP/1.1 201'))
  expect(answers).toHaveLength(CAPTURES)
  return answers.map((answer) => {
    const { file, ended } = commitBefore(answer, calls)
    return { synced: isSynced(file, 'fdatasync', { after: ended, before: answer.began }, calls) }
  })
}

/**
 * Finds the commit of an answer. Captures run one at a time, so it is the last write to the log before the
 * answer.
 */
function commitBefore(answer: SystemCall, calls: readonly SystemCall[]): SystemCall {
  const commit = calls.findLast(
    ({ name, file, text, began }) =>
      // The start of a new log is written by the checkpoint and not by the commit.
      name === 'write' && isLog(file) && !text.includes('GRAFWAL') && began < answer.began,
  )
  if (commit === undefined) throw new Error('no commit was seen before the answer')
  return commit
}

const isSynced = (
  place: string,
  call: 'fsync' | 'fdatasync',
  { after, before }: { after: number; before: number },
  calls: readonly SystemCall[],
): boolean =>
  calls.some(
    ({ name, file, began, ended }) => name === call && file === place && began > after && ended < before,
  )

const isLog = (file: string): boolean => /graph\.db\.wal\/wal_\d+\.log$/.test(file)
