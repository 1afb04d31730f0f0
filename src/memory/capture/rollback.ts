/** Withdraws the newest turns of a world, which remain only in the history of their numbers. */
import * as z from 'zod'
import { LIMITS, label, name, project, wholeNumber } from '../../core/fields.ts'
import { toInstant } from '../../core/instants.ts'
import { worldKey } from '../../core/keys.ts'
import { scrub } from '../../core/scrub/scrub.ts'
import { serializeRetries, withOneDeadline } from '../../graph/deadline.ts'
import { markerOfProject } from '../../graph/mask-key.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { advanceState } from '../../rules/advance-state.ts'
import { finalKeys } from '../../rules/progress.ts'
import { NO_TURNS } from '../../rules/world-state.ts'
import { rewriteStateStep } from '../criteria/rewrite-state.ts'
import { type Ledger, readLedger } from '../criteria/snapshot.ts'
import { keyOfTask } from '../scope/scope.ts'
import { worldAtWork } from '../scope/world-errors.ts'
import { countWorldsOfWholeTask, getWorld, type World, world } from '../worlds/worlds.ts'

const begin = statement('turns/withdraw', 'begin')
const move = statement('turns/withdraw', 'move')
const recount = statement('turns/withdraw', 'recount')

export const rollbackRequest = z.strictObject({
  project,
  worldSlug: name,
  toTurn: wholeNumber(0, LIMITS.turnNumber).describe('the last turn that stays; 0: none'),
  reason: label.nullish().describe('why, in one line: the next context says it'),
})

export const rollbackAnswer = world.extend({
  withdrawn: z.number().describe('number of turns that this call withdrew'),
})

type Request = z.output<typeof rollbackRequest> & { project: string }

/**
 * Withdraws the turns above `toTurn`. Their verifications, promises and issues no longer count. A repeated call changes nothing.
 *
 * @throws `unknown_world`, `world_deleted`, `restore_unfinished`, `busy` while a run or an attempt is active in the world
 */
export async function rollbackWorld(
  store: Graph,
  request: Request,
  now: () => Date = () => new Date(),
): Promise<z.output<typeof rollbackAnswer>> {
  const graph = withOneDeadline(store)
  const ofTask = keyOfTask(await getWorld(graph, request.project, request.worldSlug))
  const { scrubbed } = await scrub(request, () => markerOfProject(graph, request.project))
  return serializeRetries(store, ofTask, () => tryRollback(graph, scrubbed, toInstant(now())))
}

/** Null if the world was changed since it was read. */
async function tryRollback(
  graph: Graph,
  request: Request,
  now: string,
): Promise<z.output<typeof rollbackAnswer> | null> {
  const { project, worldSlug, toTurn } = request
  const before = await readIdleWorld(graph, project, worldSlug)
  const ledger = await readLedger(graph, worldKey(project, worldSlug))
  const withdrawn = (ledger?.turns ?? []).filter(({ turn }) => turn > toTurn).length
  if (ledger === null || withdrawn === 0) return { ...before, withdrawn: 0 }
  const written = await graph.write(planRollback(request, ledger, now))
  return written === null ? null : { ...(await getWorld(graph, project, worldSlug)), withdrawn }
}

async function readIdleWorld(graph: Graph, project: string, worldSlug: string): Promise<World> {
  const found = await getWorld(graph, project, worldSlug)
  const { activeTurnRunId: activeRunId, activeAttemptId } = found
  if (activeRunId !== null || activeAttemptId !== null)
    throw worldAtWork(worldSlug, { activeRunId, activeAttemptId })
  await countWorldsOfWholeTask(graph, found)
  return found
}

function planRollback(
  { project, worldSlug, toTurn, reason }: Request,
  ledger: Ledger,
  now: string,
): [Step, ...Step[]] {
  const key = worldKey(project, worldSlug)
  const token = crypto.randomUUID()
  const staying = ledger.turns.filter(({ turn }) => turn <= toTurn)
  const state = advanceState(NO_TURNS, staying, finalKeys(ledger.criteria))
  const { ledgerRev, taskKey } = ledger
  return [
    { statement: begin, params: { worldKey: key, ledgerRev, token } },
    {
      statement: move,
      params: {
        worldKey: key,
        toTurn,
        at: now,
        withdrawn: reason == null ? {} : { withdrawnReason: reason },
      },
    },
    { statement: recount, params: { worldKey: key } },
    rewriteStateStep({ key, taskKey, ledgerRev }, state),
  ]
}
