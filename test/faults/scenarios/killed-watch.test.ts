import { expect, test } from 'vitest'
import { killedWatch } from './killed-watch.ts'

test('after kill -9 of a watch at any point and a restart, the graph equals that of imports after each turn', {
  timeout: 180_000,
}, async () => {
  const figures = await killedWatch({ rounds: 3, seed: 1, log: () => {} })
  expect(figures).toEqual({ turns: 3, kills: 3 })
})
