/** Reads stored turns: a turn, a page of a world, and the superseded records of a turn. */
import * as z from 'zod'
import { hasCode, TurngraphError } from '../../core/errors.ts'
import { turnKey, worldKey } from '../../core/keys.ts'
import { readRows, readWholeRow, retryTornRead } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { optionalText } from '../../rules/values.ts'
import { type TurnState, turnState } from '../record/record.ts'
import { instantRow, isWhole, toTurnState, turnWithParts } from '../record/rows.ts'
import { worldDeleted } from '../scope/world-errors.ts'
import { getWorld } from './worlds.ts'

const record = statement('turns/records', 'one')
const page = statement('turns/records', 'page')
const history = statement('turns/records', 'superseded')
const historyOfWithdrawn = statement('turns/records', 'withdrawn')

const turnInWorld = turnWithParts.extend({
  world: z.object({
    slug: z.string(),
    project: z.string(),
    featureId: z.string(),
    taskId: z.string(),
    deleted: z.boolean(),
  }),
})

const toState = (row: z.output<typeof turnInWorld>): TurnState =>
  toTurnState(row, { ...row.world, worldSlug: row.world.slug })

/** @throws `not_found`, `unknown_world`, `world_deleted` */
export async function readTurn(
  graph: Graph,
  project: string,
  worldSlug: string,
  turnNumber: number,
): Promise<TurnState> {
  const keyOfWorld = worldKey(project, worldSlug)
  const params = { worldKey: keyOfWorld, turnKey: turnKey(keyOfWorld, turnNumber) }
  const row = await readWholeRow(
    graph,
    record,
    params,
    turnInWorld,
    (found) => found.world.deleted || isWhole(found),
  )
  if (row?.world.deleted) throw worldDeleted(worldSlug)
  if (row !== null) return toState(row)
  const { currentTurn } = await getWorld(graph, project, worldSlug)
  throw new TurngraphError('not_found', `World ${worldSlug} has no turn ${turnNumber}.`, {
    hint: currentTurn === 0 ? 'It has no turns yet.' : `Its newest turn is ${currentTurn}.`,
    details: { near: currentTurn === 0 ? [] : [String(currentTurn)] },
  })
}

/** Lists the turns of a world above `after`, ascending. */
export async function listTurns(
  graph: Graph,
  project: string,
  worldSlug: string,
  { after, limit }: { after: number; limit: number },
): Promise<TurnState[]> {
  await getWorld(graph, project, worldSlug)
  return readWholeRows(graph, page, { worldKey: worldKey(project, worldSlug), after, limit })
}

export const historicTurn = turnState.extend({
  withdrawnAt: z.string().optional().describe('when a rollback withdrew it; only of a withdrawn record'),
  withdrawnReason: z.string().optional().describe('reason of the rollback, if it was given'),
})

const historicRow = turnInWorld.extend({
  turn: turnInWorld.shape.turn.extend({
    revision: z.number(),
    withdrawnAt: instantRow,
    withdrawnReason: optionalText,
  }),
})

/** `before` is a revision number. @throws `not_found` if the number never had a turn, `unknown_world`, `world_deleted` */
export async function turnHistory(
  graph: Graph,
  project: string,
  worldSlug: string,
  turnNumber: number,
  { before, limit }: { before: number; limit: number },
): Promise<(z.output<typeof historicTurn> & { revision: number })[]> {
  const keyOfWorld = worldKey(project, worldSlug)
  const missing = await readTurn(graph, project, worldSlug, turnNumber).then(
    () => null,
    (error) => {
      if (hasCode(error, 'not_found')) return error
      throw error
    },
  )
  const rows = await (missing === null
    ? readRows(
        graph,
        history,
        { worldKey: keyOfWorld, turnKey: turnKey(keyOfWorld, turnNumber), before, limit },
        historicRow,
      )
    : readRows(graph, historyOfWithdrawn, { worldKey: keyOfWorld, turnNumber, before, limit }, historicRow))
  if (missing !== null && rows.length === 0) throw missing
  return rows.map(({ turn: { revision, withdrawnAt, withdrawnReason, ...turn }, ...row }) => ({
    ...toState({ ...row, turn }),
    ...(withdrawnAt !== null && { withdrawnAt }),
    ...(withdrawnReason !== null && { withdrawnReason }),
    revision,
  }))
}

async function readWholeRows(graph: Graph, from: Statement, params: Params): Promise<TurnState[]> {
  const rows = await retryTornRead(
    () => readRows(graph, from, params, turnInWorld),
    (found) => found.every(isWhole),
  )
  return rows.map(toState)
}
