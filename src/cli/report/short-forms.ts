/** Writes the short forms of a report, Markdown and JUnit, of one session or of a project. */
import type { TurngraphClient } from '../../client/client.ts'
import { type Given, ROLES } from '../command.ts'
import { missingOption } from '../folder-task.ts'
import type { SessionFacts } from './session-facts.ts'

/** Maximum wait of each call for the rate limit: a report makes thousands of calls. */
const RATE_LIMIT_WAIT_MS = 180_000

/** Maximum number of sessions in full, the last active first. */
const MAX_SESSIONS = 50

export const REPORT_TARGET = {
  featureId: ['--feature <id>', 'the feature of --task'],
  taskId: ['--task <id>', 'the task'],
  worldSlug: [
    '--world <slug>',
    'this session (default: the newest of --task, otherwise all of the project)',
    { conflicts: ['feature', 'task'] },
  ],
  role: ['--role <role>', 'for whom (default: coach); a player sees no evidence and no gates', ROLES],
} as const

export type ReportTarget = Given<typeof REPORT_TARGET>

/** @throws `invalid_request` if only one of feature and task is given */
export function requireTargetIfAny({ featureId, taskId }: ReportTarget): void {
  if (featureId === undefined && taskId !== undefined) throw missingOption('--feature')
  if (featureId !== undefined && taskId === undefined) throw missingOption('--task')
}

/** @throws `not_found` if the graph has no data of the project, or the task has no session */
export async function writeShortForm(
  format: 'markdown' | 'junit',
  project: string | undefined,
  target: ReportTarget,
): Promise<string> {
  const { of, sessions, unread } = await withReportClient(project, async (client, of) => ({
    of,
    ...(await readFacts(client, of, target)),
  }))
  if (format === 'junit') {
    const { renderJunit } = await import('./junit.ts')
    return renderJunit(sessions)
  }
  const { renderMarkdown } = await import('./markdown.ts')
  return renderMarkdown(of, sessions, { unread })
}

export async function withReportClient<T>(
  project: string | undefined,
  read: (client: TurngraphClient, project: string) => Promise<T>,
): Promise<T> {
  const { withClient } = await import('../connect.ts')
  return withClient({ project, readsOnly: true, rateLimitWaitMs: RATE_LIMIT_WAIT_MS }, async (client) =>
    read(client, project ?? (await client.describeCaller({})).project),
  )
}

/** Finds the slug of the session of a report; null for a report of the whole project. */
export async function findTargetSlug(
  client: TurngraphClient,
  project: string,
  { featureId, taskId, worldSlug }: ReportTarget,
): Promise<string | null> {
  if (worldSlug !== undefined) return worldSlug
  if (taskId === undefined) return null
  const { findNewestSession } = await import('./read-report.ts')
  return findNewestSession(client, { project, featureId, taskId })
}

async function readFacts(
  client: TurngraphClient,
  project: string,
  { role = 'coach', ...target }: ReportTarget,
): Promise<{ sessions: SessionFacts[]; unread: number }> {
  const { readSessionFacts } = await import('./session-facts.ts')
  const { unlessDeleted } = await import('./read-report.ts')
  const only = await findTargetSlug(client, project, target)
  if (only !== null)
    return { sessions: [await readSessionFacts(client, { project, worldSlug: only }, role)], unread: 0 }
  const { readPages, requireProject } = await import('../require-project.ts')
  const { items } = await readPages({}, (window) =>
    client.listWorlds({ project, order: 'last_activity', ...window }),
  )
  if (items.length === 0) await requireProject(client, project)
  const sessions: SessionFacts[] = []
  for (const listed of items.slice(0, MAX_SESSIONS)) {
    const session = { project, worldSlug: listed.worldSlug }
    const facts = await unlessDeleted(readSessionFacts(client, session, role, listed))
    if (facts !== null) sessions.push(facts)
  }
  return { sessions, unread: Math.max(0, items.length - MAX_SESSIONS) }
}
