import { expect, test } from 'vitest'
import { damagedStore } from './damaged-store.ts'

test('no acknowledged write of a damaged store is lost silently', {
  timeout: 180_000,
}, async () => {
  const { whole, said } = await damagedStore({ rounds: 3, seed: 1, log: () => {} })
  expect(Number(whole) + Number(said)).toBe(3)
})
