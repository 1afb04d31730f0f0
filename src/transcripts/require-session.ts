/** Makes the error, with similar names, for a session without a transcript in its project. */
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { keysOfProject, sessionKey } from '../core/keys.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'
import { readRows } from '../graph/decode.ts'
import { nodeReader } from '../graph/node-reader.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'

const readSessions = nodeReader('TranscriptSession', ['id'])
const sessionNames = statement('transcripts/session-names')

const nameRow = z.object({ name: z.string() })

/** Maximum number of sessions that are compared. A project may have many thousands. */
const MAX_NAMES = 1_000

/** @throws `not_found` with similar names. A session that only a turn names is known, too */
export async function requireSession(graph: Graph, project: string, sessionId: string): Promise<void> {
  const found = await readSessions(graph, [sessionKey(project, sessionId)])
  if (found.length === 0) throw await noSuchSession(graph, project, sessionId)
}

export async function noSuchSession(
  graph: Graph,
  project: string,
  sessionId: string,
): Promise<TurngraphError> {
  const params = { ...keysOfProject(project), limit: MAX_NAMES }
  const names = await readRows(graph, sessionNames, params, nameRow)
  const near = nearNames(
    sessionId,
    names.map(({ name }) => name),
  )
  const message = `There is no transcript of session ${sessionId} in project ${project}.${didYouMean(near)}`
  return new TurngraphError('not_found', message, { hint: HOW_TO_LIST, details: { near } })
}

export const HOW_TO_LIST =
  '`turngraph turns --min-length 0` (GET /v1/transcript-turns?min_length=0) lists sessions and turns.'
