// Counts what followers take off the leader, with a follower that has a server of its own and is really behind.
import { neo4jFor, planStatements } from '../faults/harness/on-neo4j.ts'
import { plannedSummary, plannedTurn } from '../faults/harness/planned-turn.ts'
import { holds, inScope, type Scenario } from '../faults/harness/scenario.ts'
import { sendTurn } from '../faults/harness/send.ts'
import { startTestNeo4j } from '../support/test-neo4j.ts'
import { BoltRouter } from './bolt-router.ts'
import { contextOf, newestTransaction, serviceOn } from './on-router.ts'

const SESSIONS = 4
const LAG_MS = 200
/** How many contexts are asked after each capture, half of them with a bookmark. */
const CONTEXTS = 8
/** What followers must be worth (the bar of the contract's issue). */
const LEAST_GAIN = 1.6

/**
 * One server takes the writes, the other repeats each commit later. Whoever brings the bookmark of a capture reads it from
 * the follower, who really did not have it yet; who brings none reads it from the leader. What two servers take together
 * follows from the requests that each of them served: their number, divided by those of the busier one.
 */
export const laggingFollower: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const leader = await neo4jFor(options, later)
    const follower = await startTestNeo4j({ version: 'lts' })
    later(() => follower.stop())
    await planStatements(leader)
    await planStatements(follower.url)
    const router = await BoltRouter.start({ leader, follower: follower.url, members: 2, lagMs: LAG_MS })
    later(() => router.close())
    const services = [await serviceOn(router, later), await serviceOn(router, later)] as const
    const project = `lagging-${seed}-${Date.now()}`
    const session = async (i: number, turn: number) => {
      const taskId = `TASK-${project}-${String(i).padStart(2, '0')}`
      const place = { project, featureId: 'FEAT-1', taskId, worldSlug: null }
      const op = { turn, revision: 1 }
      const { status, bookmark } = await sendTurn(services[i % 2]?.url ?? '', plannedTurn(place, op))
      holds(status === 201 && bookmark !== null, 'the turn is stored', { status, bookmark })
      router.require(taskId, newestTransaction(bookmark))
      const contexts = Array.from({ length: CONTEXTS }, (_, n) =>
        contextOf(services[n % 2] ?? services[0], place, turn + 1, n < CONTEXTS / 2 ? bookmark : null),
      )
      for (const { body } of await Promise.all(contexts)) {
        const prior = body.prior?.player_summary
        holds(prior === plannedSummary(op), 'a context has the turn that was acknowledged', { place, prior })
      }
    }
    for (let turn = 1; turn <= rounds; turn++) {
      await Promise.all(Array.from({ length: SESSIONS }, (_, i) => session(i, turn)))
      if (turn % 10 === 0) log(`turn ${turn}: ${JSON.stringify(router.figures)}`)
    }
    holds(router.violations.length === 0, 'followers are asked with a bookmark', router.violations)
    const served = { atLeader: 0, atFollowers: 0 }
    for (const [name, { atLeader, atFollowers }] of router.statements) {
      if (!name.startsWith('turns/context')) continue
      served.atLeader += atLeader
      served.atFollowers += atFollowers
    }
    const gain = (served.atLeader + served.atFollowers) / Math.max(served.atLeader, served.atFollowers)
    holds(router.figures.waited > 0, 'the follower was behind', router.figures)
    holds(gain >= LEAST_GAIN, 'two servers take as many contexts more as the bar says', { served, gain })
    const { moves, repliesLost, ...figures } = router.figures
    return { turns: rounds * SESSIONS, ...served, gain: gain.toFixed(2), ...figures }
  })
