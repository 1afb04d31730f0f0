/** Finds the unknown name of a request, and similar names of the same project. Reads no other project. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { featureKey, keysOfProject, projectKey, taskKey } from '../../core/keys.ts'
import { didYouMean, nearNames } from '../../core/near-names.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'

const scopeStatement = statement('projects/scope')
const featureNames = statement('projects/names', 'features')
const taskNames = statement('projects/names', 'tasks')
const taskNamesOfAll = statement('projects/names', 'tasks-of-project')
const hasTaskStatement = statement('projects/has-task')
const exists = statement('projects/exists')
const worldNames = statement('projects/names', 'worlds')

/** Maximum number of names that are compared: a project may have a hundred thousand. */
const MAX_NAMES = 1_000

const nameRow = z.object({ name: z.string() })
const existsRow = z.object({ found: z.boolean() })
const scopeRow = z.object({ hasProject: z.boolean(), hasFeature: z.boolean(), hasTask: z.boolean() })

/** Message of one or two sentences, with up to three similar names. */
export type MissingName = { message: string; near: string[] }

export type Names = {
  project: string
  featureId?: string | null | undefined
  taskId?: string | null | undefined
  worldSlug?: string | null | undefined
}

export async function findMissingName(
  graph: Graph,
  { project, featureId, taskId }: Names,
): Promise<MissingName | null> {
  const ofProject = { projectKey: projectKey(project) }
  if (featureId == null) {
    if (taskId == null) return null
    const found = await graph.read(hasTaskStatement, { ...ofProject, taskId })
    if (found.length > 0) return null
    const near = await nearAmong(graph, taskNamesOfAll, ofProject, taskId)
    return missing(`No task ${taskId} in project ${project}`, near)
  }
  const [scope] = await readRows(
    graph,
    scopeStatement,
    {
      ...ofProject,
      featureKey: featureKey(project, featureId),
      taskKey: taskKey(project, featureId, taskId ?? ''),
    },
    scopeRow,
  )
  if (scope === undefined || scope.hasTask || (taskId == null && scope.hasFeature)) return null
  const what =
    taskId == null
      ? `No feature ${featureId} in project ${project}`
      : `No task ${taskId} in feature ${featureId} of project ${project}`
  if (!scope.hasProject) return missing(`${what}: nothing is stored in that project`, [])
  if (scope.hasFeature && taskId != null) {
    const ofFeature = { featureKey: featureKey(project, featureId) }
    return missing(what, await nearAmong(graph, taskNames, ofFeature, taskId))
  }
  const near = await nearAmong(graph, featureNames, ofProject, featureId)
  return missing(taskId == null ? what : `${what}: there is no such feature`, near)
}

/** @throws `not_found` with similar names if a feature or a task does not exist */
export async function requireNames(graph: Graph, names: Names): Promise<void> {
  const found = await findMissingName(graph, names)
  if (found === null) return
  throw new TurngraphError('not_found', found.message, {
    hint: '`turngraph worlds` (GET /v1/worlds) lists what there is.',
    details: { near: found.near },
  })
}

/** Rejects an unknown project, which would look like an empty result. @throws `not_found` if the graph has nothing of it */
export async function requireProject(graph: Graph, project: string): Promise<void> {
  const params = { projectKey: projectKey(project), ...keysOfProject(project) }
  const [row] = await readRows(graph, exists, params, existsRow)
  if (row?.found === true) return
  throw new TurngraphError('not_found', `There is no project ${project} in this graph.`, {
    hint: 'Check its spelling (project, TURNGRAPH_PROJECT); the first capture or import into a project makes it.',
  })
}

export const nearWorlds = (graph: Graph, project: string, worldSlug: string): Promise<string[]> =>
  nearAmong(graph, worldNames, { projectKey: projectKey(project) }, worldSlug)

async function nearAmong(graph: Graph, from: Statement, params: Params, name: string): Promise<string[]> {
  const rows = await readRows(graph, from, { ...params, limit: MAX_NAMES }, nameRow)
  return nearNames(
    name,
    rows.map((row) => row.name),
  )
}

const missing = (what: string, near: string[]): MissingName => ({
  message: `${what}.${didYouMean(near)}`,
  near,
})
