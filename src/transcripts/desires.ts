import * as z from 'zod'
import { patternKey } from '../core/keys.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { ARROW, isSingleTool } from './pattern.ts'
import { ALL, instantAt } from './report-request.ts'
import { NEVER_MS } from './statement-params.ts'

/**
 * Patterns that are worth a better tool (seed 002, "Desire Path Surfacing"): no call failed, but the journey was
 * longer than it should have been, again and again.
 */

const recurringPatterns = statement('transcripts/recurring-patterns')
const patternTurns = statement('transcripts/pattern-turns')
const desiresSince = statement('transcripts/desires-since')
const firstSeen = statement('transcripts/first-seen')
const writeDesires = statement('transcripts/desires-write')
const dropDesires = statement('transcripts/desires-drop')

/** What is known of the turns that follow a pattern. */
const counts = z.object({ pattern: z.string(), count: z.number(), calls: z.number(), sessions: z.number() })

/** The engines' avg() differ in the last digit: Neo4j's is a moving mean. */
const withAverage = <S extends z.output<typeof counts>>({ pattern, count, calls, sessions, ...more }: S) => ({
  pattern,
  count,
  avgLength: calls / count,
  sessions,
  ...more,
})

export const patternStats = counts.transform(withAverage)

const desireStats = counts.extend({ firstMs: z.number(), lastMs: z.number() }).transform(withAverage)
type DesireStats = z.output<typeof desireStats>

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
export type Desire = z.output<typeof desire>

function desireOf({ firstMs, lastMs, ...stats }: DesireStats): Desire {
  const { pattern, count, avgLength, sessions } = stats
  return {
    toolName: firstTool(pattern),
    error: `Repeated pattern: ${pattern} (avg ${avgLength.toFixed(1)} calls, seen ${count} times across ${sessions} sessions)`,
    category: 'turn-pattern',
    source: 'transcript-analysis',
    ...stats,
    firstSeen: instantAt(firstMs),
    lastSeen: instantAt(lastMs),
  }
}

const firstTool = (pattern: string): string => (pattern.split(ARROW)[0] ?? '').replace(/\{2\+\}$/, '')

/** How often a pattern is followed that is worth a tool, and in how many sessions. */
const RECURS = 3
const SESSIONS = 2

/**
 * Orders patterns: a single tool called again and again comes last, as it says least about what is missing; then most
 * seen first. `transcripts/desires-since` orders the same.
 */
const compareDesires = (
  a: { pattern: string; count: number },
  b: { pattern: string; count: number },
): number =>
  Number(isSingleTool(a.pattern)) - Number(isSingleTool(b.pattern)) ||
  b.count - a.count ||
  (a.pattern < b.pattern ? -1 : 1)

/** The desires of a project as its turns are now, in the order of `compareDesires`. */
export async function readDesires(graph: Graph, request: DesiresRequest): Promise<Desire[]> {
  const since = request.fromMs ?? NEVER_MS
  const stats = since === NEVER_MS ? await statsOfAll(graph, request) : await statsSince(graph, request)
  return (await withFirstSeen(graph, request.project, stats)).map(desireOf)
}

/** In order: only of as many patterns as are asked for the turns are looked at, then of as many more. */
async function statsOfAll(
  graph: Graph,
  { project, threshold, limit = ALL }: DesiresRequest,
): Promise<DesireStats[]> {
  const asked = { project, threshold, minTurns: RECURS }
  const patterns = await readRows(graph, recurringPatterns, asked, recurringPattern)
  patterns.sort(compareDesires)
  const found: DesireStats[] = []
  for (let next = 0; next < patterns.length && found.length < limit; next += limit) {
    const some = patterns.slice(next, next + limit)
    const rows = await readRows(graph, patternTurns, { keys: some.map(({ key }) => key) }, turnsOfPattern)
    const turnsOf = new Map(rows.map(({ key, ...turns }) => [key, turns]))
    for (const { key, ...pattern } of some) {
      const turns = turnsOf.get(key)
      if (turns !== undefined && turns.sessions >= SESSIONS) found.push(withAverage({ ...pattern, ...turns }))
    }
  }
  return found.slice(0, limit)
}

const recurringPattern = z.object({
  key: z.string(),
  pattern: z.string(),
  count: z.number(),
  calls: z.number(),
})
const turnsOfPattern = z.object({
  key: z.string(),
  sessions: z.number(),
  firstMs: z.number(),
  lastMs: z.number(),
})

/** What a pattern says is of all its turns: here the turns are counted. */
function statsSince(
  graph: Graph,
  { project, threshold, fromMs = NEVER_MS, limit = ALL }: DesiresRequest,
): Promise<DesireStats[]> {
  const asked = {
    project,
    threshold,
    minTurns: RECURS,
    minSessions: SESSIONS,
    minLength: 1,
    fromMs,
    limit,
    arrow: ARROW,
  }
  return readRows(graph, desiresSince, asked, desireStats)
}

/** The least of some starts is that of a turn without one: seldom, and to look for it in the first place costs a third. */
async function withFirstSeen(graph: Graph, project: string, stats: DesireStats[]): Promise<DesireStats[]> {
  const keyOf = ({ pattern }: DesireStats) => patternKey(project, pattern)
  const keys = stats.filter(({ firstMs }) => firstMs === NEVER_MS).map(keyOf)
  if (keys.length === 0) return stats
  const rows = await readRows(graph, firstSeen, { keys, neverMs: NEVER_MS }, firstSeenRow)
  const found = new Map(rows.map(({ key, firstMs }) => [key, firstMs]))
  return stats.map((one) => ({ ...one, firstMs: found.get(keyOf(one)) ?? one.firstMs }))
}

const firstSeenRow = z.object({ key: z.string(), firstMs: z.number() })

type DesiresRequest = { project: string; threshold: number; fromMs?: number; limit?: number }

/** Brings the desires of a project up to date: what no longer holds is gone. */
export async function refreshDesires(graph: Graph, project: string, threshold: number): Promise<void> {
  const found = await readDesires(graph, { project, threshold })
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
