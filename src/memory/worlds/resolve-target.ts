/** Finds the task of a request, and reports an unknown task. */
import { hasCode, invalidFields, TurngraphError } from '../../core/errors.ts'
import { didYouMean } from '../../core/near-names.ts'
import type { Graph } from '../../graph/port.ts'
import { findMissingName, type Names, nearWorlds } from '../scope/missing-name.ts'
import type { KnownTask, Scope } from '../scope/scope.ts'
import { unknownWorld } from '../scope/world-errors.ts'
import { getWorld } from './worlds.ts'

/**
 * Completes a request with its feature and task. A world's slug is sufficient and needs one more look-up.
 *
 * @throws `invalid_request` if neither the task nor a world is named; `unknown_world`, also if the world does not belong to the
 *   given feature or task; `world_deleted`
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
  return invalidFields(problems, {
    hint: 'Name the feature and the task, or a world of the task (world_slug).',
  })
}

/**
 * Completes a request about a task. Returns the answer of `read`, and whether the task is known. Looks up the names only if the
 * answer is empty: loops ask before the first turn is stored, and a misspelled name would look like a first turn.
 *
 * @param found returns true if an answer proves that the task is known
 */
export async function readOfTask<T extends Names, A extends object>(
  graph: Graph,
  names: T,
  read: (request: T & Scope) => Promise<A>,
  found: (answer: A) => boolean,
): Promise<A & KnownTask> {
  const request = await resolveTarget(graph, names)
  const answer = await read(request)
  if (found(answer)) return { ...answer, taskKnown: true }
  const missing = await findMissingName(graph, request)
  if (missing !== null) {
    return { ...answer, taskKnown: false, near: missing.near, taskMessage: missing.message }
  }
  // The first turn may have been stored between the two reads.
  return { ...(await read(request)), taskKnown: true }
}

/** Adds similar names to an error. A world of another task stays `unknown_world`, and the message names the cause. */
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
