import * as z from 'zod'
import { projectKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { compareKeys, firstAfter, windowAfter } from './order.ts'
import { keysAfter, stored } from './read.ts'

/** What hangs on what, a page at a time, by key: a hub's children are walked, no label is scanned but for the projects. */

const projects = statement('export/projects')
const transcriptProjects = statement('export/transcript-projects')
const features = statement('export/features')
const tasks = statement('export/tasks')
const tasksSince = statement('export/tasks-since')
const worlds = statement('export/worlds')
const worldsSince = statement('export/worlds-since')

/** So many make a page; a shorter one is the last. */
export const AT_ONCE = 100

const nameRow = z.object({ name: z.string() })

/** The projects after one, by name; one may have transcripts alone. */
export async function projectsAfter(graph: Graph, after: string): Promise<string[]> {
  const params = { after: windowAfter(after, 1).after }
  const rows = [
    ...(await readRows(graph, projects, params, nameRow)),
    ...(await readRows(graph, transcriptProjects, params, nameRow)),
  ]
  const names = new Set(rows.map(({ name }) => name).filter((name) => compareKeys(name, after) > 0))
  return [...names].sort(compareKeys)
}

export const projectAfter = async (graph: Graph, after: string): Promise<string | null> =>
  (await projectsAfter(graph, after))[0] ?? null

const featureRow = z.object({ feature: stored('Feature') })

export async function featuresAfter(graph: Graph, project: string, after: string) {
  const params = { projectKey: projectKey(project), ...windowAfter(after, AT_ONCE) }
  const rows = await readRows(graph, features, params, featureRow)
  return firstAfter(rows, ({ feature }) => feature.key, after, AT_ONCE).map(({ feature }) => feature)
}

/** @param since those alone that have a world which moved since */
export function tasksAfter(
  graph: Graph,
  featureKey: string,
  since: string | null,
  after: string,
): Promise<string[]> {
  return since === null
    ? keysAfter(graph, tasks, { featureKey }, after, AT_ONCE)
    : keysAfter(graph, tasksSince, { featureKey, since }, after, AT_ONCE)
}

export function worldsAfter(
  graph: Graph,
  taskKey: string,
  since: string | null,
  after: string,
): Promise<string[]> {
  return since === null
    ? keysAfter(graph, worlds, { taskKey }, after, AT_ONCE)
    : keysAfter(graph, worldsSince, { taskKey, since }, after, AT_ONCE)
}
