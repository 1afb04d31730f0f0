/** Writes imported transcripts into a graph of this process. */
import type { Graph } from '../graph/port.ts'
import { TranscriptBatch } from './batch.ts'
import { refreshDesires } from './desires.ts'
import { importTranscript } from './import.ts'
import type { TranscriptStore } from './import-files.ts'
import { type KnownProgress, readProgress, transcriptContents } from './progress.ts'

/**
 * Transcripts go into a graph of this very process: those of small files share transactions.
 *
 * @param turnLengthThreshold turns with more calls are long
 */
export function graphStore(graph: Graph, turnLengthThreshold: number): TranscriptStore<KnownProgress> {
  const batch = new TranscriptBatch(graph)
  return {
    bytesAtOnce: Number.POSITIVE_INFINITY,
    progress: (sources) => readProgress(graph, sources),
    write: (source, { known, offset, chunks }) =>
      importTranscript(graph, source, offset, chunks, { known, batch }),
    flush: async () => {
      await batch.flush()
      return batch.refused()
    },
    done: (project) => refreshDesires(graph, project, turnLengthThreshold),
    contents: (sources) => transcriptContents(graph, sources),
  }
}
