import { z } from 'zod'
import { optionalNumber, optionalText, textList } from '../graph/columns.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph, Params } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'
import { KINDS } from './content.ts'
import { ALL, type Desire, instantAt, patternStats, readDesires } from './desires.ts'
import { patternKey, sessionKey } from './stored.ts'

/** What analysts ask of transcripts (seed 002, phases 3 and 4; contract: transcripts.md, "Command line and REST"). */

const longestTurns = statement('transcripts/turns-longest')
const turnsOfSession = statement('transcripts/turns-of-session')
const turnsOfPattern = statement('transcripts/turns-of-pattern')
const patternsOfProject = statement('transcripts/patterns')
const patternsOfSession = statement('transcripts/patterns-of-session')
const toolStats = statement('transcripts/tool-stats')
const failures = statement('transcripts/failures')

export const transcriptTurn = z.object({
  turnId: z.string().describe('the uuid of the record that started it'),
  sessionId: z.string(),
  index: z.number().describe('its place in the session, from 0'),
  kind: z.enum(KINDS),
  status: z.enum(['complete', 'interrupted', 'open']),
  startedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  length: z.number().describe('how many calls'),
  tools: z.array(z.string()).describe('of each call, in order'),
  pattern: z.string().nullable().describe('null where there was no call'),
  errors: z.number(),
  parallelSteps: z.number(),
})
export type TranscriptTurnRow = z.output<typeof transcriptTurn>

const turnRow = z.object({
  turn: z.object({
    id: z.string(),
    kind: z.enum(KINDS),
    status: z.enum(['complete', 'interrupted', 'open']),
    startedMs: optionalNumber,
    durationMs: optionalNumber,
    length: z.number(),
    tools: textList,
    pattern: optionalText,
    errors: z.number(),
    parallelSteps: z.number(),
  }),
  sessionId: z.string(),
  index: z.number(),
})

export type ReportRequest = {
  project: string
  /** Epoch milliseconds; whole turns are filtered by their start. */
  sinceMs?: number | null | undefined
  /** 0: all. */
  limit?: number | undefined
}

export type TurnsRequest = ReportRequest & {
  minLength: number
  sessionId?: string | null | undefined
  /** Exactly this one. */
  pattern?: string | null | undefined
}

/**
 * Turns of transcripts, longest first.
 *
 * @throws `store_unavailable`, `timeout`
 * @example
 * const [longest] = await listTranscriptTurns(graph, { project: 'shop', minLength: 5, limit: 1 })
 */
export async function listTranscriptTurns(graph: Graph, request: TurnsRequest): Promise<TranscriptTurnRow[]> {
  const { project, sessionId, pattern, minLength } = request
  const [from, own] =
    pattern != null && sessionId == null
      ? ([turnsOfPattern, { patternKey: patternKey(project, pattern) }] as const)
      : scopeOf(request, turnsOfSession, longestTurns)
  const ofPattern = sessionId == null ? {} : { pattern: pattern ?? '' }
  const rows = await readRows(graph, from, { ...own, ...ofPattern, ...common(request), minLength }, turnRow)
  return rows.map(({ turn: { id, startedMs, ...turn }, ...held }) => ({
    turnId: id,
    ...held,
    ...turn,
    startedAt: instantAt(startedMs),
  }))
}

const scopeOf = (
  { project, sessionId }: ReportRequest & { sessionId?: string | null | undefined },
  ofSession: Statement,
  ofProject: Statement,
): readonly [Statement, Params] =>
  sessionId == null ? [ofProject, { project }] : [ofSession, { sessionKey: sessionKey(project, sessionId) }]

const common = ({ sinceMs, limit }: ReportRequest): Params => ({
  sinceMs: sinceMs ?? 0,
  limit: limit || ALL,
})

export const transcriptPattern = z.object({
  pattern: z.string(),
  count: z.number(),
  avgLength: z.number(),
  sessions: z.number(),
})
export type TranscriptPattern = z.output<typeof transcriptPattern>

export type PatternsRequest = ReportRequest & { minLength: number; sessionId?: string | null | undefined }

/** The shapes of turns, by how often they occur. */
export async function listTranscriptPatterns(
  graph: Graph,
  request: PatternsRequest,
): Promise<TranscriptPattern[]> {
  const [from, own] = scopeOf(request, patternsOfSession, patternsOfProject)
  const params = { ...own, ...common(request), minLength: request.minLength }
  const stats = await readRows(graph, from, params, patternStats)
  return stats.map(({ pattern, count, avgLength, sessions }) => ({ pattern, count, avgLength, sessions }))
}

export const toolStat = z.object({
  toolName: z.string(),
  count: z.number().describe('calls'),
  turns: z.number().describe('turns with at least one'),
  avgTurnLen: z.number().describe('of those turns, each once'),
  longTurnPct: z.number().describe('of those turns, how many are long; 0 to 100'),
})
export type ToolStat = z.output<typeof toolStat>

const toolRow = toolStat
  .omit({ longTurnPct: true, avgTurnLen: true })
  .extend({ longTurns: z.number(), turnCalls: z.number() })

/** How long the turns are in which a tool is called: whether it gets agents where they want to go. */
export async function listToolStats(
  graph: Graph,
  request: ReportRequest & { threshold: number },
): Promise<ToolStat[]> {
  const { project, threshold } = request
  const rows = await readRows(graph, toolStats, { project, threshold, ...common(request) }, toolRow)
  return rows.map(({ longTurns, turnCalls, ...row }) => ({
    ...row,
    avgTurnLen: turnCalls / row.turns,
    longTurnPct: (100 * longTurns) / row.turns,
  }))
}

/** Patterns worth a better tool, most seen first. */
export const listDesires = (
  graph: Graph,
  request: ReportRequest & { threshold: number },
): Promise<Desire[]> => {
  const { project, threshold, sinceMs, limit } = request
  return readDesires(graph, { project, threshold, sinceMs: sinceMs ?? 0, limit: limit || ALL })
}

export const desire = z.object({
  toolName: z.string().describe('the first tool of the pattern'),
  error: z.string(),
  category: z.literal('turn-pattern'),
  source: z.literal('transcript-analysis'),
  pattern: z.string(),
  count: z.number(),
  avgLength: z.number(),
  sessions: z.number(),
  firstSeen: z.string().nullable().describe('the start of the first turn'),
  lastSeen: z.string().nullable().describe('the start of the last one'),
})

export const path = z.object({
  pattern: z.string().describe('`Tool: what its messages have in common`, or a turn pattern'),
  count: z.number(),
  sessions: z.number(),
  category: z.enum(['tool-error', 'turn-pattern']),
  lastSeen: z.string().nullable(),
})
export type Path = z.output<typeof path>

const failureRow = z.object({
  toolName: z.string(),
  failure: z.string(),
  count: z.number(),
  sessions: z.number(),
  lastMs: optionalNumber,
})

/** What agents struggle with: calls that failed and journeys that were too long, in one list. */
export async function listPaths(
  graph: Graph,
  request: ReportRequest & { threshold: number },
): Promise<Path[]> {
  const { project, limit } = request
  const [failed, desires] = await Promise.all([
    readRows(graph, failures, { project, ...common(request) }, failureRow),
    listDesires(graph, request),
  ])
  const paths: Path[] = [
    ...failed.map(({ toolName, failure, lastMs, ...counts }) => ({
      pattern: failure === '' ? toolName : `${toolName}: ${failure}`,
      ...counts,
      category: 'tool-error' as const,
      lastSeen: instantAt(lastMs),
    })),
    ...desires.map(({ pattern, count, sessions, lastSeen }) => ({
      pattern,
      count,
      sessions,
      category: 'turn-pattern' as const,
      lastSeen,
    })),
  ]
  paths.sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1))
  return paths.slice(0, limit === 0 ? undefined : limit)
}
