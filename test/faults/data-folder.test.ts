import { expect, test } from 'vitest'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'
import { plannedTurn } from './harness/planned-turn.ts'
import { sendTurn } from './harness/send.ts'
import { runCli } from './harness/service-process.ts'

const place = { project: 'held', featureId: 'FEAT-1', taskId: 'TASK-1', worldSlug: null }

test('another data folder with the same graph names the process that holds the graph', {
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
  // The process that holds the graph was not disturbed.
  expect((await sendTurn(first.url, plannedTurn(place, { turn: 1, revision: 1 }))).status).toBe(201)
})
