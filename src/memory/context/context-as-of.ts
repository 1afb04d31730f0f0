/** Folds the records from before the capture of a turn into the result of a context's single read (`as_of=turn`). */
import * as z from 'zod'
import { specificationKey, turnKey, worldKey } from '../../core/keys.ts'
import { readRows, retryTornRead } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { emptyState, specificationOf, toPartialRecord } from '../../rules/apply-turn.ts'
import {
  type Captured,
  type CapturedAddition,
  findCaptureInstant,
  foldTask,
  markWithdrawn,
} from '../../rules/fold-task.ts'
import { finalKeys } from '../../rules/progress.ts'
import { type StaleSince, staleSince } from '../../rules/stale.ts'
import { listEntries } from '../../rules/turn-entries.ts'
import { optionalText } from '../../rules/values.ts'
import type { WithdrawnTurn } from '../../rules/withdrawn.ts'
import { placeEntries, readTarget, type Snapshot, statementOfTarget } from '../criteria/snapshot.ts'
import { instantRow, isWhole, toTurnState, turnWithParts, withdrawnRow } from '../record/rows.ts'
import { keyOfTask } from '../scope/scope.ts'
import { unknownWorld, worldDeleted } from '../scope/world-errors.ts'
import { readSpecifications } from '../specification/read-specification.ts'
import type { Specification } from '../specification/specification.ts'
import type { ContextRequest } from './continuation.ts'

export const countTurns = statementOfTarget('turns/count-turns')
const currentRecords = statement('turns/records-of-task', 'current')
const replacedRecords = statement('turns/records-of-task', 'replaced')
const withdrawnRecords = statement('turns/records-of-task', 'withdrawn')

export const worldRow = z.object({
  worldSlug: z.string(),
  deleted: z.boolean(),
  turnCount: z.number(),
  turnsFound: z.number(),
  turnsBelow: z.number(),
  specifiedAfter: z.array(z.number()).nullable(),
  withdrawn: z.array(withdrawnRow),
})
type WorldRow = z.output<typeof worldRow>

const recordRow = turnWithParts.extend({
  worldKey: z.string(),
  revision: z.number(),
  withdrawnAt: instantRow,
  withdrawnReason: optionalText,
})
type RecordRow = z.output<typeof recordRow>

type Request = ContextRequest & { project: string }

export type KnownRecord = RecordRow & { promisedKeys: readonly string[] }

/** A task's records and criteria before the capture of one of its turns. */
export type KnownThen = {
  worldSlug: string
  /** The records below the turn, ascending. */
  records: readonly KnownRecord[]
  snapshot: Snapshot
  specifications: ReadonlyMap<string, Specification>
  touchedSince: StaleSince
  /** Turns of the session that were withdrawn and not captured again. */
  withdrawn: readonly WithdrawnTurn[]
}

/** @returns null if the task has no session @throws `unknown_world`, `world_deleted` */
export const readKnownThen = async (graph: Graph, request: Request): Promise<KnownThen | null> =>
  (
    await retryTornRead(
      () => readOnce(graph, request),
      (found) => found !== 'torn',
    )
  ).known

/** A `torn` answer was read during a concurrent write. */
async function readOnce(graph: Graph, request: Request): Promise<{ known: KnownThen | null } | 'torn'> {
  const { project, currentTurn } = request
  const target = await readTarget(graph, countTurns, request, { turnNumber: 0 }, worldRow, () => true)
  if (target === null && request.worldSlug != null) throw unknownWorld(project, request.worldSlug)
  if (target === null) return { known: null }
  if (target.deleted) throw worldDeleted(target.worldSlug)
  const taskKey = keyOfTask(request)
  const key = worldKey(project, target.worldSlug)
  const current = await readRows(graph, currentRecords, { taskKey }, recordRow)
  const replacedTurns = current.filter(({ revision }) => revision > 1).map(({ turn }) => turn.key)
  const replaced =
    replacedTurns.length === 0
      ? []
      : await readRows(graph, replacedRecords, { keys: replacedTurns }, recordRow)
  const withdrawn = await readRows(graph, withdrawnRecords, { taskKey }, recordRow)
  const rows = [...current, ...replaced, ...withdrawn]
  const turnCount = current.filter(
    (row) => row.worldKey === key && row.turn.key === turnKey(key, row.turn.number),
  ).length
  if (turnCount !== target.turnCount || !rows.every(isWhole)) return 'torn'
  const specifiedAfter = (target.specifiedAfter ?? []).filter((turn) => turn < currentTurn)
  const stored = await readSpecifications(
    graph,
    specifiedAfter.map((_, i) => specificationKey(taskKey, i + 1)),
  )
  return { known: foldKnown(request, target, rows, { specifiedAfter, versions: [...stored.values()] }) }
}

const toCaptured = (
  { project, featureId, taskId }: Request,
  row: RecordRow,
): Captured & { row: RecordRow } => ({
  kind: 'turn',
  row,
  worldKey: row.worldKey,
  createdAt: row.turn.createdAt,
  revision: row.revision,
  withdrawnAt: row.withdrawnAt,
  digest: row.turn.digest,
  record: toTurnState(row, { project, featureId, taskId, worldSlug: '' }),
  meanings: null,
})

const listAdditions = (row: RecordRow): CapturedAddition[] =>
  row.verifications.flatMap(({ position, form, added, ...content }) =>
    added === null
      ? []
      : [
          {
            ...{ kind: 'addition', turn: row.turn.number, worldKey: row.worldKey, meanings: null, position },
            ...{ addedAt: added.addedAt, startedAt: added.startedAt, digest: added.digest },
            verifications: [{ ...content, addedAt: added.addedAt }],
          } satisfies CapturedAddition,
        ],
  )

/** The newest record of each turn, if it was withdrawn. */
function listNewest(captures: readonly (Captured & { row: RecordRow })[]): WithdrawnTurn[] {
  const newest = new Map<number, Captured & { row: RecordRow }>()
  for (const capture of captures) {
    const before = newest.get(capture.row.turn.number)
    if (before === undefined || before.revision < capture.revision)
      newest.set(capture.row.turn.number, capture)
  }
  return [...newest.values()].flatMap(({ withdrawnAt, row: { turn, withdrawnReason } }) =>
    withdrawnAt === null ? [] : [{ turnNumber: turn.number, withdrawnAt, reason: withdrawnReason }],
  )
}

/** Folds the records that existed at the capture of the turn: those of other sessions, and its own below the turn. */
function foldKnown(
  request: Request,
  { worldSlug }: WorldRow,
  rows: readonly RecordRow[],
  { specifiedAfter, versions }: { specifiedAfter: readonly number[]; versions: readonly Specification[] },
): KnownThen {
  const { currentTurn } = request
  const taskKey = keyOfTask(request)
  const key = worldKey(request.project, worldSlug)
  const captures = markWithdrawn(rows.map((row) => toCaptured(request, row)))
  const own = captures.filter((capture) => capture.worldKey === key)
  const counting = own.filter(({ withdrawnAt }) => withdrawnAt === null)
  const instant = findCaptureInstant(
    counting.map(({ row }) => row.turn),
    currentTurn,
  )
  const isKnown = (at: string | null): boolean => at !== null && Date.parse(at) <= instant
  const known = captures
    .filter(({ createdAt }) => isKnown(createdAt))
    .map((capture) => (isKnown(capture.withdrawnAt) ? capture : { ...capture, withdrawnAt: null }))
    .filter(
      ({ worldKey: ofWorld, withdrawnAt, row: { turn } }) =>
        ofWorld !== key || withdrawnAt !== null || turn.number < currentTurn,
    )
  const turnOf = ({ worldKey: ofWorld, row: { turn } }: (typeof known)[number]) =>
    turnKey(ofWorld, turn.number)
  const knownTurns = new Set(known.map(turnOf))
  // A later record takes over the additions of the record that it replaces.
  const withAdditions = captures.filter((capture) => knownTurns.has(turnOf(capture)))
  const task = foldTask(
    taskKey,
    known,
    versions.map(({ declaredAt, declared }) => ({ declaredAt, listings: declared })),
    withAdditions.flatMap(({ row }) => listAdditions(row)).filter(({ addedAt }) => isKnown(addedAt)),
  )
  const { registry } = task
  const { state, entries } = task.worlds.get(key) ?? { state: emptyState(key), entries: [] }
  const specification = specificationOf(registry)
  const turns = entries.filter((entry) => entry.kind === 'turn')
  const ledger = entries.flatMap((entry) => {
    if (entry.meanings === null) return []
    return entry.kind === 'turn'
      ? listEntries(entry.record, entry.meanings).ledger
      : listEntries(toPartialRecord(entry), entry.meanings, entry.position).ledger
  })
  return {
    worldSlug,
    records: turns.map(({ row, meanings }) => ({
      ...row,
      turn: { ...row.turn, key: turnKey(key, row.turn.number) },
      promisedKeys: meanings?.promises ?? [],
    })),
    specifications: new Map(
      specification === null ? [] : [[specificationKey(taskKey, specification.version), specification]],
    ),
    touchedSince: staleSince(state.files),
    withdrawn: listNewest(known.filter((capture) => capture.worldKey === key)),
    snapshot: {
      worldSlug,
      worldKey: key,
      taskKey,
      currentTurn: state.turn,
      turn: state.turn,
      criteria: registry.criteria,
      progress: state.progress,
      outcomes: state.outcomes,
      specifiedAfter,
      hasProofFiles: true,
      isSuperseded: false,
      ledger: placeEntries(ledger, finalKeys(registry.criteria)),
    },
  }
}
