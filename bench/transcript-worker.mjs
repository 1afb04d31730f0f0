/**
 * Runs one measurement in a separate process, to measure its memory. Uses the built code, as users do:
 * running TypeScript directly takes 40 MB more. Arguments: measurement, list of files, folder, store.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { limitHeapGrowth } from '../dist/cli/limit-heap.js'
import { migrate } from '../dist/graph/migrations.js'
import { openGraph } from '../dist/graph/open.js'
import { loadConfig } from '../dist/platform/config.js'
import { readChunks } from '../dist/transcripts/files.js'
import { graphStore } from '../dist/transcripts/graph-store.js'
import { importFiles } from '../dist/transcripts/import-files.js'
import { parseFileName, Transcript } from '../dist/transcripts/transcript.js'

const [what = '', list = '', folder = '', store = ''] = process.argv.slice(2)
const files = readFileSync(list, 'utf8').split('\n')

/** @type {Record<string, () => Promise<number>>} */
const ways = {
  baseline: async () => {
    let records = 0
    for (const file of files) {
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        try {
          if (line !== '') JSON.parse(line)
          records++
        } catch {} // some lines are malformed: the other measurements count them
      }
    }
    return records
  },
  read: async () => {
    let steps = 0
    for (const file of files) {
      const transcript = new Transcript(parseFileName(file), {
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
    limitHeapGrowth() // the command has the same limit
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
process.send?.({ seconds, steps, maxRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6 })
