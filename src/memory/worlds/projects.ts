import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { keysOfProject, projectKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'

const holds = statement('projects/holds')
const holdsRow = z.object({ holds: z.boolean() })

/**
 * For whoever asks about all of a project: of one that is misspelt, "nothing found" would look like good news.
 *
 * @throws `not_found` where the graph holds nothing of it
 */
export async function requireProject(graph: Graph, project: string): Promise<void> {
  const params = { projectKey: projectKey(project), ...keysOfProject(project) }
  const [found] = await readRows(graph, holds, params, holdsRow)
  if (found?.holds === true) return
  throw new TurngraphError('not_found', `There is no project ${project} in this graph.`, {
    hint: 'Check its spelling (project, TURNGRAPH_PROJECT); the first capture or import into a project makes it.',
  })
}
