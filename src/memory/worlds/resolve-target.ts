/** Finds the task that a request is about, and says so where the task is not known. */
import { hasCode, TurngraphError } from '../../core/errors.ts'
import { didYouMean } from '../../core/near-names.ts'
import type { Graph } from '../../graph/port.ts'
import { findMissingName, type Names, nearWorlds } from './missing-name.ts'
import type { KnownTask, Scope } from './scope.ts'
import { unknownWorld } from './world-errors.ts'
import { getWorld } from './worlds.ts'

/**
 * The same request with its feature and task: a world's slug alone is enough, which takes one more look-up.
 *
 * @throws `invalid_request` where neither the task nor a world is named; `unknown_world`, also where the world is not
 *   of the feature or task that stand beside it; `world_deleted`
 */
export async function resolveTarget<T extends Names>(graph: Graph, request: T): Promise<T & Scope> {
  const { project, featureId, taskId, worldSlug } = request
  if (featureId != null && taskId != null) return { ...request, featureId, taskId }
  if (worldSlug == null) throw noTarget(request)
  const world = await getWorld(graph, project, worldSlug)
  const agrees =
    (featureId ?? world.featureId) === world.featureId && (taskId ?? world.taskId) === world.taskId
  if (!agrees) throw unknownWorld(project, worldSlug)
  return { ...request, featureId: world.featureId, taskId: world.taskId }
}

function noTarget({ featureId, taskId }: Names): TurngraphError {
  const paths = [...(featureId == null ? ['feature_id'] : []), ...(taskId == null ? ['task_id'] : [])]
  const problems = paths.map((path) => ({ path, message: 'is missing' }))
  const message = problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ')
  return new TurngraphError('invalid_request', message, {
    hint: 'Name the feature and the task, or a world of the task (world_slug).',
    details: { problems },
  })
}

/**
 * What `read` answers, and whether the task is known. Only an answer that found nothing takes a look at the names: loops ask
 * before anything is stored, and a misspelt name would look like a first turn to them.
 *
 * @param found whether an answer itself shows that the task is known
 */
export async function readWithTaskKnown<A extends object>(
  graph: Graph,
  names: Names,
  read: () => Promise<A>,
  found: (answer: A) => boolean,
): Promise<A & KnownTask> {
  const answer = await read()
  if (found(answer)) return { ...answer, taskKnown: true }
  const missing = await findMissingName(graph, names)
  if (missing !== null) {
    return { ...answer, taskKnown: false, near: missing.near, taskMessage: missing.message }
  }
  // Its first turn may have been stored between the two looks.
  return { ...(await read()), taskKnown: true }
}

/**
 * An error about something that is not there, with the names near to it in its details (`near`). A world that exists but
 * is of another task stays `unknown_world`, and the message says so.
 */
export async function withNearNames(graph: Graph, names: Partial<Names>, error: unknown): Promise<unknown> {
  if (!hasCode(error, 'unknown_world', 'not_found') || hasNear(error)) return error
  const { project, worldSlug } = names
  if (error.code === 'not_found' || project == null || worldSlug == null)
    return said(error, error.message, [])
  try {
    const world = await getWorld(graph, project, worldSlug)
    const message = `World ${worldSlug} of project ${project} is of task ${world.taskId} in feature ${world.featureId}, not of the task that is named.`
    return said(error, message, [])
  } catch (absent) {
    if (!hasCode(absent, 'unknown_world')) return error
  }
  const near = await nearWorlds(graph, project, worldSlug).catch(() => [])
  return said(error, error.message + didYouMean(near), near)
}

const hasNear = ({ details }: TurngraphError): boolean =>
  typeof details === 'object' && details !== null && 'near' in details

const said = ({ code, hint, details, cause }: TurngraphError, message: string, near: string[]) =>
  new TurngraphError(code, message, {
    hint: hint ?? undefined,
    details: { ...(typeof details === 'object' ? details : {}), near },
    cause,
  })
