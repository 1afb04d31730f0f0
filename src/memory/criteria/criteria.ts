/** Lists the criteria of a world as of a turn, and the history of a criterion. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { taskOfCriterion } from '../../core/keys.ts'
import type { EntryPosition } from '../../core/pages.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import { readRows, retryTornRead } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { isAllVerified, isCounted, isRequired, POLICIES, type Policy } from '../../rules/criterion-states.ts'
import { countCriteria } from '../../rules/notes.ts'
import { finalKeys } from '../../rules/progress.ts'
import { promisedNotCounted, shownPromisedNotJudged } from '../../rules/specified-states.ts'
import { optionalText } from '../../rules/values.ts'
import { observation, observationText } from '../record/observation.ts'
import { keyOfTask } from '../scope/scope.ts'
import { readDeclaredCriteria, readStates } from './read-states.ts'
import { NO_LEDGER, readHistories, readMerges, readSnapshot, SMALL_WORLD, type Target } from './snapshot.ts'
import {
  criterionCounts,
  criterionState,
  historyEntry,
  promisedCriterion,
  type Role,
  type ShownCriterion,
  shownCriterion,
} from './views.ts'

const historyStatements = {
  all: statement('criteria/history', 'all'),
  observed: statement('criteria/history', 'observed'),
}

/** Criteria of a world as of a turn (contract: criteria.md, "State"). */
export const criteriaView = z.object({
  worldSlug: z.string().nullable().describe('null: the task has no world yet'),
  asOfTurn: z.number().describe('inclusive; 0: no turn yet'),
  policy: z.enum(POLICIES),
  specificationVersion: z.number().optional().describe('only where the task declares what must hold'),
  total: z.number().describe('the criteria that count'),
  ...criterionCounts,
  allVerified: z
    .boolean()
    .describe(
      'every required criterion is verified and not contested by a rejection with evidence of its own; false while a promised criterion is not judged',
    ),
  remaining: z.array(z.string()).describe('ids of those that are not verified, but for those of `manual`'),
  manual: z
    .array(z.string())
    .optional()
    .describe('only where the task declares what must hold: ids of those that a person has still to look at'),
  promisedNotJudged: z
    .array(promisedCriterion)
    .describe('promised, and never named by a judge, whether they count or not'),
  criteria: z.array(criterionState),
})

export type CriteriaView = z.output<typeof criteriaView>

export type CriteriaRequest = Target & { turn?: number | null | undefined; policy: Policy; role: Role }

/**
 * Lists the criteria that count with their states, and with the evidence for the Coach.
 *
 * @throws `unknown_world`, `world_deleted`, `store_unavailable`, `timeout`
 * @example
 * const { verified, total, remaining } = await listCriteria(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', policy: 'sticky', role: 'coach' })
 */
export async function listCriteria(store: Graph, request: CriteriaRequest): Promise<CriteriaView> {
  const graph = withOneDeadline(store)
  const { policy, role } = request
  const { snapshot, states, histories } = await retryTornRead(
    () => readWithHistories(graph, request),
    (found) => role === 'player' || found.histories !== null,
  )
  if (snapshot === null) return viewOfNoWorld(graph, request)
  return toView({
    worldSlug: snapshot.worldSlug,
    asOfTurn: snapshot.turn,
    policy,
    ...toVersion(snapshot.specifiedAfter.length),
    allVerified: isAllVerified(states, promisedNotCounted(snapshot)),
    promisedNotJudged: shownPromisedNotJudged(snapshot, states),
    criteria: states.map((state) => shownCriterion(state, role, snapshot, histories)),
  })
}

const toVersion = (specificationVersion: number) =>
  specificationVersion === 0 ? {} : { specificationVersion }

/** Lists the specification of a task that has no world yet: declared criteria count from the start. */
async function viewOfNoWorld(
  graph: Graph,
  { turn, policy, role, ...target }: CriteriaRequest,
): Promise<CriteriaView> {
  const { version, criteria } = await readDeclaredCriteria(graph, keyOfTask(target), { policy, role })
  return toView({
    worldSlug: null,
    asOfTurn: turn ?? 0,
    policy,
    ...toVersion(version),
    allVerified: false,
    promisedNotJudged: [],
    criteria,
  })
}

/** Reads a snapshot with histories. These are null for the Player, and if a turn was replaced between the reads. */
async function readWithHistories(graph: Graph, { role, policy, turn = null, ...target }: CriteriaRequest) {
  const snapshot = await readSnapshot(graph, target, turn, role === 'coach' ? SMALL_WORLD : NO_LEDGER)
  if (snapshot === null) return { snapshot, states: [], histories: new Map() }
  const states = await readStates(graph, snapshot, policy, { withStale: true })
  const histories = role === 'coach' ? await readHistories(graph, snapshot, states) : null
  return { snapshot, states, histories }
}

function toView(
  found: Omit<CriteriaView, 'total' | keyof typeof criterionCounts | 'remaining' | 'manual'>,
): CriteriaView {
  const counted = found.criteria.filter(isCounted)
  const left = counted.filter(({ state }) => state !== 'verified')
  const listIds = (criteria: readonly ShownCriterion[]) => criteria.map(({ criterionId }) => criterionId)
  const { contestedInTurns, ...counts } = countCriteria(found.criteria)
  return {
    ...found,
    ...counts,
    remaining: listIds(left.filter(isRequired)),
    ...(found.specificationVersion !== undefined && {
      manual: listIds(left.filter((criterion) => !isRequired(criterion))),
    }),
  }
}

export const listedEntry = historyEntry.extend({
  observation: observation.optional().describe('only with `observed`'),
})
type HistoryPosition = z.output<typeof listedEntry> & { position: number }

const historyRow = listedEntry
  .extend({ position: z.number(), addedAt: optionalText, observation: observationText.nullable() })
  .transform(
    ({ addedAt, observation, ...entry }): HistoryPosition => ({
      ...entry,
      ...(addedAt !== null && { addedAt }),
      ...(observation !== null && { observation }),
    }),
  )

/** @throws `not_found` if the task does not have the criterion, `unknown_world`, `world_deleted` */
export async function criterionHistory(
  store: Graph,
  request: { project: string; key: string; worldSlug?: string | null | undefined; observed: boolean },
  { after, limit }: { after: EntryPosition | null; limit: number },
): Promise<HistoryPosition[]> {
  const { project, key, worldSlug, observed } = request
  const graph = withOneDeadline(store)
  const task = taskOfCriterion(key)
  const scope = task?.project === project ? task : null
  const snapshot = scope === null ? null : await readSnapshot(graph, { ...scope, worldSlug }, null, NO_LEDGER)
  if (snapshot === null) throw unknownCriterion(key)
  const merges = await readMerges(graph, snapshot.taskKey)
  const finalKey = finalKeys(merges)
  const counts = finalKey(key)
  if (!snapshot.criteria.some((criterion) => criterion.key === counts)) throw unknownCriterion(key)
  const keys = [counts, ...merges.map((merge) => merge.key).filter((merged) => finalKey(merged) === counts)]
  const params = {
    worldKey: snapshot.worldKey,
    keys,
    afterTurn: after?.turn ?? 0,
    afterPosition: after?.position ?? -1,
    limit,
  }
  return readRows(graph, observed ? historyStatements.observed : historyStatements.all, params, historyRow)
}

const unknownCriterion = (key: string): TurngraphError =>
  new TurngraphError('not_found', `The world has no criterion ${key}.`, {
    hint: 'Take the key of a criterion from GET /v1/criteria.',
  })
