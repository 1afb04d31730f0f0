import type { Graph } from '../graph/port.ts'
import { type ImportOptions, importTranscript, transcriptContents, transcriptProgress } from './import.ts'
import type { TranscriptStore } from './import-files.ts'

/** Transcripts go into a graph of this very process. */
export const graphStore = (graph: Graph, options: ImportOptions): TranscriptStore => ({
  progress: (source) => transcriptProgress(graph, source),
  write: (source, offset, chunks) => importTranscript(graph, source, offset, chunks, options),
  contents: (sources) => transcriptContents(graph, sources),
})
