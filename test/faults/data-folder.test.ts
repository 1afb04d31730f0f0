import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'
import { sendTurn } from './harness/send.ts'
import { runCli } from './harness/service-process.ts'

const place = { project: 'held', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null }

test('a second service on a data folder says which process serves it', {
  timeout: PROCESS_TEST_MS,
}, async () => {
  const dataFolder = newFolder()
  const first = await startReadyService({ dataFolder })
  const second = await runCli(['serve', '--port', '0'], { dataFolder })
  expect(second.exitCode).toBe(7)
  expect(second.output).toContain(`process ${first.pid}`)
})

test('another data folder with the same graph says which process holds the graph', {
  timeout: PROCESS_TEST_MS,
}, async () => {
  const dataFolder = newFolder()
  const first = await startReadyService({ dataFolder })
  const second = await runCli(['serve', '--port', '0'], {
    dataFolder: newFolder(),
    environment: { TURNGRAPH_STORE: `embedded:${dataFolder}` },
  })
  expect(second.exitCode).toBe(7)
  expect(second.output).toContain(`process ${first.pid}`)
  // It has not disturbed the one that holds it.
  expect((await sendTurn(first.url, plannedTurn(place, { turn: 1, revision: 1 }))).status).toBe(201)
})

test('a kill -9 leaves no lock behind', { timeout: PROCESS_TEST_MS }, async () => {
  const dataFolder = newFolder()
  const first = await startReadyService({ dataFolder })
  expect((await sendTurn(first.url, plannedTurn(place, { turn: 1, revision: 1 }))).status).toBe(201)
  await first.kill()
  const second = await startReadyService({ dataFolder })
  const { items } = await second.client.listTurns({ project: 'held', worldSlug: 'TASK-1' })
  expect(items.map(({ turnNumber }) => turnNumber)).toEqual([1])
})

test('an orderly end leaves neither a lock nor an address', { timeout: PROCESS_TEST_MS }, async () => {
  const dataFolder = newFolder()
  const first = await startReadyService({ dataFolder })
  expect(await first.stop()).toBe(0)
  const status = await runCli(['worlds', '--json'], { dataFolder })
  expect(status.exitCode).toBe(0)
  expect(existsSync(path.join(dataFolder, 'server.json'))).toBe(false)
  expect(existsSync(path.join(dataFolder, 'holder.json'))).toBe(false)
})
