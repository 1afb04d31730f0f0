import { expect, test } from 'vitest'
import type { Figures, Scenario } from '../faults/harness/scenario.ts'
import { describeOn, neo4jLts, neo4jUrl } from '../support/engines.ts'
import { laggingFollower } from './lagging-follower.ts'
import { longReads } from './long-reads.ts'
import { movingLeaders } from './moving-leaders.ts'
import { movingLeadersInRuns } from './moving-leaders-in-runs.ts'

const BOUND_MS = 180_000
/** One that starts a second server, which plans every statement first. */
const BOUND_WITH_SERVER_MS = 300_000

describeOn(neo4jLts, (store) => {
  /** On the run's own server, emptied. */
  const run = async (scenario: Scenario, rounds: number): Promise<Figures> => {
    const graph = await store.open()
    await graph.close()
    return scenario({ rounds, seed: 1, log: () => {}, neo4j: neo4jUrl('lts') })
  }

  test('while leaders move, no context is stale and nothing is lost or doubled', {
    timeout: BOUND_MS,
  }, async () => {
    expect((await run(movingLeaders, 6)).contexts).toBe(48)
  })

  test('while leaders move, runs end as they should and fences only rise', {
    timeout: BOUND_MS,
  }, async () => {
    expect((await run(movingLeadersInRuns, 1)).turns).toBeGreaterThan(0)
  })

  test('an analysis that takes longer than a request is read once, by a follower, and by the leader where followers lag', {
    timeout: BOUND_MS,
  }, async () => {
    expect(await run(longReads, 1)).toMatchObject({ atFollowers: 1 })
  })

  test('a follower that is really behind takes contexts off the leader, and neither a context nor a free query is stale', {
    timeout: BOUND_WITH_SERVER_MS,
  }, async () => {
    expect(Number((await run(laggingFollower, 3)).gain)).toBeGreaterThanOrEqual(1.6)
  })
})
