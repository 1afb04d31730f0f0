import { expect, test } from 'vitest'
import { killedWatch } from './killed-watch.ts'

test('kill -9 of a watch at any point, and a start anew: the graph is that of imports after each turn', {
  timeout: 180_000,
}, async () => {
  const figures = await killedWatch({ rounds: 3, seed: 1, log: () => {} })
  expect(figures).toEqual({ turns: 3, kills: 3 })
})
