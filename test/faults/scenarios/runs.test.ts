import { expect, test } from 'vitest'
import { killRunsOn } from './kill-runs.ts'
import { manyWorldsOn } from './many-worlds.ts'
import { resumedRunsOn } from './resumed-runs.ts'

const BOUND_MS = 180_000
const quietly = { seed: 1, log: () => {} }

test('a kill -9 between two steps of a run or of the next restart leaves no world stuck and no turn stored twice', {
  timeout: BOUND_MS,
}, async () => {
  const { atSteps, atRandom, survived } = await killRunsOn('embedded')({ rounds: 5, ...quietly })
  expect({ atSteps, atRandom, survived }).toEqual({ atSteps: 4, atRandom: 1, survived: 0 })
})

test('a run that is resumed after five kills commits the requested turns once', {
  timeout: BOUND_MS,
}, async () => {
  expect((await resumedRunsOn('embedded')({ rounds: 1, ...quietly })).turns).toBe(20)
})

test('concurrent runs in many worlds all end, and so do many cancelled ones', {
  timeout: BOUND_MS,
}, async () => {
  expect((await manyWorldsOn('embedded')({ rounds: 40, ...quietly })).worlds).toBe(40)
})
