import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import { graphStore } from '../../src/transcripts/graph-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { TranscriptWatch } from '../../src/transcripts/transcript-watch.ts'
import { useGraph } from '../contract/store.ts'
import { describeCorpus } from '../support/corpus.ts'
import { memory } from '../support/engines.ts'
import { exportOf } from '../support/exported.ts'
import { PROJECT } from '../support/records.ts'
import { watchedFolder } from '../support/watched.ts'

const root = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))
/** Maximum size of a file. Longer files would take most of the time of the test. */
const MAX_BYTES = 600_000
/** Number of parts of a file. Most of them end within a line. */
const PARTS = 3

type Part = { name: string; bytes: Buffer }

/** Cuts each file into parts, by name. */
function readParts(): Part[][] {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl|meta\.json)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    // Synthetic files use one turn id in several sessions, and the session that is read first keeps the turn.
    .filter((name) => !name.startsWith('_synthetic'))
    .sort()
  return names.flatMap((name) => {
    const bytes = readFileSync(path.join(root, name))
    if (bytes.length > MAX_BYTES) return []
    const size = Math.ceil(bytes.length / PARTS)
    return [
      Array.from({ length: PARTS }, (_, i) => ({ name, bytes: bytes.subarray(i * size, (i + 1) * size) })),
    ]
  })
}

/**
 * Returns the lines of an export without the trailer. The hash of a file's end covers the bytes that were read at
 * once, 4 KiB at most, so it depends on the parts.
 */
const recordsOf = async (graph: Graph): Promise<string[]> =>
  (await exportOf(graph)).slice(0, -1).map((line) => line.replace(/"tail":"\d+:[0-9a-f]{64}"/, '"tail":"…"'))

const ORDERS: Record<string, (files: Part[][]) => Part[]> = {
  'one by one': (files) => files.flat(),
  'in reversed order': (files) => files.toReversed().flat(),
  'side by side': (files) =>
    Array.from({ length: PARTS }, (_, i) => files.flatMap((parts) => parts[i] ?? [])).flat(),
}

describeCorpus('turngraph watch, over real transcripts that are written slowly', () => {
  const handles = useGraph(memory)

  test.each(Object.keys(ORDERS))(
    'the export of transcripts that are written %s equals that of one import of the final folder',
    { timeout: 600_000 },
    async (order) => {
      const copy = watchedFolder()
      const watch = new TranscriptWatch([copy], PROJECT)
      const parts = ORDERS[order]?.(readParts()) ?? []
      const size = Math.ceil(parts.length / 40)
      let looks = 0
      for (let at = 0; at < parts.length; at += size) {
        for (const { name, bytes } of parts.slice(at, at + size)) {
          mkdirSync(path.dirname(path.join(copy, name)), { recursive: true })
          appendFileSync(path.join(copy, name), bytes)
        }
        if ((await watch.look(graphStore(handles.graph, 5))) !== null) looks++
      }
      expect(looks).toBeGreaterThan(20)
      const other = await handles.open(() => memory.open())
      await importFiles(graphStore(other, 5), [copy], { project: PROJECT })
      const [watched, imported] = [await recordsOf(handles.graph), await recordsOf(other)]
      await other.close()
      expect(watched).toEqual(imported)
    },
  )
})
