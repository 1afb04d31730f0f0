/** Reads the content of a report: one session, or the sessions of a project. */

import type { TurngraphClient } from '../../client/client.ts'
import { hasCode, TurngraphError } from '../../core/errors.ts'
import { plural } from '../../core/plural.ts'
import type { Role } from '../../memory/criteria/views.ts'
import { quoteForShell } from '../../rules/command-line.ts'
import { DAMAGED } from '../../rules/session-outcome.ts'
import { askInWireForm } from '../ask-in-wire-form.ts'
import { requireProject } from '../require-project.ts'
import { cutSession } from './cut-session.ts'
import { readSession } from './read-session.ts'
import type { Cut, ReportContent, SessionContent } from './report-content.ts'

/** Maximum number of listed sessions, which is one page. */
const MAX_LISTED = 500
const MAX_IN_FULL = 50
/** Maximum size of the file: a pull request accepts 25 MB. */
const MAX_BYTES = 24_000_000

export async function readSessionReport(
  client: TurngraphClient,
  project: string,
  worldSlug: string,
  role: Role,
): Promise<ReportContent> {
  const details = [cutSession(await readSession(client, { project, worldSlug }, role), role)]
  return { project, role, sessions: null, details, cuts: [] }
}

/** @throws `not_found` with similar names if the graph has nothing of the project */
export async function readProjectReport(
  client: TurngraphClient,
  project: string,
  role: Role,
  mostBytes = MAX_BYTES,
): Promise<ReportContent> {
  const { items: listed, next_cursor } = await askInWireForm(client, 'listWorlds', {
    project,
    order: 'last_activity',
    limit: MAX_LISTED,
  })
  if (listed.length === 0) await requireProject(client, project)
  const details: SessionContent[] = []
  const deleted = new Set<string>()
  const { renderReport } = await import('#report')
  const measure = (content: Omit<ReportContent, 'project' | 'role' | 'cuts'>) =>
    Buffer.byteLength(renderReport({ project, role, cuts: [], ...content }))
  // Measures the rendered content: an empty cell of a matrix has no data, but a hundred characters in the file.
  let bytes = measure({ sessions: { items: listed, hasMore: next_cursor !== null }, details: [] })
  const sound = listed.filter(({ outcome }) => outcome !== DAMAGED)
  for (const { world_slug: worldSlug } of sound.slice(0, MAX_IN_FULL)) {
    const whole = await unlessDeleted(readSession(client, { project, worldSlug }, role))
    if (whole === null) {
      deleted.add(worldSlug)
      continue
    }
    const session = cutSession(whole, role)
    bytes += measure({ sessions: null, details: [session] })
    if (bytes > mostBytes) break
    details.push(session)
  }
  const items = listed
    .filter(({ world_slug }) => !deleted.has(world_slug))
    .map((world) => (role === 'player' ? hideGate(world) : world))
  const hasMore = next_cursor !== null
  const cuts = listCuts(project, role, sound.length - deleted.size - details.length, hasMore)
  return { project, role, sessions: { items, hasMore }, details, cuts }
}

const hideGate = <W extends { outcome: string }>(world: W): W =>
  world.outcome.startsWith('blocked by ') ? { ...world, outcome: 'blocked' } : world

/** Returns null if the session was deleted after it was listed, which may be minutes ago in a long report. */
export const unlessDeleted = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((error: unknown) => {
    if (hasCode(error, 'world_deleted', 'unknown_world')) return null
    throw error
  })

function listCuts(project: string, role: Role, notInFull: number, hasMore: boolean): Cut[] {
  const of = `--project ${quoteForShell(project)}`
  const cuts: [boolean, string, string][] = [
    [hasMore, `The list is cut after ${MAX_LISTED} sessions`, `turngraph worlds ${of}`],
    [
      notInFull > 0,
      `In the list alone, the least active: ${plural(notInFull, 'session')}`,
      `turngraph report ${of} --world SESSION${role === 'player' ? ' --role player' : ''}`,
    ],
  ]
  return cuts.flatMap(([isCut, says, command]) => (isCut ? [{ says, command }] : []))
}

/** @throws `not_found` if the graph has nothing of the task, or the task has no session yet */
export async function findNewestSession(
  client: TurngraphClient,
  task: { project: string; featureId: string | undefined; taskId: string },
): Promise<string> {
  const { worldSlug, taskKnown, taskMessage, near } = await client.listCriteria({ ...task, role: 'player' })
  if (worldSlug !== null) return worldSlug
  const message = taskKnown ? undefined : taskMessage
  throw new TurngraphError('not_found', message ?? `Task ${task.taskId} has no session yet.`, {
    hint: '`turngraph worlds` lists the sessions of a project, with their tasks.',
    ...(near !== undefined && { details: { near } }),
  })
}
