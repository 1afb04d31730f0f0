import { inProcessClient } from '../../src/client/in-process.ts'
import type { Graph } from '../../src/graph/port.ts'
import { exportLines } from '../../src/maintenance/export/export-lines.ts'
import {
  type FileRestore,
  type RestoreFileOptions,
  restoreFile,
} from '../../src/maintenance/restore/restore-file.ts'

/** Exports and restores like the command line, but without files. */

export type Asked = { project?: string; since?: string; limit?: number; afterPage?: () => Promise<unknown> }

/** Returns all lines of an export, including header and trailer. */
export async function exportOf(graph: Graph, asked: Asked = {}): Promise<string[]> {
  const { project, since = null, limit = 1_000, afterPage = async () => {} } = asked
  const client = inProcessClient({ graph, project: 'nobody asks for it' })
  const lines: string[] = []
  const read = async (cursor: string | null) => {
    const page = await (project === undefined
      ? client.exportGraphPage({ since, limit, cursor })
      : client.exportPage({ project, since, limit, cursor }))
    await afterPage()
    return page
  }
  for await (const line of exportLines(read)) lines.push(line)
  return lines
}

async function* chunksOf(lines: readonly string[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  // The size of a piece cuts lines and characters.
  for (let at = 0; at < bytes.length; at += 1_021) yield bytes.subarray(at, at + 1_021)
}

export const restoreLines = (
  graph: Graph,
  lines: readonly string[],
  options: RestoreFileOptions = {},
): Promise<FileRestore> =>
  restoreFile(inProcessClient({ graph, project: 'nobody asks for it' }), chunksOf(lines), options)

/** Returns only the records, for callers that send them in their own batches. */
export const recordsOf = (lines: readonly string[]): unknown[] =>
  lines.slice(1, -1).map((line) => JSON.parse(line) as unknown)

export const kindOf = (line: string): string => String((JSON.parse(line) as { kind?: string }).kind)
