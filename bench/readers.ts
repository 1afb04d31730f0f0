/**
 * Measures captures during readers of the same world, against captures without readers and with readers of
 * another world.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { httpClient } from '../src/client/http.ts'
import { withService } from '../test/faults/harness/service-process.ts'
import { inFolder, storeSetting, writeFigures } from './bench-folder.ts'
import { fillTo, turnOf } from './fill.ts'
import { printRatios, sampler } from './latency.ts'

type ReadersBench = {
  store: string | null
  turns: number
  samples: number
  /**
   * Milliseconds between two contexts of a reader. 0: no reader waits, and the readers alone use the whole
   * machine.
   */
  pause: number
  out: string
}

const READERS = 8
const TURNS_A_ROUND = 10
/**
 * Pause between two captures. Orchestrators capture minutes apart, so the writer leaves time for the readers.
 */
const WRITER_PAUSE_MS = 20

export async function benchReaders(bench: ReadersBench): Promise<void> {
  const { store, turns, samples, pause: pauseMs, out } = bench
  const project = `bench-readers-${Date.now()}`
  const environment = { TURNGRAPH_PROJECT: project, ...storeSetting(store) }
  await inFolder((dataFolder) =>
    withService({ dataFolder, environment }, async ({ url }) => {
      const client = httpClient({ url, project })
      await fillTo(client, { worlds: 0, turns: 0 }, turns)
      const { sample, figures } = sampler()
      let contexts = 0
      const readUntil = async (over: AbortSignal, world: string, i: number): Promise<void> => {
        const request = {
          featureId: 'FEAT-BENCH',
          taskId: `TASK-${world}`,
          currentTurn: TURNS_A_ROUND + 1,
          role: i % 2 === 0 ? ('player' as const) : ('coach' as const),
        }
        await pause((i * pauseMs) / READERS)
        for (; !over.aborted; contexts++) {
          await client.loadTurnContinuationContext(request)
          await pause(pauseMs)
        }
      }
      for (let round = 0; round * TURNS_A_ROUND < samples; round++) {
        for (const form of ['alone', 'beside readers of another world', 'beside readers of the same world']) {
          const world = `${form.replaceAll(' ', '-')}-${round}`
          const read = form.endsWith('same world') ? world : 'w0'
          const over = new AbortController()
          const count = form === 'alone' ? 0 : READERS
          const readers = Array.from({ length: count }, (_, i) => readUntil(over.signal, read, i))
          for (let turn = 1; turn <= TURNS_A_ROUND; turn++) {
            const record = turnOf(world, turn)
            await sample(`capture ${form}`, () => client.captureTurnState(record))
            await pause(WRITER_PAUSE_MS)
          }
          over.abort()
          await Promise.all(readers)
        }
      }
      console.log(`${turns} turns, ${READERS} readers, ${pauseMs} ms between two contexts of each`)
      printRatios(figures(), 'capture alone')
      console.log(`${contexts} contexts were read meanwhile`)
      writeFigures(out, { turns, pauseMs, contexts, figures: figures() })
    }),
  )
}
