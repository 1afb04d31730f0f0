import type { TurngraphClient } from '../client/client.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'
import { readPages } from './pages.ts'

/**
 * Tells a project that is misspelt from one in which nothing is found. The names that are near to it are those that the
 * caller may read.
 *
 * @throws `not_found` with near names where the graph holds nothing of the project
 */
export async function requireProject(client: TurngraphClient, project: string): Promise<void> {
  const { items } = await readPages({}, (window) => client.listProjects(window))
  const names = items.map((item) => item.project)
  if (names.includes(project)) return
  const near = nearNames(project, names)
  throw new TurngraphError('not_found', `There is no project ${project} in this graph.${didYouMean(near)}`, {
    hint: '`turngraph projects` lists them; the first capture or import into a project makes it.',
    details: { near },
  })
}

/** Runs what asks about a project, and says so where it fails because the project that `--project` names is not there. */
export async function withProjectChecked<T>(
  client: TurngraphClient,
  project: string | undefined,
  use: (client: TurngraphClient) => Promise<T>,
): Promise<T> {
  try {
    return await use(client)
  } catch (error) {
    if (project !== undefined && hasCode(error, 'not_found')) await requireProject(client, project)
    throw error
  }
}
