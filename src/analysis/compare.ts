/** Compares two sessions of a project (contract: page.md, "Compare and replay"). */
import { withOneDeadline } from '../graph/deadline.ts'
import type { Graph } from '../graph/port.ts'
import { listIssues } from '../memory/issues/list-issues.ts'
import { listTurns } from '../memory/worlds/read-turns.ts'
import { getWorldProgress } from '../memory/worlds/world-progress.ts'
import { type ComparedRecords, compareSessions, type SessionComparison } from '../rules/compare-sessions.ts'
import { readSessionRecords } from './session-records.ts'

/** Number of records per read. */
const PAGE = 100
const ALL_ISSUES = { after: null, limit: Number.MAX_SAFE_INTEGER }

/**
 * @throws `unknown_world`, `world_deleted`
 * @example
 * const { sentence } = await compareWorlds(graph, { project: 'shop', a: 'TASK-1', b: 'TASK-1.2' })
 */
export async function compareWorlds(
  store: Graph,
  { project, a, b }: { project: string; a: string; b: string },
): Promise<SessionComparison> {
  const graph = withOneDeadline(store)
  return compareSessions(await readCompared(graph, project, a), await readCompared(graph, project, b))
}

async function readCompared(graph: Graph, project: string, worldSlug: string): Promise<ComparedRecords> {
  const { featureId, taskId, lastDecision } = await getWorldProgress(graph, project, worldSlug)
  const name = { project, featureId, taskId, worldSlug }
  return {
    ...(await readSessionRecords(graph, name, false)),
    lastDecision,
    durations: await readDurations(graph, project, worldSlug),
    issues: await listIssues(graph, { ...name, role: 'coach' }, ALL_ISSUES),
  }
}

async function readDurations(graph: Graph, project: string, worldSlug: string): Promise<(number | null)[]> {
  const durations: (number | null)[] = []
  for (let after = 0; ; ) {
    const turns = await listTurns(graph, project, worldSlug, { after, limit: PAGE })
    durations.push(...turns.map(({ durationSeconds }) => durationSeconds))
    const last = turns.at(-1)
    if (last === undefined || turns.length < PAGE) return durations
    after = last.turnNumber
  }
}
