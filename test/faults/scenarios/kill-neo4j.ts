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

/** The contract's own bound: a store that is away is a 503 within 5 s. */
export const ANSWERS_WITHIN_MS = 5_000

/**
 * Empty is not dark, and acknowledged means stored: kill -9 of Neo4j in the middle of captures by two replicas,
 * one of them over `neo4j://`. They answer errors in time while it is away, and recover by themselves.
 */
export const killNeo4j: Scenario = (options) =>
  inScope(async (later) => {
    const server = await startBriefNeo4j({ version: 'lts' })
    later(() => server.stop())
    return killGivenNeo4j(server, options)
  })

/** The same, of a server that somebody else started, and will stop. */
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
      writing.catch(() => {}) // awaited below, whatever happens before
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
          holds(seen.status === 503, 'a store that is away is store_unavailable', seen)
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
    holds(late.length === 0, 'a store that is away is an error within 5 s', { figures, late })
    return figures
  })

function checkRefusal(seen: Exchange): void {
  const code = seen.body?.error?.code
  const expected =
    (seen.status === 503 && code === 'store_unavailable') || (seen.status === 504 && code === 'timeout')
  holds(expected, 'a store that is away is store_unavailable or timeout', seen)
  holds(seen.status === 504 || seen.retryAfter !== null, 'a 503 says when to try again', seen)
}

/** Asks everything while there is no store; the answers are refusals, which the caller checks. */
async function askWhileAway(service: ServiceProcess, round: number): Promise<Exchange[]> {
  const { url, output } = service
  const health = await exchange(`${url}/healthz`)
  holds(health.status === 200, 'the process lives, whatever its store does', { health, output: output() })
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

/** What was refused can be sent again: the service has recovered by itself. */
const untilStored = ({ url }: ServiceProcess, turn: TurnToSend): Promise<unknown> =>
  until('what was refused is stored', 60_000, async () => {
    const seen = await sendTurn(url, turn)
    if (seen.status >= 500) checkRefusal(seen)
    return seen.status < 300
  })
