import { neo4jFor, serviceOnNeo4j } from '../harness/on-neo4j.ts'
import { Random } from '../harness/random.ts'
import { Reference } from '../harness/reference.ts'
import { holds, inScope, pause, type Scenario, until } from '../harness/scenario.ts'
import type { Exchange } from '../harness/send.ts'
import {
  folderOfScenario,
  type ServiceProcess,
  startServiceProcess,
  untilReady,
} from '../harness/service-process.ts'
import { checkHistories, checkWorld } from '../harness/stored-worlds.ts'
import { Writer } from '../harness/writer.ts'
import { places } from './kill-service.ts'

const FROZEN_AT_MOST_MS = 6_000

/**
 * Suspends the service for some seconds (SIGSTOP), as in a frozen container, and lets it continue. Pending
 * requests are answered or fail with an error that allows a retry; nothing is lost or stored twice. On both
 * engines.
 */
export const stoppedService: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds, seed, log } = options
    const random = new Random(seed)
    const figures = { rounds, acknowledged: 0, inFlight: 0, failed: 0, superseded: 0, frozenMs: 0 }
    const folder = folderOfScenario(later)
    const embedded = await startServiceProcess({ dataFolder: folder })
    later(() => embedded.kill())
    await untilReady(embedded)
    const onNeo4j = await serviceOnNeo4j(await neo4jFor(options, later), later)
    for (const [service, name] of [
      [embedded, 'embedded'],
      [onNeo4j, 'Neo4j'],
    ] as const) {
      const reference = await Reference.open()
      later(() => reference.close())
      const writers = places(`frozen-${seed}-${Date.now()}`).map((place) => new Writer(place, random))
      for (let round = 1; round <= rounds; round++) {
        const frozenMs = random.between(500, FROZEN_AT_MOST_MS)
        const { acknowledged, inFlight, failed } = await captureWhileFrozen(
          service,
          writers,
          random,
          frozenMs,
        )
        figures.acknowledged += acknowledged
        figures.inFlight += inFlight
        figures.failed += failed
        figures.frozenMs += frozenMs
        for (const writer of writers) {
          holds(writer.inFlight === null, 'every capture is answered in the end', writer.place)
          await checkWorld(service.client, writer, reference, random)
        }
        log(
          `${name}, round ${round}: frozen for ${frozenMs} ms with ${inFlight} captures in flight, ${failed} failed`,
        )
      }
      for (const writer of writers) figures.superseded += await checkHistories(service.client, writer)
    }
    return figures
  })

async function captureWhileFrozen(
  service: ServiceProcess,
  writers: readonly Writer[],
  random: Random,
  frozenMs: number,
): Promise<{ acknowledged: number; inFlight: number; failed: number }> {
  const stop = new AbortController()
  const seen = { acknowledged: 0, inFlight: 0, failed: 0 }
  const onExchange = ({ status }: Exchange) => {
    if (status === 200 || status === 201) seen.acknowledged++
    else seen.failed++
  }
  const writing = Promise.all(
    writers.map(async (writer) => {
      await writer.run(() => service.url, stop.signal, onExchange)
      // The last capture may have failed: it is sent again until it is answered.
      await writer.finish(service.url, onExchange)
    }),
  ).finally(() => stop.abort())
  writing.catch(() => {}) // awaited below
  const before = random.between(10, 60)
  await until('captures flow', 60_000, async () => stop.signal.aborted || seen.acknowledged >= before)
  service.freeze()
  seen.inFlight = writers.filter(({ inFlight }) => inFlight !== null).length
  await pause(frozenMs)
  const whileFrozen = seen.acknowledged
  service.thaw()
  await until(
    'captures flow again',
    60_000,
    async () => stop.signal.aborted || seen.acknowledged > whileFrozen + 10,
  )
  stop.abort()
  await writing
  return seen
}
