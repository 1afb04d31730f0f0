/** Adds older turns to topics again after a newer turn, which had displaced them, has left. */
import { randomUUID } from 'node:crypto'
import { hasCode } from '../../core/errors.ts'
import { keysOfProject } from '../../core/keys.ts'
import { readKeys } from '../../graph/decode.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'

const incompleteByKeys = statement('elsewhere/incomplete-topics', 'by-keys')
const incompleteOfProject = statement('elsewhere/incomplete-topics', 'of-project')
const emptyTopics = statement('elsewhere/refill-topics', 'begin')
const fillTopics = statement('elsewhere/refill-topics', 'fill')
const deleteEmptyTopics = statement('elsewhere/delete-empty-topics', 'by-keys')

/** Maximum number of topics that one transaction refills; the others keep their mark. */
const MOST_AT_ONCE = 500

/**
 * Refills the topics of a project that are marked as incomplete. It runs after a stored write, so it never fails it: topics
 * that it did not reach in time keep their mark, by which the next refill of the project and the doctor find them.
 *
 * @param keys keys of topics; default: all topics of the project
 * @returns number of deleted topics, which had no turn left
 */
export async function refillTopics(graph: Graph, project: string, keys?: readonly string[]): Promise<number> {
  let gone = 0
  try {
    for (;;) {
      const incomplete = await (keys === undefined
        ? readKeys(graph, incompleteOfProject, { ...keysOfProject(project), limit: MOST_AT_ONCE })
        : readKeys(graph, incompleteByKeys, { keys: [...keys], limit: MOST_AT_ONCE }))
      if (incomplete.length === 0) return gone
      const answers = await graph.write(refillSteps(project, incomplete))
      gone += Number(answers?.at(-1)?.[0]?.gone ?? 0)
      if (incomplete.length < MOST_AT_ONCE) return gone
    }
  } catch (error) {
    if (!hasCode(error, 'timeout', 'store_unavailable', 'busy')) throw error
    return gone
  }
}

/** @param keys keys of topics in ascending order, the order of their locks */
export const refillSteps = (project: string, keys: string[]): [Step, ...Step[]] => [
  { statement: emptyTopics, params: { keys, token: randomUUID() } },
  { statement: fillTopics, params: { keys, ...keysOfProject(project) } },
  { statement: deleteEmptyTopics, params: { keys } },
]
