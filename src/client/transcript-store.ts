import { importFrom } from '../transcript-upload.ts'
import type { TranscriptSource } from '../transcripts/import.ts'
import type { Contents, TranscriptStore } from '../transcripts/import-files.ts'
import type { TurngraphClient } from './client.ts'

const MOST_AT_ONCE = 2_000

/** Transcripts go wherever a client leads: into the graph of this process, or through a service. */
export const clientStore = (client: TurngraphClient): TranscriptStore => ({
  progress: ({ project, sessionId, path }) => client.getTranscriptProgress({ project, sessionId, path }),
  write: async (source, offset, chunks) =>
    importFrom(await client.importTranscript({ ...source, offset, more: true }, chunks)),
  done: async (project) => {
    await client.refreshDesires({ project })
  },
  contents: (sources) => contents(client, sources),
})

async function contents(client: TurngraphClient, sources: readonly TranscriptSource[]): Promise<Contents> {
  const sums = { sessions: 0, turns: 0, steps: 0 }
  for (let i = 0; i < sources.length; i += MOST_AT_ONCE) {
    const some = sources.slice(i, i + MOST_AT_ONCE)
    const found = await client.countTranscripts({
      project: some[0]?.project,
      sources: some.map(({ sessionId, path }) => ({ sessionId, path })),
    })
    sums.sessions += found.sessions
    sums.turns += found.turns
    sums.steps += found.steps
  }
  return sums
}
