/** Replays the recorded sessions of a project, page by page (contract: page.md, "Compare and replay"). */
import { setImmediate } from 'node:timers/promises'
import { hasCode } from '../core/errors.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import type { Graph } from '../graph/port.ts'
import { requireNames } from '../memory/scope/missing-name.ts'
import { listWorlds } from '../memory/worlds/list-worlds.ts'
import type { Policy } from '../rules/criterion-states.ts'
import { type ReplayedSession, replaySession } from '../rules/replay.ts'
import type { Detector } from '../rules/replay-rules.ts'
import { readSessionRecords } from './session-records.ts'

/** Maximum number of turns of a page, unless its first session has more. */
const MAX_TURNS_PER_PAGE = 2_000

/** Maximum number of turns of a session that is replayed. Its records and states are in memory at once. */
export const MAX_REPLAYED_TURNS = 1_000

export type ReplayRequest = {
  project: string
  featureId?: string | null | undefined
  taskId?: string | null | undefined
  policies: readonly Policy[]
  stall: Detector
}

export type ReplayPage = {
  sessions: ReplayedSession[]
  /** Sessions that are too long to be replayed. */
  tooLong: string[]
  /** Last session of the page; null on the last page. */
  next: string | null
}

/** @throws `not_found` if the project, feature or task does not exist */
export async function replaySessions(
  store: Graph,
  { project, featureId, taskId, policies, stall }: ReplayRequest,
  { after, limit }: { after: string | null; limit: number },
): Promise<ReplayPage> {
  const graph = withOneDeadline(store)
  const filter = { project, featureId, taskId }
  const order = 'world_slug'
  const position = after === null ? null : { worldSlug: after }
  const { worlds, next } = await listWorlds(graph, filter, { order, after: position, limit })
  if (worlds.length === 0 && after === null) await requireNames(graph, filter)
  const page: ReplayPage = { sessions: [], tooLong: [], next: next?.worldSlug ?? null }
  let turns = 0
  for (const [i, { worldSlug, currentTurn, ...world }] of worlds.entries()) {
    if (currentTurn > MAX_REPLAYED_TURNS) {
      page.tooLong.push(worldSlug)
      continue
    }
    turns += currentTurn
    if (i > 0 && turns > MAX_TURNS_PER_PAGE) return { ...page, next: worlds[i - 1]?.worldSlug ?? null }
    try {
      const name = { project, worldSlug, featureId: world.featureId, taskId: world.taskId }
      // The deadline of a read does not include the time of the replays before it.
      const records = await readSessionRecords(withOneDeadline(store), name, policies.includes('fresh'))
      page.sessions.push(await runWithPauses(replaySession(records, policies, stall)))
    } catch (error) {
      // Leaves out a session that was deleted after it was listed.
      if (!hasCode(error, 'world_deleted', 'unknown_world')) throw error
    }
  }
  return page
}

/** Runs the steps of some work, and lets other work run before each. */
async function runWithPauses<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    await setImmediate()
    const step = steps.next()
    if (step.done) return step.value
  }
}
