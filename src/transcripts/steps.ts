/** Reads the calls of one turn of a transcript, in their order. Returns their structure without any texts. */
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { sessionKey } from '../core/keys.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { callLists, fromCallLists } from '../rules/call-lists.ts'
import { optionalNumber, optionalText, STEP_STATUSES } from '../rules/values.ts'
import { HOW_TO_LIST, noSuchSession } from './require-session.ts'

const findTurns = statement('transcripts/find-turns')
const callsOfTurn = statement('transcripts/calls-of-turn')

export const transcriptStep = z.object({
  sequence: z.number().describe('the index of the call in the turn, from 0'),
  tool: z.string(),
  status: z.enum(STEP_STATUSES),
  isParallel: z.boolean().describe('true if its response made several calls'),
  parallelGroup: optionalNumber.describe(
    'the number of that response in the turn, from 1; null if the call is not parallel',
  ),
  durationMs: optionalNumber,
  error: optionalText.describe(
    'the message of a failed call; for a command, the end of its output; at most 500 characters, with secrets masked; empty if a person may have written it',
  ),
  agentId: optionalText.describe('the subagent that the call started'),
})
type TranscriptStep = z.output<typeof transcriptStep>

type StepsRequest = {
  project: string
  sessionId: string
  index: number
  after: number
  limit: number
}

/** Lists a page of the steps of a turn. @throws `not_found` if the project has no such session, or the session no such turn */
export async function listTranscriptSteps(
  graph: Graph,
  request: StepsRequest,
): Promise<{ turnId: string; steps: TranscriptStep[] }> {
  const { after, limit } = request
  const { key: turnKey, id: turnId } = await findTurn(graph, request)
  const [turn] = await readRows(graph, callsOfTurn, { turnKey }, callsRow)
  if (turn === undefined) return { turnId, steps: [] }
  const errors = new Map(turn.errors)
  const started = new Map(turn.started.toSorted(([, a], [, b]) => (a < b ? 1 : -1)))
  const steps = fromCallLists(turn)
    .map(({ id: _, response: __, agentId, parallelGroup, tool, status, durationMs }, sequence) => ({
      ...{ sequence, tool, status, isParallel: parallelGroup !== null, parallelGroup, durationMs },
      error: errors.get(sequence) ?? null,
      // If an agent calls another agent, the result does not name it. Only the edge to its session does.
      agentId: agentId ?? started.get(sequence) ?? null,
    }))
    .slice(after + 1, after + 1 + limit)
  return { turnId, steps }
}

const callsRow = callLists.extend({
  errors: z.array(z.tuple([z.number(), z.string()])),
  started: z.array(z.tuple([z.number(), z.string()])),
})

const turnsRow = z.object({
  turns: z.array(z.object({ key: z.string(), id: z.string(), begunMs: z.number() })),
})

/** Finds the turn at an index. If a replaced file left an earlier turn there, returns the one that began last. */
async function findTurn(graph: Graph, { project, sessionId, index }: StepsRequest) {
  const params = { sessionKey: sessionKey(project, sessionId), index }
  const [session] = await readRows(graph, findTurns, params, turnsRow)
  if (session === undefined) throw await noSuchSession(graph, project, sessionId)
  const [turn] = session.turns.sort((a, b) => b.begunMs - a.begunMs || (a.key < b.key ? -1 : 1))
  if (turn !== undefined) return turn
  const message = `Session ${sessionId} has no turn ${index}; the first is turn 0.`
  throw new TurngraphError('not_found', message, { hint: HOW_TO_LIST })
}
