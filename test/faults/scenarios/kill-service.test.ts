import { expect, test } from 'vitest'
import { killService } from './kill-service.ts'

test('after a kill -9 of the service, every acknowledged turn is stored completely and exactly once', {
  timeout: 180_000,
}, async () => {
  const figures = await killService({ rounds: 1, seed: 1, log: () => {} })
  expect(figures.acknowledged).toBeGreaterThan(0)
})
