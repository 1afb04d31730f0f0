/** Writes imported transcripts into a graph of this process. Small files share transactions. */
import { scanNames } from '../core/keys.ts'
import type { Graph } from '../graph/port.ts'
import { TranscriptBatch } from './batch.ts'
import { refreshDesires } from './desires.ts'
import { importTranscript } from './import.ts'
import type { TranscriptStore } from './import-files.ts'
import { NOTHING_READ, readProgress, transcriptContents } from './progress.ts'

/** @param turnLengthThreshold turns with more calls are long */
export function graphStore(graph: Graph, turnLengthThreshold: number): TranscriptStore {
  const batch = new TranscriptBatch(graph)
  return {
    bytesAtOnce: Number.POSITIVE_INFINITY,
    open: async (sources) => {
      scanNames(sources.flatMap(({ sessionId, path = null }) => [sessionId, path ?? '']))
      const progress = await readProgress(graph, sources)
      return sources.map((source, i) => {
        const known = progress[i] ?? NOTHING_READ
        return {
          ...known,
          write: (offset, chunks) => importTranscript(graph, source, offset, chunks, { known, batch }),
        }
      })
    },
    flush: async () => {
      await batch.flush()
      return batch.refused()
    },
    done: (project) => refreshDesires(graph, project, turnLengthThreshold),
    contents: (sources) => transcriptContents(graph, sources),
  }
}
