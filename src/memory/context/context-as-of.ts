/** Folds the records from before the capture of a turn into the result of a context's single read (`as_of=turn`). */
import * as z from 'zod'
import { specificationKey, turnKey } from '../../core/keys.ts'
import { readRows, untilWhole } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { Criterion } from '../../rules/identity.ts'
import { findCaptureInstant, isKnownAt, newestRecords } from '../../rules/known-then.ts'
import { advance, finalKeys, ledgerEntry, promiseEntry } from '../../rules/progress.ts'
import { type StaleSince, staleSince } from '../../rules/stale.ts'
import { criterionRow, outcomeText } from '../criteria/rows.ts'
import { placeEntries, readTarget, type Snapshot, statementOfTarget } from '../criteria/snapshot.ts'
import { isWhole, toTurnState, turnWithParts } from '../record/rows.ts'
import { readSpecifications } from '../specification/read-specification.ts'
import type { Specification } from '../specification/specification.ts'
import { unknownWorld, worldDeleted } from '../worlds/world-errors.ts'
import type { ContextRequest } from './continuation.ts'
import { type Captured, replayCriteria } from './replay.ts'

const targetStatement = statementOfTarget('turns/target-as-of')
const currentRecords = statement('turns/records-of-task', 'current')
const replacedRecords = statement('turns/records-of-task', 'replaced')

const targetRow = z.object({
  slug: z.string(),
  key: z.string(),
  taskKey: z.string(),
  turnCount: z.number(),
  specifiedAfter: z.array(z.number()).nullable(),
  deleted: z.boolean(),
  criteria: z.array(criterionRow),
})

const recordRow = turnWithParts.extend({
  worldKey: z.string(),
  revision: z.number(),
  outcome: outcomeText.nullable(),
  entries: z.array(ledgerEntry),
  promised: z.array(promiseEntry),
})
type RecordRow = z.output<typeof recordRow>

type Request = ContextRequest & { project: string }

/** A task's records and criteria before the capture of one of its turns. */
export type KnownThen = {
  worldSlug: string
  /** The records below the turn, ascending. */
  records: readonly RecordRow[]
  snapshot: Snapshot
  specifications: ReadonlyMap<string, Specification>
  touchedSince: StaleSince
}

/**
 * @returns null if the task has no session
 * @throws `unknown_world`, `world_deleted`
 */
export const readKnownThen = async (graph: Graph, request: Request): Promise<KnownThen | null> =>
  (
    await untilWhole(
      () => readOnce(graph, request),
      (found) => found !== 'torn',
    )
  ).known

/** A `torn` answer was read during a concurrent write. */
async function readOnce(graph: Graph, request: Request): Promise<{ known: KnownThen | null } | 'torn'> {
  const { project, worldSlug, currentTurn } = request
  const target = await readTarget(graph, targetStatement, request, {}, targetRow, () => true)
  if (target === null && worldSlug != null) throw unknownWorld(project, worldSlug)
  if (target === null) return { known: null }
  if (target.deleted) throw worldDeleted(target.slug)
  const { taskKey } = target
  const current = await readRows(graph, currentRecords, { taskKey }, recordRow)
  const keys = current.filter(({ revision }) => revision > 1).map(({ turn }) => turn.key)
  const replaced = keys.length === 0 ? [] : await readRows(graph, replacedRecords, { keys }, recordRow)
  const rows = [...current, ...replaced]
  if (!isConsistent(target, current, rows)) return 'torn'
  const own = rows.filter(({ worldKey }) => worldKey === target.key)
  const isKnown = isKnownAt(findCaptureInstant(own.map(timeOf), currentTurn))
  const known = rows.filter((row) => isKnown(timeOf(row)))
  const records = newestRecords(
    known.filter(({ worldKey }) => worldKey === target.key).map((row) => ({ ...timeOf(row), row })),
    currentTurn,
  ).map(({ row }) => ({ ...row, turn: { ...row.turn, key: turnKey(target.key, row.turn.number) } }))
  const specifiedAfter = (target.specifiedAfter ?? []).filter((turn) => turn < currentTurn)
  const stored = await readSpecifications(
    graph,
    specifiedAfter.map((_, i) => specificationKey(taskKey, i + 1)),
  )
  const isTold = (row: RecordRow) => row.worldKey !== target.key || row.turn.number < currentTurn
  const told = known.filter(isTold)
  const replayed = replayCriteria(taskKey, told.map(toCaptured(request)), [...stored.values()])
  const criteria = [...replayed, ...findUnreplayed(target.criteria, told, replayed)]
  return { known: foldKnown(target, { records, criteria, specifiedAfter, stored }) }
}

const timeOf = ({ turn: { number, createdAt }, revision }: RecordRow) => ({ number, revision, createdAt })

const isConsistent = (
  { key, turnCount, criteria }: z.output<typeof targetRow>,
  current: readonly RecordRow[],
  rows: readonly RecordRow[],
): boolean => {
  const keys = new Set(criteria.map((criterion) => criterion.key))
  return (
    current.filter(({ worldKey, turn }) => worldKey === key && turn.key === turnKey(key, turn.number))
      .length === turnCount &&
    rows.every(
      (row) =>
        isWhole(row) &&
        row.entries.length === row.verifications.length &&
        row.promised.length === row.promises.length &&
        [...row.entries, ...row.promised].every(({ criterionKey }) => keys.has(criterionKey)),
    )
  )
}

const toCaptured =
  ({ project, featureId, taskId }: Request) =>
  (row: RecordRow): Captured => ({
    ...timeOf(row),
    worldKey: row.worldKey,
    record: toTurnState(row, { project, featureId, taskId, worldSlug: '' }),
  })

/** Finds criteria that records name and the replay did not make: another version's rules, or a deleted session, chose them. */
function findUnreplayed(
  criteria: readonly Criterion[],
  rows: readonly RecordRow[],
  replayed: readonly Criterion[],
): Criterion[] {
  const made = new Set(replayed.map(({ key }) => key))
  const named = new Set(
    rows
      .flatMap(({ entries, promised }) => [...entries, ...promised])
      .map(({ criterionKey }) => criterionKey),
  )
  return criteria
    .filter(({ key }) => named.has(key) && !made.has(key))
    .map((criterion) => ({ ...criterion, mergedInto: null }))
}

function foldKnown(
  target: z.output<typeof targetRow>,
  {
    records,
    criteria,
    specifiedAfter,
    stored,
  }: {
    records: readonly RecordRow[]
    criteria: readonly Criterion[]
    specifiedAfter: readonly number[]
    stored: ReadonlyMap<string, Specification>
  },
): KnownThen {
  const finalKey = finalKeys(criteria)
  const entries = records.flatMap((row) => row.entries)
  const promised = records.flatMap((row) => row.promised)
  const turn = records.at(-1)?.turn.number ?? 0
  const byKey = new Map(criteria.map((criterion) => [criterion.key, criterion]))
  const toThen = (criterion: Criterion): Criterion => byKey.get(criterion.key) ?? criterion
  return {
    worldSlug: target.slug,
    records,
    specifications: new Map(
      [...stored].map(([key, specification]) => [
        key,
        {
          ...specification,
          declared: specification.declared.map((one) => ({ ...one, criterion: toThen(one.criterion) })),
        },
      ]),
    ),
    touchedSince: staleSince(records.map(toTouched), finalKey),
    snapshot: {
      worldSlug: target.slug,
      worldKey: target.key,
      taskKey: target.taskKey,
      currentTurn: turn,
      turn,
      criteria,
      progress: advance(new Map(), entries, promised, finalKey),
      outcomes: records.flatMap((row) => row.outcome ?? []),
      specifiedAfter,
      hasProofFiles: true,
      isSuperseded: false,
      ledger: placeEntries(entries, finalKey),
    },
  }
}

const toTouched = ({ turn, entries, promised, verifications, promises }: RecordRow) => {
  const keyAt = (list: readonly { position: number; criterionKey: string }[], position: number) =>
    list.find((entry) => entry.position === position)?.criterionKey ?? ''
  const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position
  return {
    turn: turn.number,
    touched: turn.filesModified,
    promised: promises.toSorted(byPosition).map(({ position, testFile, implementationFiles }) => ({
      key: keyAt(promised, position),
      files: [...(testFile === null ? [] : [testFile]), ...implementationFiles],
    })),
    verified: verifications
      .toSorted(byPosition)
      .flatMap(({ position, files }) =>
        files === undefined ? [] : { key: keyAt(entries, position), files },
      ),
  }
}
