import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { keysOfProject, projectKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'

const exists = statement('projects/exists')
const existsRow = z.object({ found: z.boolean() })

/**
 * Fails on an unknown project, so that a typo is no clean result.
 *
 * @throws `not_found` where the graph holds nothing of it
 */
export async function requireProject(graph: Graph, project: string): Promise<void> {
  const params = { projectKey: projectKey(project), ...keysOfProject(project) }
  const [row] = await readRows(graph, exists, params, existsRow)
  if (row?.found === true) return
  throw new TurngraphError('not_found', `There is no project ${project} in this graph.`, {
    hint: 'Check its spelling (project, TURNGRAPH_PROJECT); the first capture or import into a project makes it.',
  })
}
