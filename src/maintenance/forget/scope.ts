/** Finds the worlds in the scope of a request to forget, page by page. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { LATEST_INSTANT } from '../../core/instants.ts'
import { projectKey, taskKey, worldKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { optionalText } from '../../rules/values.ts'
import type { ForgetRequest, SkippedWorld } from './record.ts'

const [ofWorld, ofTask, ofProject] = (['world', 'task', 'project'] as const).map((of) =>
  statement('forget/worlds', of),
) as [Statement, Statement, Statement]

export type Scope = { worlds: Statement; key: string; before: string }

/** @throws `invalid_request` unless a request names exactly one scope */
export function requireOneScope({
  worldSlug,
  featureId,
  taskId,
  sessionId,
  wholeProject,
}: ForgetRequest): void {
  const isOfTask = featureId != null || taskId != null
  const named = [worldSlug != null, isOfTask, sessionId != null, wholeProject === true]
  if (named.filter(Boolean).length !== 1 || (featureId == null) !== (taskId == null)) throw unclear()
}

/** Returns the statement and key that find the worlds of a request. A request for a transcript session has no worlds. */
export function toScope(request: ForgetRequest): Scope {
  const { project, worldSlug, featureId, taskId, wholeProject, before } = request
  requireOneScope(request)
  const since = { before: before ?? LATEST_INSTANT }
  if (worldSlug != null) return { ...since, worlds: ofWorld, key: worldKey(project, worldSlug) }
  if (featureId != null && taskId != null)
    return { ...since, worlds: ofTask, key: taskKey(project, featureId, taskId) }
  if (wholeProject === true) return { ...since, worlds: ofProject, key: projectKey(project) }
  throw new Error('a session of transcripts has no worlds')
}

function unclear(): TurngraphError {
  const message =
    'give world_slug, or feature_id and task_id, or session_id, or whole_project: true; one of the four'
  return new TurngraphError('invalid_request', `forget: ${message}`, {
    hint: 'It says what is to be forgotten; before says of what age.',
    details: { problems: [{ path: '', message }] },
  })
}

const worldToForget = z.object({
  key: z.string(),
  slug: z.string(),
  taskKey: z.string(),
  creation: z.string(),
  turnCount: z.number(),
  activeRunId: optionalText,
  activeAttemptId: optionalText,
})
export type WorldToForget = z.output<typeof worldToForget>

export const worldPosition = z.strictObject({ afterTask: z.string(), afterWorld: z.string() })
type Position = z.output<typeof worldPosition>

const WORLDS_AT_ONCE = 200

/** Yields pages of the worlds in scope, grouped by task, each page with the position of the next one. */
export async function* worldsToForget(
  graph: Graph,
  { worlds: from, key, before }: Scope,
  position: Position = { afterTask: '', afterWorld: '' },
): AsyncGenerator<{ worlds: WorldToForget[]; next: Position | null }> {
  for (let at: Position | null = position; at !== null; ) {
    const params = { key, before, ...at, limit: WORLDS_AT_ONCE }
    const worlds: WorldToForget[] = await readRows(graph, from, params, worldToForget)
    const last = worlds.length === WORLDS_AT_ONCE ? worlds.at(-1) : undefined
    at = last === undefined ? null : { afterTask: last.taskKey, afterWorld: last.key }
    yield { worlds, next: at }
  }
}

/** Describes a world that stays because a run or an attempt is active in it; null if none is active. */
export const skippedWorld = ({ slug, activeRunId, activeAttemptId }: WorldToForget): SkippedWorld | null =>
  activeRunId === null && activeAttemptId === null
    ? null
    : { worldSlug: slug, attemptId: activeAttemptId ?? activeRunId ?? '', turnRunId: activeRunId }
