import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { TurngraphError } from '../../../src/core/errors.ts'
import { Random } from '../harness/random.ts'
import { Reference } from '../harness/reference.ts'
import { holds, type Scenario, until } from '../harness/scenario.ts'
import { type Exchange, exchange } from '../harness/send.ts'
import { startServiceProcess, temporaryFolder, untilReady } from '../harness/service-process.ts'
import { checkWorld } from '../harness/stored-worlds.ts'
import { Writer } from '../harness/writer.ts'
import { places } from './kill-service.ts'

const WORLDS = 3
const SAID = /has lost up to \d+ acknowledged writes|cannot be opened: |is damaged|damaged at byte/

/**
 * Removes a byte, the end or the whole of a graph file between two starts: no acknowledged write is lost
 * silently.
 */
export const damagedStore: Scenario = async ({ rounds, seed, log }) => {
  const random = new Random(seed)
  const figures = { rounds, acknowledged: 0, whole: 0, said: 0 }
  for (let round = 1; round <= rounds; round++) {
    const { folder, remove } = temporaryFolder()
    const reference = await Reference.open()
    try {
      const writers = places(`damaged-${round}`)
        .slice(0, WORLDS)
        .map((place) => new Writer(place, random))
      figures.acknowledged += await captureAndEnd(folder, writers, random)
      const damage = damageOneFile(folder, random)
      const said = await openAndCheck(folder, writers, reference, random)
      if (said === null) figures.whole++
      else figures.said++
      log(`round ${round}: ${damage}: ${said ?? 'whole'}`)
    } finally {
      await reference.close()
      remove()
    }
  }
  return figures
}

/** Returns the number of captures acknowledged before the end, which is normal or a kill. */
async function captureAndEnd(
  dataFolder: string,
  writers: readonly Writer[],
  random: Random,
): Promise<number> {
  const service = await startServiceProcess({ dataFolder })
  await untilReady(service)
  const stop = new AbortController()
  const endAfter = random.between(5, 60)
  const end = random.fraction() < 0.3 ? service.stop : service.kill
  let acknowledged = 0
  let ending: Promise<unknown> | null = null
  const onExchange = (seen: Exchange) => {
    if (seen.status === 200 || seen.status === 201) acknowledged++
    else
      holds(
        ending !== null && [0, 503].includes(seen.status),
        'only the end of the service ends a capture',
        seen,
      )
    if (acknowledged < endAfter || ending !== null) return
    ending = end()
    stop.abort()
  }
  await Promise.all(writers.map((writer) => writer.run(() => service.url, stop.signal, onExchange)))
  await ending
  return acknowledged
}

function damageOneFile(folder: string, random: Random): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith('graph.db') && statSync(path.join(folder, name)).isFile())
    .sort()
  // Damages mostly the log, which is the newest file, and sometimes the marks of acknowledged commits.
  const chosen = ['graph.acknowledged', ...files, ...Array(4).fill(files.at(-1))]
  const name: string = chosen[random.between(0, chosen.length - 1)]
  const file = path.join(folder, name)
  const { size } = statSync(file)
  const how = random.between(0, 9)
  if (how === 0) {
    rmSync(file)
    return `${name} removed`
  }
  // Damages the end more often than other places, because the engine does not report damage there.
  const at =
    size - 1 - random.between(0, Math.max(0, random.fraction() < 0.5 ? Math.min(size, 400) - 1 : size - 1))
  if (how < 5) truncateSync(file, at)
  else {
    const bytes = readFileSync(file)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7))
    writeFileSync(file, bytes)
  }
  return `${name} ${how < 5 ? 'cut off' : 'changed'} at ${at} of ${size}`
}

/**
 * Returns the service's report of the damage, at its start or in an answer, or null if all acknowledged
 * writes exist.
 */
async function openAndCheck(
  dataFolder: string,
  writers: readonly Writer[],
  reference: Reference,
  random: Random,
): Promise<string | null> {
  let service: Awaited<ReturnType<typeof startServiceProcess>>
  try {
    service = await startServiceProcess({ dataFolder })
  } catch (error) {
    return saidIn(String(error))
  }
  try {
    const answer = await until('it answers whether it is ready', 60_000, async () => {
      const seen = await exchange(`${service.url}/readyz`)
      const isBeingPrepared =
        seen.status === 503 && seen.body.error.message === 'The graph is being prepared.'
      return !isBeingPrepared && seen
    })
    if (answer.status !== 200) return saidIn(JSON.stringify(answer.body))
    for (const writer of writers) await checkWorld(service.client, writer, reference, random)
    return null
  } catch (error) {
    if (!(error instanceof TurngraphError)) throw error
    return saidIn(`${error.message}\n${service.output()}`)
  } finally {
    await service.kill()
  }
}

function saidIn(text: string): string {
  const said = SAID.exec(text)?.[0]
  holds(said !== undefined, 'damage is reported with its cause', text)
  return said
}
