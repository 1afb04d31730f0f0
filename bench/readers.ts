/** Measures captures beside readers of the same world, against captures alone and beside readers of another world. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { httpClient } from '../src/client/http.ts'
import { startServiceProcess, untilReady } from '../test/faults/harness/service-process.ts'
import { fillTo, turnOf } from './fill.ts'
import { sampler } from './latency.ts'

export type ReadersBench = {
  store: string | null
  turns: number
  samples: number
  /** Milliseconds between two contexts of a reader. 0: none waits, and the readers alone fill the machine. */
  /** Milliseconds between two contexts of a reader. */
  pause: number
  out: string
}

const READERS = 8
const TURNS_A_ROUND = 10
/** Orchestrators capture minutes apart: the writer pauses as well, so that readers have their time. */
const WRITER_PAUSE_MS = 20

export async function benchReaders({
  store,
  turns,
  samples,
  pause: pauseMs,
  out,
}: ReadersBench): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turngraph-bench-'))
  const project = `bench-readers-${Date.now()}`
  const service = await startServiceProcess({
    dataFolder: folder,
    environment: {
      TURNGRAPH_AUTH: 'off',
      TURNGRAPH_LOG: 'warn',
      TURNGRAPH_PROJECT: project,
      ...(store === null ? {} : { TURNGRAPH_STORE: store }),
    },
  })
  await untilReady(service)
  const client = httpClient({ url: service.url, project })
  try {
    await fillTo(client, { worlds: 0, turns: 0 }, turns)
    const { sample, figures } = sampler()
    let contexts = 0
    for (let round = 0; round * TURNS_A_ROUND < samples; round++) {
      for (const form of ['alone', 'beside readers of another world', 'beside readers of the same world']) {
        const world = `${form.replaceAll(' ', '-')}-${round}`
        const read = form === 'alone' ? null : form.endsWith('same world') ? world : 'w0'
        const over = new AbortController()
        const readers = Array.from({ length: read === null ? 0 : READERS }, async (_, i) => {
          await pause((i * pauseMs) / READERS)
          for (; !over.signal.aborted; contexts++) {
            await client.loadTurnContinuationContext({
              featureId: 'FEAT-BENCH',
              taskId: `TASK-${read}`,
              currentTurn: TURNS_A_ROUND + 1,
              role: i % 2 === 0 ? 'player' : 'coach',
            })
            await pause(pauseMs)
          }
        })
        for (let turn = 1; turn <= TURNS_A_ROUND; turn++) {
          const record = turnOf(world, turn)
          await sample(`capture ${form}`, () => client.captureTurnState(record))
          await pause(WRITER_PAUSE_MS)
        }
        over.abort()
        await Promise.all(readers)
      }
    }
    const measured = figures()
    const alone = measured['capture alone']?.p50 ?? Number.NaN
    console.log(`${turns} turns, ${READERS} readers, ${pauseMs} ms between two contexts of each`)
    for (const [name, { p50, p95 }] of Object.entries(measured)) {
      console.log(
        `${name}: p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, ${(p50 / alone).toFixed(2)} x alone`,
      )
    }
    console.log(`${contexts} contexts were read meanwhile`)
    mkdirSync(path.dirname(out), { recursive: true })
    writeFileSync(out, `${JSON.stringify({ turns, pauseMs, contexts, figures: measured }, null, 2)}\n`)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
