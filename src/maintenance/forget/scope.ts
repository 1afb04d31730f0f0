import { TurngraphError } from '../../core/errors.ts'
import { LATEST_INSTANT } from '../../core/instants.ts'
import { projectKey, taskKey, worldKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import type { ForgetRequest, SkippedWorld } from './record.ts'
import { type GoingWorld, goingWorld } from './world.ts'

const oneWorld = statement('forget/world')
const worldsOfTask = statement('forget/worlds-of-task')
const worldsOfProject = statement('forget/worlds-of-project')

/** What is to be forgotten: where its worlds are found, and what says which of all worlds they are. */
export type Scope = {
  from: Statement
  params: Params
  only: { onlyWorld: string; onlyTask: string }
  /** Null: whatever is there. */
  before: string | null
  isProject: boolean
  project: string
}

/** @throws `invalid_request` where it is not one of the three */
export function scopeOf(request: ForgetRequest): Scope {
  const { project, worldSlug, featureId, taskId, wholeProject, before = null } = request
  const named = [worldSlug != null, featureId != null || taskId != null, wholeProject === true]
  if (named.filter(Boolean).length !== 1 || (featureId == null) !== (taskId == null)) throw unclear()
  const common = { before, isProject: wholeProject === true, project }
  if (worldSlug != null) {
    const key = worldKey(project, worldSlug)
    return { ...common, from: oneWorld, params: { worldKey: key }, only: { onlyWorld: key, onlyTask: '' } }
  }
  if (featureId != null && taskId != null) {
    const key = taskKey(project, featureId, taskId)
    return { ...common, from: worldsOfTask, params: { taskKey: key }, only: { onlyWorld: '', onlyTask: key } }
  }
  const params = { projectKey: projectKey(project) }
  return { ...common, from: worldsOfProject, params, only: { onlyWorld: '', onlyTask: '' } }
}

function unclear(): TurngraphError {
  const message = 'give world_slug, or feature_id and task_id, or whole_project: true; one of the three'
  return new TurngraphError('invalid_request', `forget: ${message}`, {
    hint: 'It says what is to be forgotten; before says of what age.',
    details: { problems: [{ path: '', message }] },
  })
}

export const beforeOf = ({ before }: Pick<Scope, 'before'>): string => before ?? LATEST_INSTANT

/** A world, by its place among all that go. */
export type Position = { afterTask: string; afterWorld: string }
export const FIRST: Position = { afterTask: '', afterWorld: '' }
export const positionOf = ({ taskKey: afterTask, key: afterWorld }: GoingWorld): Position => ({
  afterTask,
  afterWorld,
})

const WORLDS_AT_ONCE = 200

/** A page of the worlds that go, those of a task one after another; `next` is null on the last one. */
export async function worldsThatGo(
  graph: Graph,
  scope: Scope,
  position: Position,
): Promise<{ worlds: GoingWorld[]; next: Position | null }> {
  const params = { ...scope.params, ...position, before: beforeOf(scope), limit: WORLDS_AT_ONCE }
  const worlds = await readRows(graph, scope.from, params, goingWorld)
  const last = worlds.length === WORLDS_AT_ONCE ? worlds.at(-1) : undefined
  return { worlds, next: last === undefined ? null : positionOf(last) }
}

export const isBusy = ({ activeRunId, activeAttemptId }: GoingWorld): boolean =>
  activeRunId != null || activeAttemptId != null

export const skippedWorld = ({ slug, activeRunId, activeAttemptId }: GoingWorld): SkippedWorld => ({
  worldSlug: slug,
  attemptId: activeAttemptId ?? activeRunId ?? '',
  turnRunId: activeRunId ?? null,
})
