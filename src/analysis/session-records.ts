/** Reads the records of a session for the rules that look at each of its turns. */
import { worldKey } from '../core/keys.ts'
import type { Graph } from '../graph/port.ts'
import { readLedger, readSnapshot } from '../memory/criteria/snapshot.ts'
import { unknownWorld } from '../memory/scope/world-errors.ts'
import { readSpecification } from '../memory/specification/read-specification.ts'
import { readTouchedFiles } from '../memory/specification/turn-facts.ts'
import type { SessionRecords } from '../rules/session-steps.ts'

export type SessionName = { project: string; featureId: string; taskId: string; worldSlug: string }

/**
 * @param withFiles true if the answer marks proofs whose files were changed
 * @throws `unknown_world`, `world_deleted`
 */
export async function readSessionRecords(
  graph: Graph,
  session: SessionName,
  withFiles: boolean,
): Promise<SessionRecords> {
  const { project, featureId, taskId, worldSlug } = session
  const snapshot = await readSnapshot(graph, session, null, 0)
  const found = await readLedger(graph, worldKey(project, worldSlug))
  if (snapshot === null || found === null) throw unknownWorld(project, worldSlug)
  const { specifiedAfter, taskKey, turn: newest } = snapshot
  return {
    featureId,
    taskId,
    worldSlug,
    turns: found.turns
      // A turn that was captured between the reads has no specification yet.
      .filter(({ turn }) => turn <= newest)
      .map(({ turn, outcome, entries, promised }) => ({ turn, outcome, entries, promised }))
      .sort((a, b) => a.turn - b.turn),
    criteria: found.criteria,
    specification: await readSpecification(graph, taskKey, specifiedAfter.length),
    specifiedAfter,
    files: withFiles ? await readTouchedFiles(graph, snapshot, 0) : [],
  }
}
