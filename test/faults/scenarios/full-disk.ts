import { rmSync } from 'node:fs'
import path from 'node:path'
import { Random } from '../harness/random.ts'
import { Reference } from '../harness/reference.ts'
import { holds, inScope, pause, type Scenario } from '../harness/scenario.ts'
import type { Exchange } from '../harness/send.ts'
import { isReady, startServiceProcess, untilReady } from '../harness/service-process.ts'
import { mountSmallDisk } from '../harness/small-disk.ts'
import { checkWorld } from '../harness/stored-worlds.ts'
import { Writer } from '../harness/writer.ts'
import { places } from './kill-service.ts'

const WORLDS = 3
const ENDS = ['room is made', 'stopped', 'killed'] as const

/**
 * Fills the disk during captures, then makes room, stops the service or kills it: acknowledged means stored.
 */
export const fullDisk: Scenario = ({ rounds, seed, log }) =>
  inScope(async (later) => {
    const random = new Random(seed)
    const disk = await mountSmallDisk('8m')
    later(() => disk.remove())
    const figures = { rounds, acknowledged: 0, refused: 0, landed: 0, absent: 0 }
    for (let round = 1; round <= rounds; round++) {
      const reference = await Reference.open()
      const dataFolder = path.join(disk.folder, `data-${round}`)
      let service = await startServiceProcess({ dataFolder })
      try {
        await untilReady(service)
        const writers = places(`full-${round}`)
          .slice(0, WORLDS)
          .map((place) => new Writer(place, random))
        const stop = new AbortController()
        const fillAfter = random.between(1, 40)
        let acknowledged = 0
        let refused = 0
        let ending = false
        let isFilled = false
        const onExchange = (seen: Exchange) => {
          if (seen.status === 200 || seen.status === 201) acknowledged++
          else if (seen.status === 503) refused++
          else
            holds(
              ending && seen.status === 0,
              'a full disk is a 503, and only the end of the service ends a capture',
              seen,
            )
          if (acknowledged < fillAfter || isFilled) return
          isFilled = true
          disk.fill()
        }
        const writing = Promise.all(
          writers.map((writer) => writer.run(() => service.url, stop.signal, onExchange)),
        )
        while (refused < 10) await pause(5)
        const end = ENDS[random.between(0, ENDS.length - 1)] ?? 'killed'
        if (end === 'room is made') {
          disk.makeRoom()
          await untilReady(service)
          const before = acknowledged
          while (acknowledged < before + 10) await pause(5)
          stop.abort()
        } else {
          ending = true
          stop.abort()
          if (end === 'stopped')
            holds((await service.stop()) === 0, 'a stop on a full disk is normal', service.output())
          else await service.kill()
          disk.makeRoom()
        }
        await writing
        if (ending) service = await startServiceProcess({ dataFolder })
        await untilReady(service)
        holds(await isReady(service), 'the service is ready when there is room')
        for (const writer of writers) {
          const { landed, absent } = await checkWorld(service.client, writer, reference, random)
          figures.landed += landed
          figures.absent += absent
        }
        figures.acknowledged += acknowledged
        figures.refused += refused
        log(`round ${round}: ${end}, ${acknowledged} acknowledged, ${refused} refused`)
      } finally {
        await service.kill()
        await reference.close()
        disk.makeRoom()
        rmSync(dataFolder, { recursive: true, force: true })
      }
    }
    return figures
  })
