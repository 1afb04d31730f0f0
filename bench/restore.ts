/**
 * Exports made-up turns from an embedded graph and restores them into a store, then restores them again when
 * all of them exist. Each step runs in a separate process. Measures turns per second and peak memory.
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
import type { Moved } from './restore-worker.ts'

type RestoreBench = { store: string | null; turns: number; out: string }

const PROJECT = `bench-restore-${Date.now()}`
const WORKER = fileURLToPath(new URL('./restore-worker.ts', import.meta.url))

export const benchRestore = ({ store, turns, out }: RestoreBench): Promise<void> =>
  inFolder(async (folder) => {
    const source = path.join(folder, 'source')
    const graph = await openGraph({ kind: 'embedded', folder: source, sync: false })
    await migrate(graph)
    const client = inProcessClient({ graph, project: PROJECT })
    await fillTo(client, { worlds: 0, turns: 0 }, turns)
    await client.close()
    const file = path.join(folder, 'export.jsonl')
    const into = store ?? `embedded:${path.join(folder, 'target')}`
    const figures = {
      export: await moved('export', file, `embedded:${source}`),
      restore: await moved('restore', file, into),
      'restore again': await moved('restore', file, into),
    }
    const mb = Math.round(statSync(file).size / 1024 / 1024)
    console.log(`${turns} turns, ${mb} MB, into ${store ?? 'an embedded graph'}`)
    for (const [what, { seconds, turns: counted, maxRssMb }] of Object.entries(figures))
      console.log(`  ${what.padEnd(14)} ${Math.round(counted / seconds)} turns/s, at most ${maxRssMb} MB`)
    writeFigures(out, { store: into.split(':')[0], turns, mb, ...figures })
  })

async function moved(what: 'export' | 'restore', file: string, store: string): Promise<Moved> {
  const child = fork(WORKER, [what, file, store, PROJECT], { execArgv: process.execArgv })
  const [measured] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${what} ended with ${code}`))),
  ])) as [Moved]
  return measured
}
