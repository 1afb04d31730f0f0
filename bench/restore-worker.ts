/**
 * Runs an export or a restore in a separate process, to measure its memory. Arguments: operation, file, store,
 * project.
 */
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { inProcessClient } from '../src/client/in-process.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import { exportLines } from '../src/maintenance/export/export-lines.ts'
import { restoreFile } from '../src/maintenance/restore/restore-file.ts'
import { loadConfig } from '../src/platform/config.ts'
import { watchMemory } from './peak-memory.ts'

export type Measurement = { seconds: number; lines: number; turns: number; maxRssMb: number }

const [operation = '', file = '', store = '', project = ''] = process.argv.slice(2)
const { store: storeConfig } = loadConfig({ ...process.env, TURNGRAPH_STORE: store })
const graph = await openGraph(storeConfig)
await migrate(graph)
const client = inProcessClient({ graph, project })
const readPeakMb = watchMemory()
const startedAt = performance.now()
let lines = 0
let turns = 0
if (operation === 'export') {
  const out = createWriteStream(file)
  for await (const line of exportLines((cursor) => client.exportPage({ cursor }))) {
    lines++
    if (line.startsWith('{"kind":"turn"')) turns++
    if (!out.write(`${line}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
} else {
  const { lines: read, records } = await restoreFile(client, createReadStream(file))
  lines = read
  turns = (records.turn?.created ?? 0) + (records.turn?.existing ?? 0)
}
const seconds = (performance.now() - startedAt) / 1000
await client.close()
process.send?.({ seconds, lines, turns, maxRssMb: readPeakMb() } satisfies Measurement)
