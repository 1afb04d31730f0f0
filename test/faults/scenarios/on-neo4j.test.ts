import { expect, test } from 'vitest'
import { describeOn, neo4jLts, neo4jUrl } from '../../support/engines.ts'
import type { Figures, Scenario } from '../harness/scenario.ts'
import { cutReaders } from './cut-readers.ts'
import { killRunsOn } from './kill-runs.ts'
import { lateWorker } from './late-worker.ts'
import { racingReaders } from './racing-readers.ts'
import { stoppedCoordinator } from './stopped-coordinator.ts'
import { stoppedService } from './stopped-service.ts'

const BOUND_MS = 180_000

describeOn(neo4jLts, (store) => {
  /** Runs a scenario on the emptied server of the test run. */
  const run = async (scenario: Scenario, rounds: number): Promise<Figures> => {
    const graph = await store.open()
    await graph.close()
    return scenario({ rounds, seed: 1, log: () => {}, neo4j: neo4jUrl('lts') })
  }

  test('a reader during captures never sees part of one', { timeout: BOUND_MS }, async () => {
    expect((await run(racingReaders, 2)).contexts).toBeGreaterThan(0)
  })

  test('readers of events that are cut off and return know the current state', {
    timeout: BOUND_MS,
  }, async () => {
    expect((await run(cutReaders, 5)).events).toBeGreaterThan(0)
  })

  test('a service that was suspended continues without a loss', { timeout: BOUND_MS }, async () => {
    expect((await run(stoppedService, 1)).acknowledged).toBeGreaterThan(0)
  })

  test('a kill -9 of a service during its runs leaves no world stuck', { timeout: BOUND_MS }, async () => {
    expect((await run(killRunsOn('Neo4j'), 1)).survived).toBe(0)
  })

  test('a coordinator that slept past its lease changes nothing', { timeout: BOUND_MS }, async () => {
    expect((await run(stoppedCoordinator, 1)).rounds).toBe(1)
  })

  test('a worker past its lease changes nothing', { timeout: BOUND_MS }, async () => {
    expect((await run(lateWorker, 1)).refused).toBe(3)
  })
})
