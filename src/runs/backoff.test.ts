import { describe, expect, test } from 'vitest'
import { pauseMs } from './backoff.ts'
import { commandExecutor } from './command-executor.ts'
import { simulatedExecutor } from './simulated-executor.ts'

describe('the pause after a failed attempt', () => {
  test('a command first pauses for 1 s, then twice as long each time, up to 60 s; a simulated attempt does not pause', () => {
    const { backoff } = commandExecutor({ argv: ['true'], cwd: '.', env: [], timeoutMs: 1 })
    if (backoff === undefined) throw new Error('a command has no pause')
    const pauses = [1, 2, 3, 6, 7, 8, 1_000_000].map((failed) => pauseMs(backoff, failed, 0))
    expect(pauses).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000])
    expect(simulatedExecutor({ durationMs: 0, outcomes: ['failed'], repeat: true }).backoff).toBeUndefined()
  })

  test('a pause is shortened by a random part of up to one half', () => {
    const backoff = { firstMs: 1_000, factor: 2, mostMs: 60_000 }
    expect([0, 0.5, 1].map((random) => pauseMs(backoff, 1, random))).toEqual([1_000, 750, 500])
  })

  test('a first pause of 0 stays 0, however often attempts fail', () => {
    expect(pauseMs({ firstMs: 0, factor: 100, mostMs: 5 }, 1_000, 0)).toBe(0)
  })
})
