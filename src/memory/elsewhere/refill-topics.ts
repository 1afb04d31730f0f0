/** Puts back into topics the older turns that they had pushed out, where one that they named has left. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { hasCode } from '../../core/errors.ts'
import { keysOfProject, partsOfKey, TOPIC_KINDS } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'

const incompleteByKeys = statement('elsewhere/incomplete-topics', 'by-keys')
const incompleteOfProject = statement('elsewhere/incomplete-topics', 'of-project')
const refillTopic = {
  file: statement('elsewhere/refill-topic', 'work'),
  gate: statement('elsewhere/refill-topic', 'work'),
  issue: statement('elsewhere/refill-topic', 'issue'),
  feature: statement('elsewhere/refill-topic', 'feature'),
}
const deleteEmptyTopics = statement('elsewhere/delete-empty-topics', 'by-keys')

const topicKind = z.enum(TOPIC_KINDS)
const keyRow = z.object({ key: z.string() })

/** Nothing more is begun after this: each topic takes a look at all turns of its project. */
const WORK_MS = 2_000

/**
 * Refills the topics of a project that are marked as incomplete. It follows a write that is stored already, so it fails nothing:
 * a topic that was not reached keeps its mark, by which the next refill of the project and the doctor find it.
 *
 * @param keys default: all topics of the project
 */
export async function refillTopics(graph: Graph, project: string, keys?: readonly string[]): Promise<void> {
  const ends = performance.now() + WORK_MS
  try {
    const rows = await (keys === undefined
      ? readRows(graph, incompleteOfProject, keysOfProject(project), keyRow)
      : readRows(graph, incompleteByKeys, { keys: [...keys] }, keyRow))
    for (const { key } of rows) {
      if (performance.now() > ends) return
      await graph.write([refillTopicStep(key), { statement: deleteEmptyTopics, params: { keys: [key] } }])
    }
  } catch (error) {
    if (!hasCode(error, 'timeout', 'store_unavailable', 'busy')) throw error
  }
}

/** Refuses where the topic is complete. */
export function refillTopicStep(key: string): Step {
  const [project = '', , slot] = partsOfKey(key)
  const [, name = ''] = key.split('/') // as turns keep it, too
  return {
    statement: refillTopic[topicKind.parse(name.split(':')[0])],
    params: { key, name, slot: Number(slot), ...keysOfProject(project), token: randomUUID() },
  }
}
