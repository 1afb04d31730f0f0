/**
 * Measures an export and a restore: turns per second and peak memory. Exports generated turns from an embedded
 * graph, restores them into a store without these turns, and then restores them again. Each step runs
 * in a separate process, so that its memory is measured without that of the others.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inProcessClient } from '../src/client/in-process.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import { inFolder, writeFigures } from './bench-folder.ts'
import { fillTo } from './fill.ts'
import type { Measurement } from './restore-worker.ts'

type RestoreBench = { store: string | null; turns: number; out: string }

const PROJECT = `bench-restore-${Date.now()}`
const WORKER = fileURLToPath(new URL('./restore-worker.ts', import.meta.url))

/** @param store setting of the store to restore into; null for a new embedded graph */
export const benchRestore = ({ store, turns, out }: RestoreBench): Promise<void> =>
  inFolder(async (folder) => {
    const source = path.join(folder, 'source')
    // Not synchronized to disk, because the source is only read and then deleted.
    const graph = await openGraph({ kind: 'embedded', folder: source, sync: false })
    await migrate(graph)
    const client = inProcessClient({ graph, project: PROJECT })
    await fillTo(client, { worlds: 0, turns: 0 }, turns)
    await client.close()
    const file = path.join(folder, 'export.jsonl')
    const target = store ?? `embedded:${path.join(folder, 'target')}`
    const figures = {
      export: await runWorker('export', file, `embedded:${source}`),
      restore: await runWorker('restore', file, target),
      'restore again': await runWorker('restore', file, target),
    }
    const mb = Math.round(statSync(file).size / 1024 / 1024)
    console.log(`${turns} turns, ${mb} MB, into ${store ?? 'an embedded graph'}`)
    for (const [step, { seconds, turns: counted, maxRssMb }] of Object.entries(figures))
      console.log(`  ${step.padEnd(14)} ${Math.round(counted / seconds)} turns/s, at most ${maxRssMb} MB`)
    writeFigures(out, { store: target.split(':')[0], turns, mb, ...figures })
  })

/** Runs one step in a separate process, and returns what the process measured. */
async function runWorker(operation: 'export' | 'restore', file: string, store: string): Promise<Measurement> {
  const child = fork(WORKER, [operation, file, store, PROJECT], { execArgv: process.execArgv })
  const [measured] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${operation} ended with ${code}`))),
  ])) as [Measurement]
  return measured
}
