import type { Neo4jServer } from '../../../tools/neo4j/server.ts'
import { startBriefNeo4j } from '../../support/test-neo4j.ts'
import { checkNeo4jShape, planStatements, serviceOnNeo4j } from '../harness/on-neo4j.ts'
import { plannedTurn, type TurnToSend } from '../harness/planned-turn.ts'
import { Random } from '../harness/random.ts'
import { Reference } from '../harness/reference.ts'
import {
  type Figures,
  holds,
  inScope,
  type Scenario,
  type ScenarioOptions,
  until,
} from '../harness/scenario.ts'
import { type Exchange, exchange, sendTurn } from '../harness/send.ts'
import { type ServiceProcess, untilReady } from '../harness/service-process.ts'
import { checkHistories, checkWorld } from '../harness/stored-worlds.ts'
import { Writer } from '../harness/writer.ts'
import { places } from './kill-service.ts'

/** The time limit of the contract: an unavailable store is a 503 within 5 s. */
export const ANSWERS_WITHIN_MS = 5_000

/**
 * Kills Neo4j with -9 during captures by two replicas, one of them over `neo4j://`. An unavailable store
 * never looks empty, and acknowledged means stored. The replicas answer errors in time, and recover on their
 * own.
 */
export const killNeo4j: Scenario = (options) =>
  inScope(async (later) => {
    const server = await startBriefNeo4j({ version: 'lts' })
    later(() => server.stop())
    return killGivenNeo4j(server, options)
  })

/** Runs the same scenario on a server that the caller started and will stop. */
export const killGivenNeo4j = (
  server: Neo4jServer,
  { rounds, seed, log }: ScenarioOptions,
): Promise<Figures> =>
  inScope(async (later) => {
    const random = new Random(seed)
    const password = server.password === '' ? null : server.password
    const services = [
      await serviceOnNeo4j(server.url, later, password),
      await serviceOnNeo4j(server.url.replace('bolt:', 'neo4j:'), later, password),
    ] as const
    const reference = await Reference.open()
    later(() => reference.close())
    const writers = places('outage').map((place) => new Writer(place, random))
    const figures = {
      rounds,
      acknowledged: 0,
      landed: 0,
      absent: 0,
      refused: 0,
      superseded: 0,
      slowestRefusalMs: 0,
    }
    const late: Exchange[] = []
    const onExchange = (seen: Exchange) => {
      if (seen.status === 200 || seen.status === 201) figures.acknowledged++
      else checkRefusal(seen)
      if (seen.status < 500) return
      if (seen.ms > ANSWERS_WITHIN_MS) late.push(seen)
      figures.refused++
      figures.slowestRefusalMs = Math.max(figures.slowestRefusalMs, Math.round(seen.ms))
    }
    for (let round = 1; round <= rounds; round++) {
      const stop = new AbortController()
      const before = figures.acknowledged
      const writing = Promise.all(
        writers.map((writer, i) =>
          writer.run(() => (services[i % 2] ?? services[0]).url, stop.signal, onExchange),
        ),
      ).catch((error: unknown) => {
        stop.abort()
        throw error
      })
      writing.catch(() => {}) // awaited below, regardless of earlier errors
      const killAfter = random.between(15, 60)
      await until(
        'captures flow',
        60_000,
        async () => stop.signal.aborted || figures.acknowledged >= before + killAfter,
      )
      await server.kill()
      for (const service of services)
        for (const seen of await askWhileAway(service, round)) {
          onExchange(seen)
          holds(seen.status === 503, 'an unavailable store is store_unavailable', seen)
        }
      stop.abort()
      await writing
      await server.restart()
      await planStatements(server.url, password)
      for (const service of services) {
        await untilReady(service)
        await untilStored(service, turnWhileAway(service, round))
      }
      for (const [i, writer] of writers.entries()) {
        const { landed, absent } = await checkWorld(
          (services[i % 2] ?? services[0]).client,
          writer,
          reference,
          random,
        )
        figures.landed += landed
        figures.absent += absent
      }
      const shape = await checkNeo4jShape(server.url, password)
      log(
        `round ${round}: ${shape.turns} turns, ${figures.refused} refusals, the slowest ${figures.slowestRefusalMs} ms`,
      )
    }
    for (const writer of writers) figures.superseded += await checkHistories(services[0].client, writer)
    holds(late.length === 0, 'an unavailable store is an error within 5 s', { figures, late })
    return figures
  })

function checkRefusal(seen: Exchange): void {
  const code = seen.body?.error?.code
  const expected =
    (seen.status === 503 && code === 'store_unavailable') || (seen.status === 504 && code === 'timeout')
  holds(expected, 'an unavailable store is store_unavailable or timeout', seen)
  holds(seen.status === 504 || seen.retryAfter !== null, 'a 503 has a time for the next try', seen)
}

/** Sends all kinds of requests while there is no store. The caller checks that the answers are errors. */
async function askWhileAway(service: ServiceProcess, round: number): Promise<Exchange[]> {
  const { url, output } = service
  const health = await exchange(`${url}/healthz`)
  holds(health.status === 200, 'the process stays alive without its store', { health, output: output() })
  await until('the service says that it is not ready', 10_000, async () => {
    const ready = await exchange(`${url}/readyz`)
    holds(ready.ms < ANSWERS_WITHIN_MS, 'readiness answers within 5 s', ready)
    holds([200, 503, 504].includes(ready.status), 'readiness is 200 or 503', ready)
    return ready.status === 503
  })
  const scope = 'project=outage&feature_id=FEAT-1&task_id=TASK-1'
  const paths = [
    `/v1/continuation-context?${scope}&current_turn=2`,
    `/v1/continuation-context?${scope}&current_turn=2&role=coach&world_slug=TASK-1`,
    `/v1/worlds?project=outage`,
    `/v1/worlds/TASK-1?project=outage`,
    `/v1/worlds/TASK-1/turns?project=outage`,
    `/v1/worlds/TASK-1/turns/1?project=outage`,
    `/v1/worlds/TASK-1/turns/1/history?project=outage`,
  ]
  return Promise.all([
    sendTurn(url, turnWhileAway(service, round)),
    ...paths.map((path) => exchange(`${url}${path}`)),
  ])
}

const turnWhileAway = ({ pid }: ServiceProcess, round: number): TurnToSend =>
  plannedTurn(
    { project: 'outage', featureId: 'FEAT-1', taskId: `TASK-of-${pid}`, worldSlug: null },
    { turn: round, revision: 1 },
  )

/** Sends a rejected turn again until the service has recovered and stores it. */
const untilStored = ({ url }: ServiceProcess, turn: TurnToSend): Promise<unknown> =>
  until('the rejected turn is stored', 60_000, async () => {
    const seen = await sendTurn(url, turn)
    if (seen.status >= 500) checkRefusal(seen)
    return seen.status < 300
  })
