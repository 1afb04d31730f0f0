/** Deletes a world with its descendants, and its task, feature and project if they become empty. */
import { toInstant } from '../../core/instants.ts'
import { relationships } from '../../graph/model/relationships.ts'
import { deleteByKeys } from '../../graph/model-statements.ts'
import type { Graph } from '../../graph/port.ts'
import { generated, statement } from '../../graph/statements.ts'
import { forgetCriteria } from './criteria.ts'
import {
  addCounts,
  type Counts,
  type DeletePiece,
  deleteAll,
  deleteEmpty,
  deleteNodes,
  deleteOwned,
  inOnePiece,
  kindsOwnedBy,
  type Progress,
} from './delete-nodes.ts'
import type { WorldToForget } from './scope.ts'

const beginWorld = statement('forget/begin-world')
const lockWorld = statement('forget/lock-world')
const giveUpRestore = statement('forget/give-up-restore')
const deleteWorld = deleteByKeys('World')
const kinds = kindsOwnedBy('World')
/** Relationships of a world to criteria: the meaning of labels, and the progress. They mean nothing without turns. */
const links = relationships.filter(({ from, owner }) => from.includes('World') && owner === null)
const unlinkWorld = generated(
  'forget/unlink-world',
  `// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[r:${links.map(({ type }) => type).join('|')}]->()
WITH r
LIMIT $limit
DELETE r
RETURN count(*) AS gone`,
)

/** `busy`: a run or an attempt is active in the world. */
export type WorldForgotten = 'gone' | 'busy' | 'more'

/**
 * Hides a world first and deletes its node last, so that a killed operation finds the world again. Each piece locks the world and
 * checks that it still exists: another forget may delete it first, and then its slug and the keys of its turns are free.
 *
 * @param isLastOfItsTask true if no other world of its task is about to be deleted. The criteria of the task then lose the texts
 *   and labels that only deleted turns used, before the node of the world is deleted.
 */
export async function forgetWorld(
  graph: Graph,
  { key, taskKey, creation }: Pick<WorldToForget, 'key' | 'taskKey' | 'creation'>,
  isLastOfItsTask: boolean,
  progress: Progress,
): Promise<WorldForgotten> {
  const token = crypto.randomUUID()
  const params = { worldKey: key, creation, token }
  const begin = { statement: beginWorld, params: { ...params, now: toInstant(new Date()) } }
  if ((await graph.write([begin])) === null) return 'busy'
  const lock = { statement: lockWorld, params }
  let isDeletedByAnother = false
  const deletePiece: DeletePiece = async (run, kind, nodes) => {
    isDeletedByAnother = (await run(lock)).length === 0
    return isDeletedByAnother ? null : deleteNodes(run, kind, nodes)
  }
  const isAllGone =
    (await deleteOwned(graph, kinds, [key], progress, deletePiece)) &&
    (isDeletedByAnother || (await deleteAll(graph, unlinkWorld, { worldKey: key }, null, progress, lock))) &&
    (!isLastOfItsTask || (await forgetCriteria(graph, taskKey, progress)))
  if (!isAllGone) return 'more'
  await inOnePiece(graph, progress, async (run) => {
    if ((await run(lock)).length === 0) return null
    await run({ statement: giveUpRestore, params: { worldKey: key, token } })
    await run({ statement: deleteWorld, params: { keys: [key] } })
    const counts: Counts = { World: 1 }
    addCounts(counts, await deleteEmpty(run, taskKey))
    return counts
  })
  return 'gone'
}
