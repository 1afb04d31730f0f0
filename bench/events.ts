/** Measures captures beside readers of events, against captures alone, and how long an event is on its way. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { httpClient } from '../src/client/http.ts'
import { startServiceProcess, untilReady } from '../test/faults/harness/service-process.ts'
import { turnOf } from './fill.ts'
import { latencyOf, sampler } from './latency.ts'

export type EventsBench = { store: string | null; samples: number; readers: number; out: string }

const TURNS_A_ROUND = 20
/** Orchestrators capture minutes apart: the writer pauses, so that readers have their time. */
const WRITER_PAUSE_MS = 20
/** An event is told within this, or never. */
const TOLD_WITHIN_MS = 2_000

export async function benchEvents({ store, samples, readers, out }: EventsBench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const project = `bench-events-${Date.now()}`
  const environment = {
    TURNGRAPH_PROJECT: project,
    TURNGRAPH_MAX_CONNECTIONS: String(4 * readers + 100),
    ...(store === null ? {} : { TURNGRAPH_STORE: store }),
  }
  const services = [
    await startServiceProcess({ dataFolder: path.join(folder, 'one'), environment }),
    // The embedded graph is one process's.
    ...(store === null
      ? []
      : [await startServiceProcess({ dataFolder: path.join(folder, 'other'), environment })]),
  ]
  for (const service of services) await untilReady(service)
  const [{ url }, other] = services as [(typeof services)[0], (typeof services)[0] | undefined]
  const client = httpClient({ url, project })
  const forms = [
    { name: 'alone', at: null },
    { name: `beside ${readers} readers`, at: url },
    ...(other === undefined ? [] : [{ name: `beside ${readers} readers of another replica`, at: other.url }]),
  ]
  try {
    const { sample, figures } = sampler()
    const lags = new Map<string, number[]>()
    for (let round = 0; round * TURNS_A_ROUND < samples; round++) {
      for (const [i, { name, at }] of forms.entries()) {
        const world = `${i}-${round}`
        const reading = at === null ? null : await startReaders(at, readers)
        const stored = new Map<string, number>()
        for (let turn = 1; turn <= TURNS_A_ROUND; turn++) {
          const record = turnOf(world, turn)
          await sample(`capture ${name}`, () => client.captureTurnState(record))
          stored.set(`${record.worldSlug} ${turn}`, performance.timeOrigin + performance.now())
          await pause(WRITER_PAUSE_MS)
        }
        if (reading === null) continue
        await pause(TOLD_WITHIN_MS)
        const took = (await reading.end()).flatMap(([id, when]) => {
          const from = stored.get(id)
          return from === undefined ? [] : [Math.max(0, when - from)]
        })
        lags.set(name, [...(lags.get(name) ?? []), ...took])
      }
    }
    const measured = figures()
    const alone = measured['capture alone']?.p50 ?? Number.NaN
    for (const [name, { p50, p95 }] of Object.entries(measured))
      console.log(
        `${name}: p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, ${(p50 / alone).toFixed(2)} x alone`,
      )
    const told = Object.fromEntries([...lags].map(([name, took]) => [name, latencyOf(took)]))
    for (const [name, { p50, p95, n }] of Object.entries(told))
      console.log(
        `from an answer to an event, ${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${n} events`,
      )
    mkdirSync(path.dirname(out), { recursive: true })
    writeFileSync(out, `${JSON.stringify({ readers, figures: measured, told }, null, 2)}\n`)
  } finally {
    for (const service of services) await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
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
