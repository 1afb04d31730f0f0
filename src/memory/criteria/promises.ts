/**
 * Recovers the promises of the Player (contract: criteria.md, "Promise recovery"; seed 004, fix 1): a turn that only fixes code
 * has no promises, so the promises of the newest turn with any stay in force.
 */
import * as z from 'zod'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { shownLabel, shownText } from '../../rules/criterion-states.ts'
import { finalKeys } from '../../rules/progress.ts'
import { columns, optionalText } from '../../rules/values.ts'
import type { StoredState } from '../../rules/world-state.ts'
import { promiseRow } from '../record/rows.ts'
import { readStates } from './read-states.ts'
import {
  isSnapshotWhole,
  isStateWhole,
  NO_LEDGER,
  newestSnapshot,
  readLiveTarget,
  readMerges,
  readSnapshot,
  type Snapshot,
  snapshotColumns,
  snapshotFrom,
  snapshotRow,
  statementOfTarget,
  type Target,
  WHOLE_LEDGER,
  warmUpTarget,
} from './snapshot.ts'
import type { CriterionState, PromisesView } from './views.ts'

const newestPromises = statementOfTarget('criteria/promises', 'newest-turn')
const promisesAsOf = statementOfTarget('criteria/promises', 'as-of')

/** Decoded columns of a turn's promises, with the values that must agree if they show one moment. */
export const promisedColumns = {
  promisedTurn: z.object({ number: z.number(), digest: z.string(), promiseCount: z.number() }),
  promises: z.array(columns({ promise: promiseRow, key: z.string(), mergedInto: optionalText })),
}

const promisedRow = z.object({ ...promisedColumns, ...snapshotColumns })
const promisedAsOfRow = z.object({ ...promisedColumns, ...snapshotRow.shape })

type Promised = Pick<z.output<typeof promisedRow>, 'promisedTurn' | 'promises'>

/** False if the read saw only part of a replacement of the turn with the promises. */
export const arePromisesConsistent = (
  { promisedTurn, promises }: Promised,
  expected: { number: number | null; digest: string | null },
): boolean =>
  promises.length === promisedTurn.promiseCount &&
  promisedTurn.number === expected.number &&
  // Without promises there is no digest.
  (expected.digest === null || promisedTurn.digest === expected.digest)

/** The turn whose promises are in force after the newest turn. */
export const findPromisedTurn = ({ promised }: StoredState) => ({
  number: promised?.turn ?? null,
  digest: promised?.digest ?? null,
})

/**
 * Returns the promises in force at a turn, which need not be captured yet.
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
  const row = await readLiveTarget(
    graph,
    newestPromises,
    request,
    {},
    promisedRow,
    (found) => arePromisesConsistent(found, findPromisedTurn(found.world.state)) && isStateWhole(found),
  )
  if (row === null) {
    // The world has no promises, or does not exist.
    await readSnapshot(graph, request, null, NO_LEDGER)
    return NO_PROMISES
  }
  if (row.promisedTurn.number <= request.turn && row.world.currentTurn <= request.turn) {
    return viewPromisesOf(graph, row, newestSnapshot(row, null), request.turn)
  }
  return readPromisesAsOf(graph, { ...request, worldSlug: row.world.slug })
}

async function readPromisesAsOf(graph: Graph, request: Target & { turn: number }): Promise<PromisesView> {
  const { turn } = request
  const params = { turnNumber: turn + 1, promisedBy: turn, ledgerUpTo: WHOLE_LEDGER }
  const row = await readLiveTarget(graph, promisesAsOf, request, params, promisedAsOfRow, isWholeAsOf)
  if (row === null) return NO_PROMISES
  return viewPromisesOf(graph, row, snapshotFrom(row, turn), turn)
}

const viewPromisesOf = async (graph: Graph, promised: Promised, snapshot: Snapshot, asked: number) =>
  viewPromises(graph, promised, snapshot, await readStates(graph, snapshot, 'sticky'), asked)

const isWholeAsOf = (row: z.output<typeof promisedAsOfRow>): boolean => {
  const said = row.turns.find(({ turn }) => turn === row.promisedTurn.number)
  return (
    isSnapshotWhole(WHOLE_LEDGER)(row) &&
    said !== undefined &&
    arePromisesConsistent(row, { number: said.turn, digest: said.digest })
  )
}

export const NO_PROMISES: PromisesView = { source: 'none', items: [] }

export const warmUpPromises = (graph: Graph): Promise<void> => warmUpTarget(graph, newestPromises, {})

/**
 * Returns a turn's promises with the criteria for which they currently count.
 *
 * @param states states of the criteria in the same answer, whose labels and texts the promises get
 * @param asked turn whose promises are requested
 */
export async function viewPromises(
  graph: Graph,
  { promisedTurn: { number: turn }, promises }: Promised,
  { criteria, progress, taskKey }: Pick<Snapshot, 'criteria' | 'progress' | 'taskKey'>,
  states: readonly CriterionState[],
  asked: number,
): Promise<PromisesView> {
  const merges = promises.some(({ mergedInto }) => mergedInto !== null)
  const finalKey = merges ? finalKeys(await readMerges(graph, taskKey)) : (key: string) => key
  const byKey = new Map(criteria.map((criterion) => [criterion.key, criterion]))
  const shown = new Map(states.map((state) => [state.key, state]))
  const items = promises
    .toSorted((a, b) => a.promise.position - b.promise.position)
    .map(({ promise: { position, criterionId: label, ...promise }, key: promisedKey }) => {
      const key = finalKey(promisedKey)
      const criterion = byKey.get(key)
      const own = criterion && progress.get(key)
      const state = shown.get(key)
      // In an object literal, the properties after a spread would take 4 µs for each promise.
      return Object.assign(promise, {
        criterionId: state?.criterionId ?? (own && shownLabel(own)) ?? label,
        label,
        givenLabel: label,
        key,
        criterionText: state?.text ?? (criterion && shownText(criterion)) ?? promise.criterionText,
      })
    })
  if (turn === asked) return { source: 'current', items }
  return {
    source: 'recovered',
    recoveredFromTurn: turn,
    message: `No completion_promises in current turn — recovered from player_turn_${turn}.json (${items.length} promises)`,
    items,
  }
}

/** Removes the evidence for the Player, who sees only its claims (invariant 9). */
export const withoutEvidence = (view: PromisesView): PromisesView => ({
  ...view,
  items: view.items.map(({ evidence, ...item }) => item),
})
