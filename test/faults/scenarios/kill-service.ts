import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { EmbeddedGraph } from '../../../src/graph/embedded.ts'
import { checkGraphShape } from '../harness/graph-shape.ts'
import type { Place } from '../harness/planned-turn.ts'
import { Random } from '../harness/random.ts'
import { Reference } from '../harness/reference.ts'
import { holds, inScope, type Scenario } from '../harness/scenario.ts'
import type { Exchange } from '../harness/send.ts'
import {
  folderOfScenario,
  type ServiceProcess,
  startServiceProcess,
  untilReady,
} from '../harness/service-process.ts'
import { checkHistories, checkWorld } from '../harness/stored-worlds.ts'
import { Writer } from '../harness/writer.ts'

const WORLDS = 8

/** Eight worlds, each with its own task; half of them are the default world of their task. */
export const places = (project: string): Place[] =>
  Array.from({ length: WORLDS }, (_, i) => ({
    project,
    featureId: `FEAT-${i % 2}`,
    taskId: `TASK-${i}`,
    worldSlug: i % 2 === 0 ? `session-${i}~%CE%B1` : null,
  }))

/** Kills the service on the embedded graph with -9 during captures: acknowledged means stored. */
export const killService: Scenario = ({ rounds, seed, log }) =>
  inScope(async (later) => {
    const random = new Random(seed)
    const folder = folderOfScenario(later)
    const reference = await Reference.open()
    later(() => reference.close())
    const writers = places('killed').map((place) => new Writer(place, random))
    const figures = { rounds, acknowledged: 0, landed: 0, absent: 0, superseded: 0, parts: 0 }
    let service = await startServiceProcess({ dataFolder: folder })
    later(() => service.kill())
    for (let round = 1; round <= rounds; round++) {
      await untilReady(service)
      figures.acknowledged += await captureUntilKilled(service, writers, random)
      const shape = await shapeAfterCrash(folder)
      service = await startServiceProcess({ dataFolder: folder })
      await untilReady(service)
      const before = writers.reduce((sum, { stored }) => sum + stored.length, 0)
      for (const writer of writers) {
        const { landed, absent } = await checkWorld(service.client, writer, reference, random)
        figures.landed += landed
        figures.absent += absent
      }
      const stored = writers.reduce((sum, writer) => sum + writer.stored.length, 0)
      holds(shape.turns + shape.superseded === stored, 'only sent records are stored', {
        shape,
        stored,
      })
      figures.parts = shape.parts
      log(`round ${round}: ${stored} records, ${stored - before} of them unacknowledged and whole`)
    }
    for (const writer of writers) figures.superseded += await checkHistories(service.client, writer)
    return figures
  })

/** Returns the number of captures acknowledged before the kill. */
async function captureUntilKilled(
  service: ServiceProcess,
  writers: readonly Writer[],
  random: Random,
): Promise<number> {
  const stop = new AbortController()
  const killAfter = random.between(20, 150)
  let acknowledged = 0
  let killing: Promise<void> | undefined
  const onExchange = (seen: Exchange) => {
    if (seen.status === 200 || seen.status === 201) acknowledged++
    else holds(killing !== undefined && seen.status === 0, 'only the kill ends a capture', seen)
    if (acknowledged < killAfter || killing !== undefined) return
    killing = service.kill()
    stop.abort()
  }
  await Promise.all(writers.map((writer) => writer.run(() => service.url, stop.signal, onExchange)))
  await killing
  return acknowledged
}

/** Opens a copy, so that the service itself recovers the folder. */
async function shapeAfterCrash(folder: string): Promise<Awaited<ReturnType<typeof checkGraphShape>>> {
  const copy = path.join(folder, 'copy')
  for (const file of ['graph.db', 'graph.db.wal']) {
    cpSync(path.join(folder, file), path.join(copy, file), { recursive: true })
  }
  const graph = EmbeddedGraph.open({ folder: copy, sync: false })
  try {
    return await checkGraphShape(graph)
  } finally {
    await graph.close()
    rmSync(copy, { recursive: true, force: true })
  }
}
