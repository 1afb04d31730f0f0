import * as z from 'zod'
import { optionalText } from '../graph/columns.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { readRows, readWholeRow } from '../graph/decode.ts'
import { ofOneMoment } from '../graph/one-moment.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { promiseRow } from '../turns/rows.ts'
import { worldDeleted } from '../turns/world-errors.ts'
import { readMerges } from './history.ts'
import type { PromisesView } from './shown.ts'
import {
  keptIsWhole,
  NO_LEDGER,
  newestStanding,
  readStanding,
  type Standing,
  standingAsOf,
  standingColumns,
  type Target,
  targetParams,
} from './standing.ts'
import { finalKeys, shownLabel } from './state.ts'

/**
 * What the Player promised (contract: criteria.md, "Promise recovery"; seed 004, fix 1): a turn that only fixes code
 * has no promises, and those of the newest turn that has any still hold.
 */

const promisesInWorld = statement('criteria/promises-in-world')
const promisesInTask = statement('criteria/promises-in-task')
const promisedBefore = statement('criteria/promised-before')

const promisedRow = z.object({
  turn: z.number(),
  promiseCount: z.number(),
  promises: z.array(z.tuple([promiseRow, z.string(), optionalText])),
  ...standingColumns,
})

type Promised = z.output<typeof promisedRow>

/**
 * The promises that hold at a turn, which need not be captured yet.
 *
 * @throws `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { source, items } = await recoverPromises(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', turn: 3 })
 */
export async function recoverPromises(
  store: Graph,
  request: Target & { turn: number },
): Promise<PromisesView> {
  const graph = withOneDeadline(store)
  const newest = await readPromised(graph, request, NEWEST)
  if (newest?.world.deleted) throw worldDeleted(newest.world.slug)
  if (newest !== null && newest.turn <= request.turn && newest.world.currentTurn <= request.turn) {
    return promisesOf(graph, newest, newestStanding(newest, null), request.turn)
  }
  if (newest === null) {
    // Nothing was ever promised, or there is no such world.
    await readStanding(graph, request, null, NO_LEDGER)
    return NO_PROMISES
  }
  const named = { ...request, worldSlug: newest.world.slug }
  return ofOneMoment(graph, newest.world.key, (held) => readPast(held, named))
}

/** As of an earlier turn. */
async function readPast(graph: Graph, request: Target & { turn: number }): Promise<PromisesView> {
  const standing = await standingAsOf(graph, request, request.turn)
  if (standing === null) return NO_PROMISES
  const params = { worldKey: standing.worldKey, turnNumber: request.turn }
  const [before] = await readRows(graph, promisedBefore, params, promisedBeforeRow)
  return before?.turn == null ? NO_PROMISES : promisesIn(graph, request, standing, before.turn, request.turn)
}

/** The promises of one turn, as of a standing. */
export async function promisesIn(
  graph: Graph,
  target: Target,
  standing: Standing,
  turn: number,
  asked: number,
): Promise<PromisesView> {
  const promised = await readPromised(graph, { ...target, worldSlug: standing.worldSlug }, turn)
  return promised === null ? NO_PROMISES : promisesOf(graph, promised, standing, asked)
}

const promisedBeforeRow = z.object({ turn: z.number().nullable() })

export const NO_PROMISES: PromisesView = { source: 'none', items: [] }

/** Runs the statements of a recovery where nothing matches: see `warmUp`. */
export async function warmUpPromises(graph: Graph): Promise<void> {
  await graph.read(promisesInTask, { taskKey: '', from: NEWEST })
  await graph.read(promisesInWorld, { taskKey: '', worldKey: '', from: NEWEST })
}

/** The statement's word for the newest turn that has promises. */
const NEWEST = 0

const readPromised = (graph: Graph, target: Target, from: number): Promise<Promised | null> =>
  readWholeRow(
    graph,
    target.worldSlug == null ? promisesInTask : promisesInWorld,
    { ...targetParams(target), from },
    promisedRow,
    (row) => row.promises.length === row.promiseCount && keptIsWhole(row),
  )

/**
 * A turn's promises with the criteria that they count for now.
 *
 * @param asked the turn whose promises are asked for
 */
export async function promisesOf(
  graph: Graph,
  { turn, promises }: Pick<Promised, 'turn' | 'promises'>,
  { criteria, progress, taskKey }: Pick<Standing, 'criteria' | 'progress' | 'taskKey'>,
  asked: number,
): Promise<PromisesView> {
  const merges = promises.some(([, , mergedInto]) => mergedInto !== null)
  const keyOf = merges ? finalKeys(await readMerges(graph, taskKey)) : (key: string) => key
  const shown = new Map(
    criteria.map((criterion) => {
      const standing = progress.get(criterion.key)
      return [criterion.key, standing === undefined ? null : shownLabel(criterion, standing)]
    }),
  )
  const items = promises
    .toSorted(([a], [b]) => a.position - b.position)
    .map(([{ position, criterionId: label, ...promise }, key]) => ({
      criterionId: shown.get(keyOf(key)) ?? label,
      label,
      key: keyOf(key),
      ...promise,
    }))
  if (turn === asked) return { source: 'current', items }
  return {
    source: 'recovered',
    recoveredFromTurn: turn,
    message: `No completion_promises in current turn — recovered from player_turn_${turn}.json (${items.length} promises)`,
    items,
  }
}

/** For the Player: its own claims, without what was to prove them (invariant 9). */
export const withoutEvidence = (view: PromisesView): PromisesView => ({
  ...view,
  items: view.items.map(({ evidence, ...item }) => item),
})
