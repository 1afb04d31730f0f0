// Counts what followers take off the leader, with a follower that has a server of its own and is really behind.
import { neo4jFor, planStatements } from '../faults/harness/on-neo4j.ts'
import { type Place, plannedSummary, plannedTurn } from '../faults/harness/planned-turn.ts'
import { holds, inScope, type Scenario } from '../faults/harness/scenario.ts'
import { sendTurn } from '../faults/harness/send.ts'
import { startTestNeo4j } from '../support/test-neo4j.ts'
import { BoltRouter } from './bolt-router.ts'
import { contextOf, newestTransaction, queryOf, serviceOn } from './on-router.ts'

const SESSIONS = 4
const LAG_MS = 200
/** How many are asked of a session once the follower has caught up, half of them with a bookmark. */
const CONTEXTS_COUNTED = 20
/** What followers must be worth (the bar of the contract's issue). */
const LEAST_GAIN = 1.6
const COUNT_TURNS = 'MATCH (w:World)-[:HAS_TURN]->(t:Turn) WHERE w.taskId = $task RETURN count(t) AS turns'

type Session = { place: Place; turn: number; bookmark: string }

/**
 * One server takes the writes, the other repeats each commit later. Who brings the bookmark of a capture is answered with it,
 * though the follower does not have it yet; who brings none is answered by the leader. What two servers take together
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
    const places = Array.from({ length: SESSIONS }, (_, i) => ({
      project,
      featureId: 'FEAT-1',
      taskId: `TASK-${project}-${String(i).padStart(2, '0')}`,
      worldSlug: null,
    }))

    const capture = async (place: Place, turn: number): Promise<Session> => {
      const { status, bookmark } = await sendTurn(services[0].url, plannedTurn(place, { turn, revision: 1 }))
      holds(status === 201 && bookmark !== null, 'the turn is stored', { status, bookmark })
      router.require(place.taskId, newestTransaction(bookmark))
      return { place, turn, bookmark }
    }
    /** Through the other service: what it has seen itself is of no help. */
    const ask = async ({ place, turn }: Session, bookmark: string | null) => {
      const { body } = await contextOf(services[1], place, turn + 1, bookmark)
      const prior = body.prior?.player_summary
      const isFresh = prior === plannedSummary({ turn, revision: 1 })
      holds(isFresh, 'a context has the turn that was acknowledged', { place, turn, prior })
    }
    /** Free queries go to followers, as these cannot write; who brings no bookmark is told all that the leader has. */
    const query = async ({ place, turn }: Session, bookmark: string | null) => {
      const { body } = await queryOf(services[1], COUNT_TURNS, { task: place.taskId }, bookmark)
      holds(body.rows?.[0]?.[0] === turn, 'a free query counts the turn that was acknowledged', {
        turn,
        body,
      })
    }

    let sessions: Session[] = []
    for (let turn = 1; turn <= rounds; turn++) {
      sessions = await Promise.all(places.map((place) => capture(place, turn)))
      await Promise.all([
        ...sessions.flatMap((each) => [ask(each, each.bookmark), ask(each, null)]),
        ...sessions.map((each, i) => query(each, i % 2 === 0 ? each.bookmark : null)),
      ])
      if (turn % 10 === 0) log(`turn ${turn}: ${JSON.stringify(router.figures)}`)
    }
    holds(router.figures.waited > 0, 'the follower was behind', router.figures)

    await router.catchUp()
    const before = router.served('turns/context')
    for (let n = 0; n < CONTEXTS_COUNTED; n++) {
      await Promise.all(sessions.map((each) => ask(each, n % 2 === 0 ? each.bookmark : null)))
    }
    const after = router.served('turns/context')
    const atLeader = after.atLeader - before.atLeader
    const atFollowers = after.atFollowers - before.atFollowers
    const gain = (atLeader + atFollowers) / Math.max(atLeader, atFollowers)
    holds(gain >= LEAST_GAIN, 'two servers take as many contexts more as the bar says', {
      atLeader,
      atFollowers,
    })
    holds(router.violations.length === 0, 'followers are asked with a bookmark', router.violations)
    const { waited } = router.figures
    return { turns: rounds * SESSIONS, atLeader, atFollowers, gain: gain.toFixed(2), waited }
  })
