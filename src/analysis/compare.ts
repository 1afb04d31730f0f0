/** Compares two sessions of a project (contract: page.md, "Compare and replay"). */
import { withOneDeadline } from '../graph/deadline.ts'
import type { Graph } from '../graph/port.ts'
import { listIssues } from '../memory/issues/list-issues.ts'
import { listTurns } from '../memory/worlds/read-turns.ts'
import { getWorldProgress } from '../memory/worlds/world-progress.ts'
import { type ComparedRecords, compareSessions, type SessionComparison } from '../rules/compare-sessions.ts'
import { readSessionRecords } from './session-records.ts'

/** Number of records or issues of one read. */
const PAGE = 100

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
    issues: await readIssues(graph, name),
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

async function readIssues(
  graph: Graph,
  name: { project: string; featureId: string; taskId: string; worldSlug: string },
): Promise<ComparedRecords['issues']> {
  const issues: ComparedRecords['issues'][number][] = []
  for (let after = { turn: 0, position: -1 }; ; ) {
    const page = await listIssues(graph, { ...name, role: 'coach' }, { after, limit: PAGE })
    issues.push(...page.map(({ severity, state }) => ({ severity, state })))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return issues
    after = { turn: last.openedInTurn, position: last.position }
  }
}
