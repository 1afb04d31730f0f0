/** Walks the features, tasks and worlds of a project, depth first, each by key: no page scans a label. */
import { projectKey } from '../../core/keys.ts'
import type { Graph } from '../../graph/port.ts'
import { keysBelow, LEVELS, type Place, projectsAfter } from './read.ts'

/** What is exported: a project's records, or those of all; with an instant what moved since. */
export type Exported = { project: string | null; since: string | null }

/** The project itself or all, from a place on. */
export async function* projectsOf(
  graph: Graph,
  { project }: Exported,
  from: Place | null,
): AsyncGenerator<string> {
  let name = project ?? from?.project ?? (await projectsAfter(graph, ''))[0]
  while (name !== undefined) {
    yield name
    name = project === null ? (await projectsAfter(graph, name))[0] : undefined
  }
}

/** All places below one. From a place on it begins with those that lead there. */
export async function* placesBelow(
  graph: Graph,
  above: Place,
  since: string | null,
  from: Place | null,
): AsyncGenerator<Place> {
  const level = LEVELS.find((name) => above[name] === undefined)
  if (level === undefined) return
  const owner = above.task ?? above.feature ?? projectKey(above.project)
  const first = from?.[level]
  if (first !== undefined) yield* withThoseBelow(graph, { ...above, [level]: first }, since, from)
  for await (const key of keysBelow(graph, level, owner, since, first ?? ''))
    yield* withThoseBelow(graph, { ...above, [level]: key }, since, null)
}

async function* withThoseBelow(
  graph: Graph,
  at: Place,
  since: string | null,
  from: Place | null,
): AsyncGenerator<Place> {
  yield at
  yield* placesBelow(graph, at, since, from)
}

/** Whether two places are the same. */
export const isAt = (a: Place, b: Place | null): boolean =>
  b !== null && a.project === b.project && LEVELS.every((level) => a[level] === b[level])
