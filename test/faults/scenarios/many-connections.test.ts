import { expect, test } from 'vitest'
import { manyConnections } from './many-connections.ts'

test('a client with a token is served among more silent clients than the service may open files', async () => {
  const figures = await manyConnections({ rounds: 2, seed: 1, log: () => {} })
  expect(figures.acknowledged).toBe(2)
})
