/** Lists turns of transcripts and their patterns (seed 002, phases 3 and 4; transcripts.md, "Command line and REST"). */
import * as z from 'zod'
import { patternKey, sessionKey } from '../core/keys.ts'
import { readPages, readRows } from '../graph/decode.ts'
import type { Graph, Params } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { CallSequences } from '../rules/call-sequences.ts'
import { eachKind } from '../rules/turn-tokens.ts'
import {
  optionalNumber,
  optionalText,
  TRANSCRIPT_TURN_STATUSES,
  TURN_KIND_DESCRIPTION,
  textList,
} from '../rules/values.ts'
import { ARROW, parsePattern } from './pattern.ts'
import { requireSession } from './require-session.ts'
import { readAgents } from './session-agents.ts'
import { NEVER_MS } from './statement-params.ts'

const turnsOfProject = statement('transcripts/list-turns', 'project')
const turnsOfSession = statement('transcripts/list-turns', 'session')
const turnsOfPattern = statement('transcripts/list-turns', 'pattern')
const toolsOfProject = statement('transcripts/turn-tools', 'project')
const toolsOfSession = statement('transcripts/turn-tools', 'session')
const patternsOfProject = statement('transcripts/patterns', 'project')
const patternsOfSession = statement('transcripts/patterns', 'session')
const toolStats = statement('transcripts/tool-stats')

export type ReportRequest = {
  project: string
  /** An instant. Turns are filtered by their start. */
  since?: string | null | undefined
  limit?: number | undefined
}

/** Larger than every count, because the statements have no value for "all". */
export const ALL = 2 ** 31

export const commonParams = ({ since, limit }: ReportRequest) => ({
  fromMs: since == null ? NEVER_MS : Date.parse(since),
  limit: limit || ALL,
})

export const instantAt = (ms: number | null): string | null =>
  ms === null || ms === NEVER_MS ? null : new Date(ms).toISOString()

const tokenCount = z.number().nullable()

export const transcriptTurn = z.object({
  turnId: z.string().describe('the uuid of the record that started the turn'),
  sessionId: z.string(),
  agent: z.string().describe('coding agent of the session, such as claude-code or codex'),
  index: z.number().describe('the index of the turn in the session, from 0'),
  kind: z.string().describe(TURN_KIND_DESCRIPTION),
  status: z.enum(TRANSCRIPT_TURN_STATUSES),
  startedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  length: z.number().describe('number of calls'),
  tools: z.array(z.string()).describe('the tool of each call, in order'),
  pattern: z.string().nullable().describe('null if the turn has no calls'),
  errors: z.number(),
  parallelSteps: z.number(),
  models: z.array(z.string()).describe('models that answered'),
  effort: z
    .string()
    .nullable()
    .describe('reasoning effort of its last response that names one; null if none does'),
  inputTokens: tokenCount.describe('without cached tokens; null if the transcript has no usage'),
  outputTokens: tokenCount,
  cacheReadTokens: tokenCount,
  cacheCreationTokens: tokenCount,
})
export type TranscriptTurnRow = z.output<typeof transcriptTurn>

const turnRow = z.object({
  turn: transcriptTurn
    .omit({ turnId: true, sessionId: true, agent: true, index: true, startedAt: true })
    .extend({
      id: z.string(),
      begunMs: z.number(),
      durationMs: optionalNumber,
      tools: textList,
      pattern: optionalText,
      models: textList,
      effort: optionalText,
      ...eachKind(() => optionalNumber),
    }),
  sessionId: z.string(),
  index: z.number(),
})

type OfSession = { sessionId?: string | null | undefined }

type TurnsRequest = ReportRequest &
  OfSession & {
    minLength: number
    /** Only turns with exactly this pattern, in any printed form. */
    pattern?: string | null | undefined
  }

/** Lists turns of transcripts, longest first. @throws `not_found` if the project has no such session */
export async function listTranscriptTurns(graph: Graph, request: TurnsRequest): Promise<TranscriptTurnRow[]> {
  const found = await readTurns(graph, request)
  if (found.length > 0) return found
  const { project, sessionId, pattern } = request
  if (sessionId != null) await requireSession(graph, project, sessionId)
  if (pattern == null) return found
  // Tries another form of the pattern. This comes second, because the name of a tool may contain an arrow.
  const canonical = parsePattern(pattern)
  return canonical === pattern ? found : readTurns(graph, { ...request, pattern: canonical })
}

async function readTurns(graph: Graph, request: TurnsRequest): Promise<TranscriptTurnRow[]> {
  const { project, sessionId, pattern, minLength } = request
  const [from, scope] =
    sessionId != null
      ? [turnsOfSession, { sessionKey: sessionKey(project, sessionId), pattern: pattern ?? '' }]
      : pattern != null
        ? [turnsOfPattern, { patternKey: patternKey(project, pattern) }]
        : [turnsOfProject, { project }]
  const params = { ...scope, ...commonParams(request), minLength } as Params
  const rows = await readRows(graph, from, params, turnRow)
  const agentOf = await readAgents(
    graph,
    project,
    rows.map((row) => row.sessionId),
  )
  return rows.map(({ turn: { id, begunMs, ...turn }, ...place }) => ({
    turnId: id,
    agent: agentOf(place.sessionId),
    ...place,
    ...turn,
    startedAt: instantAt(begunMs),
  }))
}

export const patternStats = z.object({
  pattern: z.string(),
  count: z.number(),
  calls: z.number(),
  sessions: z.number(),
  firstMs: z.number(),
  lastMs: z.number(),
})

export const transcriptPattern = z.object({
  pattern: z.string(),
  count: z.number(),
  avgLength: z.number(),
  sessions: z.number(),
})
type TranscriptPattern = z.output<typeof transcriptPattern>

/** Lists the patterns of turns, most frequent first. Repetitions of a single tool come last. */
export async function listTranscriptPatterns(
  graph: Graph,
  request: ReportRequest & OfSession & { minLength: number },
): Promise<TranscriptPattern[]> {
  const { project, sessionId, minLength } = request
  const [from, scope] =
    sessionId != null
      ? [patternsOfSession, { sessionKey: sessionKey(project, sessionId) }]
      : [patternsOfProject, { project, minTurns: 1, minSessions: 1, threshold: 0 }]
  const params = { ...commonParams(request), minLength, arrow: ARROW, ...scope } as Params
  const rows = await readRows(graph, from, params, patternStats)
  if (rows.length === 0 && sessionId != null) await requireSession(graph, project, sessionId)
  return rows.map(({ pattern, count, calls, sessions }) => ({
    pattern,
    count,
    avgLength: calls / count,
    sessions,
  }))
}

export const transcriptSequence = z.object({
  sequence: z.string().describe('the tools of 2 to 5 calls that follow each other'),
  length: z.number().describe('number of calls'),
  count: z.number().describe('number of occurrences'),
  turns: z.number().describe('number of turns with it'),
  sessions: z.number(),
})
type TranscriptSequence = z.output<typeof transcriptSequence>

const toolsRow = z.object({ key: z.string(), tools: textList, session: z.string() })
const TURNS_AT_ONCE = 2_000

/** Lists sequences of 2 to 5 calls in at least three turns, most frequent first. Repetitions of a single tool come last. */
export async function listTranscriptSequences(
  graph: Graph,
  request: ReportRequest & OfSession,
): Promise<TranscriptSequence[]> {
  const { project, sessionId } = request
  const { fromMs, limit } = commonParams(request)
  const [from, scope] =
    sessionId != null
      ? [toolsOfSession, { sessionKey: sessionKey(project, sessionId) }]
      : [toolsOfProject, { project }]
  const sequences = new CallSequences()
  for await (const page of readPages(graph, from, { ...scope, fromMs } as Params, toolsRow, TURNS_AT_ONCE))
    for (const { tools, session } of page) sequences.addTurn(tools, session)
  const found = sequences.list().slice(0, limit)
  if (found.length === 0 && sessionId != null) await requireSession(graph, project, sessionId)
  return found.map(({ tools, ...counts }) => ({
    sequence: tools.join(ARROW),
    length: tools.length,
    ...counts,
  }))
}

export const toolStat = z.object({
  toolName: z.string(),
  count: z.number().describe('calls'),
  turns: z.number().describe('turns with at least one call'),
  avgTurnLen: z.number().describe('average length of those turns, each counted once'),
  longTurnPct: z.number().describe('share of long turns among them; 0 to 100'),
})
type ToolStat = z.output<typeof toolStat>

const toolRow = toolStat
  .omit({ longTurnPct: true, avgTurnLen: true })
  .extend({ longTurns: z.number(), turnCalls: z.number() })

/** Lists the lengths of the turns in which each tool is called. They show whether the tool helps agents to finish quickly. */
export async function listToolStats(
  graph: Graph,
  request: ReportRequest & { threshold: number },
): Promise<ToolStat[]> {
  const { project, threshold } = request
  const rows = await readRows(graph, toolStats, { project, threshold, ...commonParams(request) }, toolRow)
  return rows.map(({ longTurns, turnCalls, ...row }) => ({
    ...row,
    avgTurnLen: turnCalls / row.turns,
    longTurnPct: (100 * longTurns) / row.turns,
  }))
}
