/** Plans the statements of a capture from its record and the data that was read before it. Pure. */
import { supersededKey, turnKey, worldKey } from '../../core/keys.ts'
import type { Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { advanceNames, advanceState, type LedgerTurn } from '../../rules/advance-state.ts'
import { deriveTurn } from '../../rules/derive-turn.ts'
import type { Resolution } from '../../rules/identity.ts'
import { finalKeys, inOrder } from '../../rules/progress.ts'
import { listEntries, listGates, listVerifications, resolveTurn } from '../../rules/turn-entries.ts'
import { NO_TURNS } from '../../rules/world-state.ts'
import { listProgressEdges, toStateProperties } from '../criteria/rewrite-state.ts'
import type { Ledger } from '../criteria/snapshot.ts'
import { storedParams } from '../record/normalize.ts'
import type { CaptureRequest, TurnRecord } from '../record/record.ts'
import { keyOfTask } from '../scope/scope.ts'
import { ensureWorldStep } from '../worlds/worlds.ts'
import type { WorldSnapshot } from './load-criteria.ts'
import { moveAdditionsStep } from './plan-additions.ts'

const statements = {
  next: statement('turns/capture'),
  late: statement('turns/capture-late'),
  supersede: statement('turns/supersede'),
}
const followWithdrawn = statement('turns/follow-withdrawn')

/** Position of the write in the world. `late` also applies to a newest turn that merges two criteria. */
export type WriteMode = keyof typeof statements

export type Capture = {
  request: CaptureRequest & { project: string }
  record: TurnRecord
  digest: string
  writeId: string
  /** True if the caller is an attempt that commits its turn, and owns the world at this moment. */
  asOwner: boolean
}

/** Place of the write. Not the `Target` of a read (`criteria/snapshot.ts`), which is a task and a world. */
export type Target = {
  worldSlug: string
  isNew: boolean
  replaced: { revision: number } | null
  /** Number of rollbacks of the world, and the key of the withdrawn record that the turn follows. */
  rollbacks: number
  withdrawnKey: string | null
}

export type Plan = [Step, ...Step[]]

/** @param ledger ledger of the world if the turn is not the newest: later turns do not change the meanings of its labels */
export function resolveCapture(
  { request, record }: Capture,
  { worldSlug }: Target,
  { criteria, declared, state }: WorldSnapshot,
  ledger: Ledger | null,
): Resolution {
  const { labels, promised } = ledger === null ? state : namesBelow(ledger, record.turnNumber)
  return resolveTurn(record, {
    taskKey: keyOfTask(request),
    worldKey: worldKey(request.project, worldSlug),
    ...{ criteria, labels, declared },
    earlier: promised?.promises ?? [],
  })
}

/** Returns the meanings of labels and the newest promises in the turns with smaller numbers. */
export const namesBelow = ({ turns, criteria }: Ledger, number: number) =>
  advanceNames(
    NO_TURNS,
    turns.filter(({ turn }) => turn < number),
    finalKeys(criteria),
  )

/** Changes `next` to `late` if the turn merges criteria: the state is then derived again, as for a late turn. */
export const chooseWriteMode = (mode: WriteMode, { changed }: Resolution): WriteMode =>
  mode === 'next' && changed.some(({ mergedInto }) => mergedInto !== null) ? 'late' : mode

/** @returns the writes of one transaction; null if the ledger is newer than the data by which the turn was resolved */
export function planCapture(
  capture: Capture,
  target: Target,
  mode: WriteMode,
  known: WorldSnapshot,
  resolution: Resolution,
  ledger: Ledger | null,
): Plan | null {
  const { request, record, digest, writeId, asOwner } = capture
  const { project, turnNumber } = request
  const { ledgerRev } = known
  if (ledger !== null && ledger.ledgerRev !== ledgerRev) return null
  const keyOfWorld = worldKey(project, target.worldSlug)
  const taskKey = keyOfTask(request)
  const { ledger: entries, promised } = listEntries(record, resolution)
  const verifications = entries.map((entry) => ({ ...entry, criterion: entry.criterionKey }))
  const derived = deriveTurn(
    { ...record, number: turnNumber },
    { ...record, verifications, gates: listGates(record) },
  )
  const turn: LedgerTurn = { turn: turnNumber, digest, outcome: derived.outcome, entries, promised }
  const finalKey = finalKeys([...known.criteria, ...resolution.changed])
  const state =
    ledger === null
      ? advanceState(known.state, [turn], finalKey)
      : advanceState(NO_TURNS, replaceTurn(ledger, turn), finalKey)
  // An edge changes only if the turn names its criterion. If all turns were folded, the statement has deleted the edges.
  const named = new Set([...turn.entries, ...turn.promised].map(({ criterionKey }) => finalKey(criterionKey)))
  const edges = listProgressEdges(state).filter(({ criterion }) => ledger !== null || named.has(criterion))
  const store: Step = {
    statement: statements[mode],
    params: {
      worldKey: keyOfWorld,
      taskKey,
      turnKey: turnKey(keyOfWorld, turnNumber),
      token: crypto.randomUUID(),
      ...(mode === 'supersede'
        ? { revision: target.replaced?.revision ?? 0 }
        : { turnNumber, asOwner, rollbacks: target.rollbacks }),
      ...storedParams(record, resolution, edges, {
        project,
        digest,
        writeId,
        derived: derived.properties,
        criteriaRev: known.criteriaRev,
        isStamped: request.completedAt === undefined, // the service sets the time
      }),
      ledgerRev,
      stateBefore: known.stateText ?? '',
      world: { ledgerRev: ledgerRev + 1, ...toStateProperties(taskKey, state) },
      inNewWorld: target.isNew,
    },
  }
  const steps: Plan = [store, ...planMove(record, turnKey(keyOfWorld, turnNumber), target.replaced, ledger)]
  if (target.withdrawnKey !== null)
    steps.push({
      statement: followWithdrawn,
      params: { turnKey: turnKey(keyOfWorld, turnNumber), withdrawnKey: target.withdrawnKey },
    })
  return target.isNew
    ? [ensureWorldStep(request, target.worldSlug, { now: record.createdAt }), ...steps]
    : steps
}

/** Puts a record in place of the one that it replaces, if any. Added verifications come behind the entries of the record. */
function replaceTurn({ turns }: Ledger, fresh: LedgerTurn): LedgerTurn[] {
  const isReplaced = ({ turn }: LedgerTurn) => turn === fresh.turn
  const added = turns
    .filter(isReplaced)
    .flatMap(({ entries }) => entries.filter(({ addedAt }) => addedAt !== null))
    .sort(inOrder)
    .map((entry, i) => ({ ...entry, position: fresh.entries.length + i }))
  return [...turns.filter((each) => !isReplaced(each)), { ...fresh, entries: [...fresh.entries, ...added] }]
}

/** Moves the additions of a replaced record; no step without additions. */
function planMove(
  { turnNumber, ...record }: TurnRecord,
  keyOfTurn: string,
  replaced: Target['replaced'],
  ledger: Ledger | null,
): Step[] {
  const ofTurn = (ledger?.turns ?? []).find(({ turn }) => turn === turnNumber)?.entries ?? []
  const additions = ofTurn.filter(({ addedAt }) => addedAt !== null).length
  if (replaced === null || additions === 0) return []
  const counts = {
    additions,
    recorded: listVerifications(record).length,
    replaced: ofTurn.length - additions,
  }
  return [
    moveAdditionsStep(
      { turnKey: keyOfTurn, replacedKey: supersededKey(keyOfTurn, replaced.revision) },
      counts,
    ),
  ]
}
