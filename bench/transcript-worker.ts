import { readFileSync } from 'node:fs'
import path from 'node:path'
import { loadConfig } from '../src/config.ts'
import { migrate } from '../src/graph/migrations.ts'
import { openGraph } from '../src/graph/open.ts'
import { readChunks } from '../src/transcripts/files.ts'
import { graphStore } from '../src/transcripts/graph-store.ts'
import { importFiles } from '../src/transcripts/import-files.ts'
import { nameOf, Transcript } from '../src/transcripts/transcript.ts'

/** One measurement in a process of its own, so that its memory is its own. Arguments: what, folder or list, store. */

export type Measured = { seconds: number; steps: number; maxRssMb: number }

const [what = '', list = '', folder = '', store = ''] = process.argv.slice(2)
const files = readFileSync(list, 'utf8').split('\n')

const ways: Record<string, () => Promise<number>> = {
  baseline: async () => {
    let records = 0
    for (const file of files) {
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        try {
          if (line !== '') JSON.parse(line)
          records++
        } catch {} // some are bad: that is what the others count
      }
    }
    return records
  },
  read: async () => {
    let steps = 0
    for (const file of files) {
      const transcript = new Transcript(nameOf(file), {
        onTurn: (_thread, turn) => {
          steps += turn.length
        },
      })
      for await (const chunk of readChunks(file, 0, Number.POSITIVE_INFINITY)) transcript.push(chunk)
      transcript.end()
      for (const { open } of transcript.sessions()) steps += open?.length ?? 0
    }
    return steps
  },
  import: async () => {
    const config = loadConfig({
      TURNGRAPH_DATA: path.join(folder, `graph-${process.pid}`),
      ...(store === '' ? {} : { TURNGRAPH_STORE: store }),
    })
    const graph = await openGraph(config.store)
    try {
      await migrate(graph)
      const project = `bench-${Date.now()}`
      const { steps } = await importFiles(graphStore(graph, 5), files, { project })
      return steps
    } finally {
      await graph.close()
    }
  },
}

const began = performance.now()
const steps = (await ways[what]?.()) ?? 0
const seconds = (performance.now() - began) / 1000
process.send?.({ seconds, steps, maxRssMb: process.resourceUsage().maxRSS / 1024 } satisfies Measured)
