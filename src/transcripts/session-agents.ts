/** Finds the coding agents of sessions. */
import { inChunks } from '../core/group-by.ts'
import { transcriptKey } from '../core/keys.ts'
import { nodeReader } from '../graph/node-reader.ts'
import type { Graph } from '../graph/port.ts'
import { CLAUDE_CODE } from '../rules/agents.ts'

const readSessions = nodeReader('TranscriptSession', ['agent'])

const SESSIONS_AT_ONCE = 1_000

/** Returns a function that names the agent of each stored session. A session without a stored agent counts as Claude Code. */
export async function readAgents(
  graph: Graph,
  project: string,
  sessionIds: Iterable<string>,
): Promise<(sessionId: string) => string> {
  const keys = [...new Set(sessionIds)].map((id) => transcriptKey(project, id))
  const agents = new Map<string, string>()
  for (const some of inChunks(keys, SESSIONS_AT_ONCE))
    for (const { key, agent } of await readSessions(graph, some)) if (agent != null) agents.set(key, agent)
  return (id) => agents.get(transcriptKey(project, id)) ?? CLAUDE_CODE
}
