/** Defines the scope of a task, its key, and the default slugs of its worlds. */
import * as z from 'zod'
import { featureKey, projectKey, sha256, taskKey } from '../../core/keys.ts'

export type Scope = { project: string; featureId: string; taskId: string }

export const keyOfTask = ({ project, featureId, taskId }: Scope): string =>
  taskKey(project, featureId, taskId)

/** Builds the parameters of `projects/_task`: a task with its feature and project. */
export const taskParams = (scope: Scope) => ({
  projectKey: projectKey(scope.project),
  project: scope.project,
  featureKey: featureKey(scope.project, scope.featureId),
  featureId: scope.featureId,
  taskKey: keyOfTask(scope),
  taskId: scope.taskId,
})

/** Longer slugs could not be sent back as a `world_slug` (256 characters). */
const MAX_SLUG = 240

/** Builds a slug: the percent-encoded task id, then `.2`, `.3` … If another task has it, starts with `{feature_id}.`. */
export function defaultSlug(
  { featureId, taskId }: Pick<Scope, 'featureId' | 'taskId'>,
  ordinal: number,
  withFeature: boolean,
): string {
  const base = withFeature ? `${encode(featureId)}.${encode(taskId)}` : encode(taskId)
  const short =
    base.length <= MAX_SLUG ? base : `${base.slice(0, MAX_SLUG - 17)}~${sha256(base).slice(0, 16)}`
  return ordinal === 1 ? short : `${short}.${ordinal}`
}

const encode = (text: string): string =>
  text.replace(/[^A-Za-z0-9._-]/gu, (character) =>
    [...Buffer.from(character, 'utf8')]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )

/** Fields of an answer about a task that may be unknown. */
export const knownTask = {
  taskKnown: z.boolean().describe('false: nothing is stored of the task; see `near`'),
  near: z.array(z.string()).optional().describe('only of a task that is not known: up to three near names'),
  taskMessage: z.string().optional().describe('only of a task that is not known: that, in a sentence'),
}

export type KnownTask = { taskKnown: boolean; near?: string[]; taskMessage?: string }
