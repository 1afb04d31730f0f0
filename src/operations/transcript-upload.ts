// Declares the upload of a transcript. Its body is the transcript instead of JSON, and its fields are in the path and the query.
import * as z from 'zod'
import { name, project, text } from '../core/fields.ts'
import type { Graph } from '../graph/port.ts'
import { refreshDesires } from '../transcripts/desires.ts'
import { importTranscript } from '../transcripts/import.ts'
import { contentsOfTranscripts, transcriptContents } from '../transcripts/progress.ts'
import { readingFigures } from '../transcripts/reading-counts.ts'
import { transcriptOffset } from './transcripts.ts'

export const UPLOAD_PATH = '/v1/transcripts/{session_id}'
export const UPLOAD_SUMMARY = 'Import a transcript: the body is the JSONL itself, from a byte on'

export const transcriptUpload = z.strictObject({
  project,
  sessionId: name.describe('`{session}`, or `{session}/{agent}` for the transcript of a subagent'),
  offset: transcriptOffset
    .default(0)
    .describe('where the body begins: what GET …/progress says, or 0 for all of it anew'),
  more: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((given) => given === 'true')])
    .default(false)
    .describe('true: more transcripts follow, and POST /v1/desires/refresh at the end'),
  path: text.nullish().describe('the file, where one is read: two files may hold one session'),
  inode: transcriptOffset.nullish(),
  parentStepId: name.nullish().describe('the call that started the agent, where it is known'),
})

export type TranscriptUpload = z.input<typeof transcriptUpload>

export const transcriptUploaded = contentsOfTranscripts.extend({
  offset: z.number().describe('from where to send next'),
  bytes: z.number().describe('newly read; an unfinished last line is not'),
  ...readingFigures.shape,
  skippedThreads: z.number().describe('subagents that only warmed up'),
})

export type TranscriptUploaded = z.output<typeof transcriptUploaded>

/** Imports a transcript, and returns the state of the import in the graph. */
export async function uploadTranscript(
  graph: Graph,
  { offset, more, ...source }: z.output<typeof transcriptUpload> & { project: string },
  chunks: AsyncIterable<Buffer>,
  turnLengthThreshold: number,
): Promise<TranscriptUploaded> {
  const read = await importTranscript(graph, source, offset, chunks)
  if (!more) await refreshDesires(graph, source.project, turnLengthThreshold)
  return { ...read, ...(await transcriptContents(graph, [source])) }
}
