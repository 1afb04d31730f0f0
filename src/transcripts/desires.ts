import { z } from 'zod'
import { optionalNumber } from '../graph/columns.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { patternKey } from './stored.ts'

/**
 * Patterns that are worth a better tool (seed 002, "Desire Path Surfacing"): no call failed, but the journey was
 * longer than it should have been, again and again.
 */

const desiresOf = statement('transcripts/desires')
const writeDesires = statement('transcripts/desires-write')
const dropDesires = statement('transcripts/desires-drop')

/** What is known of the turns that follow a pattern. */
export const patternStats = z
  .object({
    pattern: z.string(),
    count: z.number(),
    calls: z.number(),
    sessions: z.number(),
    firstMs: optionalNumber,
    lastMs: optionalNumber,
  })
  // The engines' avg() differ in the last digit: Neo4j's is a moving mean.
  .transform(({ calls, ...stats }) => ({ ...stats, avgLength: calls / stats.count }))
export type PatternStats = z.output<typeof patternStats>

export type Desire = {
  toolName: string
  error: string
  category: 'turn-pattern'
  source: 'transcript-analysis'
  pattern: string
  count: number
  avgLength: number
  sessions: number
  firstSeen: string | null
  lastSeen: string | null
}

function desireOf({ pattern, count, avgLength, sessions, firstMs, lastMs }: PatternStats): Desire {
  return {
    toolName: firstTool(pattern),
    error: `Repeated pattern: ${pattern} (avg ${avgLength.toFixed(1)} calls, seen ${count} times across ${sessions} sessions)`,
    category: 'turn-pattern',
    source: 'transcript-analysis',
    pattern,
    count,
    avgLength,
    sessions,
    firstSeen: instantAt(firstMs),
    lastSeen: instantAt(lastMs),
  }
}

const firstTool = (pattern: string): string => (pattern.split(' → ')[0] ?? '').replace(/\{2\+\}$/, '')

export const instantAt = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

/** The desires of a project as its turns are now, most seen first. */
export async function readDesires(
  graph: Graph,
  {
    project,
    threshold,
    sinceMs = 0,
    limit = ALL,
  }: { project: string; threshold: number; sinceMs?: number; limit?: number },
): Promise<Desire[]> {
  const stats = await readRows(graph, desiresOf, { project, threshold, sinceMs, limit }, patternStats)
  return stats.map(desireOf)
}

/** Above every count: the statements know no "all". */
export const ALL = 2 ** 31

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
