import * as z from 'zod'
import { patternKey, sessionKey } from '../core/keys.ts'
import { optionalNumber, optionalText, textList } from '../graph/columns.ts'
import { readRows } from '../graph/decode.ts'
import { TRANSCRIPT_TURN_KINDS, TRANSCRIPT_TURN_STATUSES } from '../graph/model/values.ts'
import type { Graph, Params } from '../graph/port.ts'
import { type Statement, statement } from '../graph/statements.ts'
import { type Desire, patternStats, readDesires } from './desires.ts'
import { ARROW, isSingleTool, parsePattern } from './pattern.ts'
import { common, instantAt, type ReportRequest } from './report-request.ts'

/** What analysts ask of transcripts (seed 002, phases 3 and 4; contract: transcripts.md, "Command line and REST"). */

const longestTurns = statement('transcripts/turns-longest')
const turnsOfSession = statement('transcripts/turns-of-session')
const turnsOfPattern = statement('transcripts/turns-of-pattern')
const patternsOfProject = statement('transcripts/patterns')
const patternsOfSession = statement('transcripts/patterns-of-session')
const failures = statement('transcripts/failures')

export const transcriptTurn = z.object({
  turnId: z.string().describe('the uuid of the record that started it'),
  sessionId: z.string(),
  index: z.number().describe('its place in the session, from 0'),
  kind: z.enum(TRANSCRIPT_TURN_KINDS),
  status: z.enum(TRANSCRIPT_TURN_STATUSES),
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
    kind: z.enum(TRANSCRIPT_TURN_KINDS),
    status: z.enum(TRANSCRIPT_TURN_STATUSES),
    begunMs: z.number(),
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

export type TurnsRequest = ReportRequest & {
  minLength: number
  sessionId?: string | null | undefined
  /** Exactly this one, in any form that is printed. */
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
  const found = await readTurns(graph, request)
  const { pattern } = request
  if (pattern == null || found.length > 0) return found
  // Another form of the pattern; asked second, because a tool may have any name, an arrow in it too.
  const canonical = parsePattern(pattern)
  return canonical === pattern ? found : readTurns(graph, { ...request, pattern: canonical })
}

async function readTurns(graph: Graph, request: TurnsRequest): Promise<TranscriptTurnRow[]> {
  const { project, sessionId, pattern, minLength } = request
  const [from, own] =
    pattern != null && sessionId == null
      ? ([turnsOfPattern, { patternKey: patternKey(project, pattern) }] as const)
      : scopeOf(request, turnsOfSession, longestTurns)
  const ofPattern = sessionId == null ? {} : { pattern: pattern ?? '' }
  const rows = await readRows(graph, from, { ...own, ...ofPattern, ...common(request), minLength }, turnRow)
  return rows.map(({ turn: { id, begunMs, ...turn }, ...held }) => ({
    turnId: id,
    ...held,
    ...turn,
    startedAt: instantAt(begunMs),
  }))
}

const scopeOf = (
  { project, sessionId }: ReportRequest & { sessionId?: string | null | undefined },
  ofSession: Statement,
  ofProject: Statement,
): readonly [Statement, Params] =>
  sessionId == null ? [ofProject, { project }] : [ofSession, { sessionKey: sessionKey(project, sessionId) }]

export const transcriptPattern = z.object({
  pattern: z.string(),
  count: z.number(),
  avgLength: z.number(),
  sessions: z.number(),
})
export type TranscriptPattern = z.output<typeof transcriptPattern>

export type PatternsRequest = ReportRequest & { minLength: number; sessionId?: string | null | undefined }

/** The shapes of turns, by how often they occur, those of a single tool last. */
export async function listTranscriptPatterns(
  graph: Graph,
  request: PatternsRequest,
): Promise<TranscriptPattern[]> {
  const [from, own] = scopeOf(request, patternsOfSession, patternsOfProject)
  const params = { ...own, ...common(request), minLength: request.minLength, arrow: ARROW }
  return readRows(graph, from, params, patternStats)
}

/** Patterns worth a better tool: most seen first, those of a single tool last. */
export const listDesires = (
  graph: Graph,
  request: ReportRequest & { threshold: number },
): Promise<Desire[]> => {
  const { project, threshold } = request
  return readDesires(graph, { project, threshold, ...common(request) })
}

export const path = z.object({
  pattern: z.string().describe('`Tool: what its messages have in common`, or a turn pattern'),
  count: z.number(),
  sessions: z.number(),
  category: z.enum(['tool-error', 'turn-pattern']),
  lastSeen: z.string().nullable(),
})
export type Path = z.output<typeof path>

const failureRow = z.object({
  pattern: z.string(),
  count: z.number(),
  sessions: z.number(),
  lastMs: optionalNumber,
})

/** As desires are ordered; a failure has a tool and a message, so it is never just a tool that is repeated. */
const comparePaths = (a: Path, b: Path): number =>
  Number(a.category === 'turn-pattern' && isSingleTool(a.pattern)) -
    Number(b.category === 'turn-pattern' && isSingleTool(b.pattern)) ||
  b.count - a.count ||
  (a.pattern < b.pattern ? -1 : 1)

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
    ...failed.map(({ lastMs, ...failure }) => ({
      ...failure,
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
  paths.sort(comparePaths)
  return paths.slice(0, limit === 0 ? undefined : limit)
}
