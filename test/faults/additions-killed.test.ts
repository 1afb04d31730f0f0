import { expect, test } from 'vitest'
import { newFolder, PROCESS_TEST_MS, startReadyService } from './harness/in-test.ts'

test('verifications that were added to a turn are there after a kill -9, and a repeat stores nothing', {
  timeout: PROCESS_TEST_MS,
}, async () => {
  const folder = newFolder()
  const service = await startReadyService({ dataFolder: folder })
  const task = { project: 'shop', featureId: 'FEAT-1', taskId: 'TASK-1' }
  await service.client.captureTurnState({ ...task, turnNumber: 1, playerSummary: 'Built it' })
  const verification = {
    criterionId: 'AC-1',
    status: 'verified' as const,
    observation: { command: ['npm', 'test'], exitCode: 0, startedAt: '2026-03-01T10:00:00Z' },
  }
  const sent = { ...task, verifications: [verification] }
  const { added, ...answer } = await service.client.addVerifications(sent)
  await service.kill()
  expect(added).toBe(1)
  const next = await startReadyService({ dataFolder: folder })
  const { criteria } = await next.client.listCriteria({ ...task, role: 'coach' })
  expect(criteria).toMatchObject([{ state: 'verified', basis: 'observed', history: [{ turn: 1 }] }])
  expect(await next.client.addVerifications(sent)).toEqual({ ...answer, added: 0 })
})
