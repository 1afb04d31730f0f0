/** Checks if a capture may create a world, and rejects a capture that would fork a session by mistake. */
import * as z from 'zod'
import { invalidField, TurngraphError } from '../../core/errors.ts'
import { keysOfProject, partsOfKey } from '../../core/keys.ts'
import { didYouMean, nearNames } from '../../core/near-names.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { decideNewWorld, isNewWorldSlug } from '../../rules/new-world.ts'
import { keyOfTask, type Scope } from '../scope/scope.ts'
import { restoreUnfinished, unknownWorld } from '../scope/world-errors.ts'

const beforeNew = statement('worlds/before-new')
const beforeRow = z.object({
  specificationVersion: z.number(),
  isRestoring: z.boolean(),
  worldSlugs: z.array(z.string()),
  taskKeys: z.array(z.string()),
})

export type NewWorldRequest = Scope & {
  turnNumber: number
  worldSlug?: string | null | undefined
  createWorld?: boolean | undefined
}

/** Returns warnings. @throws `invalid_request` for an invalid slug, `unknown_world` with near names, `restore_unfinished` */
export async function checkNewWorld(graph: Graph, request: NewWorldRequest): Promise<string[]> {
  const { project, taskId, turnNumber, worldSlug, createWorld = false } = request
  if (worldSlug != null) assertNewWorldSlug(worldSlug)
  const { after } = keysOfProject(project)
  const params = { taskKey: keyOfTask(request), taskId, after }
  const [row] = await readRows(graph, beforeNew, params, beforeRow)
  if (row === undefined) throw new Error('worlds/before-new gave no row')
  if (row.isRestoring) throw restoreUnfinished(request)
  // Another capture created the world first. The next try finds it.
  if (worldSlug != null && row.worldSlugs.includes(worldSlug)) return []
  const otherFeatures = featuresOf(row.taskKeys, request)
  const { refusal, warnings } = decideNewWorld(
    { taskId, turnNumber, isNamed: worldSlug != null, isForced: createWorld },
    { hasWorld: row.worldSlugs.length > 0, isSpecified: row.specificationVersion > 0, otherFeatures },
  )
  if (refusal === 'other_feature') throw taskOfOtherFeature(request, otherFeatures)
  if (refusal === 'unknown_world') throw forkedWorld(project, worldSlug ?? '', row.worldSlugs)
  return warnings
}

/** @throws `invalid_request` */
export function assertNewWorldSlug(worldSlug: string): void {
  if (isNewWorldSlug(worldSlug)) return
  throw invalidField('world_slug', 'must have 1 to 256 of the characters A-Z, a-z, 0-9 and . _ ~ % -', {
    hint: 'Leave it out for a default slug of the task, or percent-encode other characters.',
  })
}

const MAX_OTHER_FEATURES = 3

function featuresOf(taskKeys: readonly string[], { featureId }: Scope): string[] {
  return taskKeys
    .flatMap((key) => partsOfKey(key)[1] ?? [])
    .filter((feature) => feature !== featureId)
    .sort()
    .slice(0, MAX_OTHER_FEATURES)
}

const FORCE = 'send create_world: true (`turngraph capture --create-world`)'

function forkedWorld(project: string, worldSlug: string, worldSlugs: readonly string[]): TurngraphError {
  const near = nearNames(worldSlug, worldSlugs)
  const { code, message } = unknownWorld(project, worldSlug)
  return new TurngraphError(code, message + didYouMean(near), {
    hint: `Name a session of the task, or leave world_slug out for its newest one. For a new session ${FORCE}.`,
    // Without a similar session of the task, the door searches the sessions of the project.
    ...(near.length > 0 && { details: { near } }),
  })
}

const taskOfOtherFeature = ({ project, featureId, taskId }: Scope, features: string[]): TurngraphError =>
  new TurngraphError(
    'unknown_world',
    `Task ${taskId} has no world in feature ${featureId} of project ${project}; another feature has the task.${didYouMean(features)}`,
    {
      hint: `Name that feature. For a session in feature ${featureId} ${FORCE}.`,
      details: { near: features },
    },
  )
