/** Sends transcripts through a client. */
import { inChunks } from '../core/group-by.ts'
import type { TranscriptStore } from '../transcripts/import-files.ts'
import type { TranscriptContents, TranscriptSource } from '../transcripts/progress.ts'
import type { TurngraphClient } from './client.ts'

const MAX_BATCH = 2_000

const BYTES_AT_ONCE = 32 * 1024 * 1024

/** Creates a store that sends transcripts to a service: each is written before the next one is read. */
export const clientStore = (client: TurngraphClient): TranscriptStore => ({
  bytesAtOnce: BYTES_AT_ONCE,
  open: (sources) =>
    Promise.all(
      sources.map(async (source) => {
        const { project, sessionId, path } = source
        return {
          ...(await client.getTranscriptProgress({ project, sessionId, path })),
          write: (offset, chunks) => client.importTranscript({ ...source, offset, more: true }, chunks),
        }
      }),
    ),
  flush: async () => [],
  done: async (project) => {
    await client.refreshDesires({ project })
  },
  contents: (sources) => contents(client, sources),
})

async function contents(
  client: TurngraphClient,
  sources: readonly TranscriptSource[],
): Promise<TranscriptContents> {
  const sums = { sessions: 0, turns: 0, steps: 0, mergedTurns: 0 }
  for (const some of inChunks(sources, MAX_BATCH)) {
    const found = await client.countTranscripts({
      project: some[0]?.project,
      sources: some.map(({ sessionId, path }) => ({ sessionId, path })),
    })
    sums.sessions += found.sessions
    sums.turns += found.turns
    sums.steps += found.steps
    sums.mergedTurns += found.mergedTurns
  }
  return sums
}
