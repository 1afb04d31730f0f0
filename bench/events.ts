/** Measures captures during readers of events against captures without readers, and the delay of an event. */
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { TurngraphClient } from '../src/client/client.ts'
import { httpClient } from '../src/client/http.ts'
import { withService } from '../test/faults/harness/service-process.ts'
import { inFolder, storeSetting, writeFigures } from './bench-folder.ts'
import { turnOf } from './fill.ts'
import { latencyOf, printRatios, sampler } from './latency.ts'

type EventsBench = { store: string | null; samples: number; readers: number; out: string }

const TURNS_A_ROUND = 20
/**
 * Pause between two captures. Orchestrators capture minutes apart, so the writer leaves time for the readers.
 */
const WRITER_PAUSE_MS = 20
/** Time limit for an event: a later one counts as lost. */
const HEARD_WITHIN_MS = 2_000

export const benchEvents = (bench: EventsBench): Promise<void> =>
  inFolder(async (folder) => {
    const project = `bench-events-${Date.now()}`
    const environment = {
      TURNGRAPH_PROJECT: project,
      TURNGRAPH_MAX_CONNECTIONS: String(4 * bench.readers + 100),
      ...storeSetting(bench.store),
    }
    const replica = (name: string) => ({ dataFolder: path.join(folder, name), environment })
    const { readers } = bench
    await withService(replica('one'), async ({ url }) => {
      const client = httpClient({ url, project })
      const forms: Form[] = [
        { name: 'alone', at: null },
        { name: `beside ${readers} readers`, at: url },
      ]
      // Only one process can have the embedded graph.
      if (bench.store === null) return measure(bench, client, forms)
      await withService(replica('other'), (other) =>
        measure(bench, client, [
          ...forms,
          { name: `beside ${readers} readers of another replica`, at: other.url },
        ]),
      )
    })
  })

/** A form of the measurement: captures during readers at an address, or without readers (null). */
type Form = { name: string; at: string | null }

async function measure(
  { samples, readers, out }: EventsBench,
  client: TurngraphClient,
  forms: readonly Form[],
): Promise<void> {
  const { sample, figures } = sampler()
  const lags = new Map<string, number[]>()
  for (let round = 0; round * TURNS_A_ROUND < samples; round++) {
    for (const [i, { name, at }] of forms.entries()) {
      const reading = at === null ? null : await startReaders(at, readers)
      const stored = new Map<string, number>()
      for (let turn = 1; turn <= TURNS_A_ROUND; turn++) {
        const record = turnOf(`${i}-${round}`, turn)
        await sample(`capture ${name}`, () => client.captureTurnState(record))
        stored.set(`${record.worldSlug} ${turn}`, performance.timeOrigin + performance.now())
        await pause(WRITER_PAUSE_MS)
      }
      if (reading === null) continue
      await pause(HEARD_WITHIN_MS)
      const took = (await reading.end()).flatMap(([id, when]) => {
        const from = stored.get(id)
        return from === undefined ? [] : [Math.max(0, when - from)]
      })
      lags.set(name, [...(lags.get(name) ?? []), ...took])
    }
  }
  printRatios(figures(), 'capture alone')
  const delays = Object.fromEntries([...lags].map(([name, took]) => [name, latencyOf(took)]))
  for (const [name, { p50, p95, n }] of Object.entries(delays))
    console.log(
      `from an answer to an event, ${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${n} events`,
    )
  writeFigures(out, { readers, figures: figures(), delays })
}

async function startReaders(url: string, readers: number) {
  const worker = new Worker(new URL('./event-readers.mjs', import.meta.url), {
    workerData: { url: `${url}/v1/events`, readers },
  })
  await once(worker, 'message')
  return {
    end: async (): Promise<[id: string, at: number][]> => {
      worker.postMessage('end')
      const [heard] = await once(worker, 'message')
      await worker.terminate()
      return heard
    },
  }
}
