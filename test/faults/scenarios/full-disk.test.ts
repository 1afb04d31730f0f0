import { expect, test } from 'vitest'
import { canMount } from '../harness/small-disk.ts'
import { fullDisk } from './full-disk.ts'

test.skipIf(!canMount())('a full disk loses no acknowledged write', { timeout: 180_000 }, async () => {
  const { refused } = await fullDisk({ rounds: 1, seed: 1, log: () => {} })
  expect(refused).toBeGreaterThan(0)
})
