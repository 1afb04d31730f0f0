// Moves the leader of a simulated cluster under captures and contexts of two services.
import { checkNeo4jShape, neo4jFor, planStatements } from '../faults/harness/on-neo4j.ts'
import { plannedSummary } from '../faults/harness/planned-turn.ts'
import { Random } from '../faults/harness/random.ts'
import { Reference } from '../faults/harness/reference.ts'
import { holds, inScope, pause, type Scenario } from '../faults/harness/scenario.ts'
import type { Exchange } from '../faults/harness/send.ts'
import type { ServiceProcess } from '../faults/harness/service-process.ts'
import { checkWorld } from '../faults/harness/stored-worlds.ts'
import { Writer } from '../faults/harness/writer.ts'
import { BoltRouter, DEPARTURES } from './bolt-router.ts'
import { contextOf, newestTransaction, serviceOn } from './on-router.ts'

const SESSIONS = 4
const LONGEST_LAG_MS = 300
const LOST_REPLIES = 0.1

/**
 * In each round every session captures a turn through one service, and asks for the context of the next one: through the
 * other with the bookmark, and through either without. Meanwhile the leader moves, followers lag and replies get lost.
 * Nobody is told something stale, nothing is lost or doubled, and whoever brings no bookmark is answered by the leader.
 */
export const movingLeaders: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const random = new Random(seed)
    const neo4j = await neo4jFor(options, later)
    await planStatements(neo4j)
    const router = await BoltRouter.start({
      leader: neo4j,
      losesReply: () => random.fraction() < LOST_REPLIES,
    })
    later(() => router.close())
    const services = [await serviceOn(router, later), await serviceOn(router, later)]
    const reference = await Reference.open()
    later(() => reference.close())
    const project = `moving-${seed}-${Date.now()}`
    const writers = Array.from({ length: SESSIONS }, (_, i) => {
      const taskId = `TASK-${project}-${String(i).padStart(2, '0')}`
      // Each in a project of its own: contexts tell what other sessions of a project know, and the reference has one writer.
      return new Writer({ project: taskId, featureId: 'FEAT-1', taskId, worldSlug: null }, random)
    })
    const figures = { rounds, captures: 0, refused: 0, contexts: 0, slowestRefusalMs: 0 }
    const anyService = () => services[random.between(0, 1)] as ServiceProcess
    const onExchange = (seen: Exchange) => {
      if (seen.status === 200 || seen.status === 201) figures.captures++
      else {
        figures.refused++
        figures.slowestRefusalMs = Math.max(figures.slowestRefusalMs, Math.round(seen.ms))
      }
    }
    for (let round = 1; round <= rounds; round++) {
      router.lagMs = random.between(0, LONGEST_LAG_MS)
      const departure = DEPARTURES[random.between(0, DEPARTURES.length - 1)] ?? 'steps down'
      const moving = pause(random.between(0, 30)).then(() => router.moveLeader(departure))
      const session = async (writer: Writer) => {
        const writesTo = anyService()
        const readsFrom = services.find((service) => service !== writesTo) ?? writesTo
        const bookmark = await captureOne(writer, writesTo, onExchange)
        router.require(writer.place.taskId, newestTransaction(bookmark))
        const next = writer.currentTurn + 1
        const asked = [
          contextOf(readsFrom, writer.place, next, bookmark),
          contextOf(anyService(), writer.place, next, null),
        ]
        for (const context of await Promise.all(asked)) checkIsFresh(context, writer)
        figures.contexts += asked.length
      }
      await Promise.all([moving, ...writers.map(session)])
      holds(router.violations.length === 0, 'a follower is asked with the bookmark of what must be read', {
        violations: router.violations.slice(0, 5),
      })
      if (round % 20 === 0) log(`round ${round}: ${JSON.stringify({ ...figures, ...router.figures })}`)
    }
    for (const writer of writers) await checkWorld(anyService().client, writer, reference, random)
    await checkNeo4jShape(neo4j)
    const { moves, atFollowers, repliesLost } = router.figures
    holds(moves === rounds && atFollowers > 0, 'leaders moved and followers were asked', router.figures)
    holds(rounds < 20 || repliesLost > 0, 'replies were lost', router.figures)
    return { ...figures, ...router.figures }
  })

/** Captures until one is acknowledged, and answers its bookmark. */
async function captureOne(
  writer: Writer,
  { url }: ServiceProcess,
  onExchange: (seen: Exchange) => void,
): Promise<string> {
  const stop = new AbortController()
  let bookmark: string | null = null
  await writer.run(
    () => url,
    stop.signal,
    (seen) => {
      onExchange(seen)
      if (seen.status !== 200 && seen.status !== 201) return
      bookmark = seen.bookmark
      stop.abort()
    },
  )
  holds(bookmark !== null, 'the answer to a write carries a bookmark', writer.place)
  return bookmark
}

function checkIsFresh({ body }: Exchange, writer: Writer): void {
  const newest = writer.standing().at(-1)
  const { previous_turn: turn, prior } = body
  const isFresh =
    newest !== undefined && turn === newest.op.turn && prior.player_summary === plannedSummary(newest.op)
  holds(isFresh, 'a context has all that was acknowledged before it was asked', {
    newest: newest?.op,
    turn,
    prior,
  })
}
