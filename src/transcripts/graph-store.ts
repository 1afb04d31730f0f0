import type { Graph } from '../graph/port.ts'
import { refreshDesires } from './desires.ts'
import { importTranscript, transcriptContents, transcriptProgress } from './import.ts'
import type { TranscriptStore } from './import-files.ts'

/**
 * Transcripts go into a graph of this very process.
 *
 * @param turnLengthThreshold turns with more calls are long
 */
export const graphStore = (graph: Graph, turnLengthThreshold: number): TranscriptStore => ({
  progress: (source) => transcriptProgress(graph, source),
  write: (source, offset, chunks) => importTranscript(graph, source, offset, chunks),
  done: (project) => refreshDesires(graph, project, turnLengthThreshold),
  contents: (sources) => transcriptContents(graph, sources),
})
