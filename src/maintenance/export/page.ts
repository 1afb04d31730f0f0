import * as z from 'zod'
import type { Graph } from '../../graph/port.ts'
import { projectAfter } from './listing.ts'
import { type ExportRecord, FORMAT, type Header, VERSION } from './records.ts'
import { tellTranscripts, transcriptPosition } from './transcripts.ts'
import { tellWork, workPosition } from './work.ts'

/** An export, page by page: each goes on where the one before ended, so nothing is kept in between. */

export const exportPosition = z.strictObject({
  project: z.string(),
  work: workPosition.optional(),
  transcripts: transcriptPosition.optional(),
})
export type ExportPosition = z.output<typeof exportPosition>

type Told = { record: ExportRecord; at: ExportPosition }

export type Exported = { project: string | null; since: string | null }

/** A page ends with the record that makes it larger. */
const BYTES_A_PAGE = 2 * 1024 * 1024

/**
 * Some lines of an export, the first page with its header, and where the next page begins: null after the last one.
 *
 * @param exported a project's records, or those of all
 */
export async function exportPage(
  graph: Graph,
  exported: Exported,
  from: ExportPosition | null,
  limit: number,
): Promise<{ lines: string[]; next: ExportPosition | null }> {
  const lines = from === null ? [JSON.stringify(headerOf(exported))] : []
  let bytes = 0
  for await (const { record, at } of tell(graph, exported, from)) {
    const line = JSON.stringify(record)
    lines.push(line)
    bytes += Buffer.byteLength(line)
    if (lines.length >= limit || bytes >= BYTES_A_PAGE) return { lines, next: at }
  }
  return { lines, next: null }
}

const headerOf = ({ project, since }: Exported): Header => ({
  format: FORMAT,
  version: VERSION,
  project,
  since,
})

async function* tell(
  graph: Graph,
  { project, since }: Exported,
  from: ExportPosition | null,
): AsyncGenerator<Told> {
  if (project !== null) return yield* tellProject(graph, project, since, from)
  if (from !== null) yield* tellProject(graph, from.project, since, from)
  for (let name = await projectAfter(graph, from?.project ?? ''); name !== null; ) {
    yield* tellProject(graph, name, since, null)
    name = await projectAfter(graph, name)
  }
}

async function* tellProject(
  graph: Graph,
  project: string,
  since: string | null,
  from: ExportPosition | null,
): AsyncGenerator<Told> {
  if (from?.transcripts === undefined) {
    for await (const { record, at } of tellWork(graph, project, since, from?.work ?? null)) {
      yield { record, at: { project, work: at } }
    }
  }
  for await (const { record, at } of tellTranscripts(graph, project, since, from?.transcripts ?? null)) {
    yield { record, at: { project, transcripts: at } }
  }
}
