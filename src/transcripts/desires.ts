/** Finds patterns that are worth a better tool (seed 002, "Desire Path Surfacing"): agents repeatedly needed too many calls. */
import * as z from 'zod'
import { patternKey } from '../core/keys.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { optionalNumber } from '../rules/values.ts'
import { ARROW, isSingleTool } from './pattern.ts'
import { commonParams, instantAt, patternStats, type ReportRequest } from './reports.ts'
import { NEVER_MS } from './statement-params.ts'

const countPatternTurns = statement('transcripts/count-pattern-turns')
const patternsOfProject = statement('transcripts/patterns', 'project')
const writeDesires = statement('transcripts/write-desires')
const dropDesires = statement('transcripts/drop-desires')
const failures = statement('transcripts/failures')

type DesiresRequest = ReportRequest & { threshold: number }

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
  lastSeen: z.string().nullable().describe('the start of the last turn'),
})
export type Desire = z.output<typeof desire>
type PatternStats = z.output<typeof patternStats>

function toDesire({ firstMs, lastMs, calls, ...stats }: PatternStats): Desire {
  const { pattern, count, sessions } = stats
  const avgLength = calls / count
  return {
    toolName: firstTool(pattern),
    error: `Repeated pattern: ${pattern} (avg ${avgLength.toFixed(1)} calls, seen ${count} times across ${sessions} sessions)`,
    category: 'turn-pattern',
    source: 'transcript-analysis',
    ...stats,
    avgLength,
    firstSeen: instantAt(firstMs),
    lastSeen: instantAt(lastMs),
  }
}

const firstTool = (pattern: string): string => (pattern.split(ARROW)[0] ?? '').replace(/\{2\+\}$/, '')

/** Minimum number of turns and of sessions that follow a pattern that is worth a tool. */
const RECURS = 3
const SESSIONS = 2

type Counted = { pattern: string; count: number; category?: Path['category'] }

/**
 * Orders patterns by frequency, like `transcripts/patterns`. Repetitions of a single tool come last, because they show least
 * about what is missing. A failure is never a repetition.
 */
const comparePatterns = (a: Counted, b: Counted): number =>
  Number(isRepeatedTool(a)) - Number(isRepeatedTool(b)) ||
  b.count - a.count ||
  (a.pattern < b.pattern ? -1 : 1)

const isRepeatedTool = ({ category, pattern }: Counted): boolean =>
  category !== 'tool-error' && isSingleTool(pattern)

export async function listDesires(graph: Graph, request: DesiresRequest): Promise<Desire[]> {
  const { project, threshold } = request
  const params = {
    ...commonParams(request),
    minTurns: RECURS,
    minSessions: SESSIONS,
    minLength: 1,
    arrow: ARROW,
  }
  const stats = await readRows(graph, patternsOfProject, { project, threshold, ...params }, patternStats)
  return (await withFirstSeen(graph, project, stats)).map(toDesire)
}

const patternTurns = patternStats
  .pick({ sessions: true, firstMs: true, lastMs: true })
  .extend({ key: z.string() })

async function readPatternTurns(graph: Graph, keys: string[], fromMs: number) {
  const rows = await readRows(graph, countPatternTurns, { keys, fromMs }, patternTurns)
  return new Map(rows.map(({ key, ...turns }) => [key, turns]))
}

/**
 * Corrects the first time of patterns that have a turn without a start. These turns are rare, and excluding them in the first
 * query would cost a third more.
 */
async function withFirstSeen(graph: Graph, project: string, stats: PatternStats[]): Promise<PatternStats[]> {
  const toPatternKey = ({ pattern }: PatternStats) => patternKey(project, pattern)
  const keys = stats.filter(({ firstMs }) => firstMs === NEVER_MS).map(toPatternKey)
  if (keys.length === 0) return stats
  const found = await readPatternTurns(graph, keys, NEVER_MS + 1)
  return stats.map((one) => ({ ...one, firstMs: found.get(toPatternKey(one))?.firstMs ?? one.firstMs }))
}

export async function refreshDesires(graph: Graph, project: string, threshold: number): Promise<void> {
  const found = await listDesires(graph, { project, threshold })
  const desires = found.map(({ firstSeen, lastSeen, ...properties }) => ({
    key: patternKey(project, properties.pattern),
    firstSeen,
    lastSeen,
    properties: { ...properties, project },
  }))
  await graph.write([
    { statement: dropDesires, params: { project, keys: desires.map(({ key }) => key) } },
    { statement: writeDesires, params: { batch: { desires } } },
  ])
}

export const path = z.object({
  pattern: z.string().describe('`Tool: the common part of its messages`, or a turn pattern'),
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

export async function listPaths(graph: Graph, request: DesiresRequest): Promise<Path[]> {
  const { project, limit } = request
  const [failed, desires] = await Promise.all([
    readRows(graph, failures, { project, ...commonParams(request) }, failureRow),
    listDesires(graph, request),
  ])
  const paths = [
    ...failed.map(({ lastMs, ...failure }) => ({
      ...failure,
      category: 'tool-error' as const,
      lastSeen: instantAt(lastMs),
    })),
    ...desires.map((found) => path.parse(found)),
  ]
  paths.sort(comparePatterns)
  return paths.slice(0, limit === 0 ? undefined : limit)
}
