/** Plans the statements of a capture from its record and the data that was read before it. Pure. */
import { supersededKey, turnKey, worldKey } from '../../core/keys.ts'
import type { Step, Value } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { Resolution } from '../../rules/identity.ts'
import { advance, finalKeys, inOrder, type LedgerEntry, summarizeProgress } from '../../rules/progress.ts'
import { listEntries, listVerifications, resolveTurn } from '../../rules/turn-entries.ts'
import type { Ledger } from '../criteria/snapshot.ts'
import { progressProperties } from '../record/criterion-rows.ts'
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
const newestTurns = statement('turns/newest-turns')
const followWithdrawn = statement('turns/follow-withdrawn')

/**
 * Position of the write: after all turns of the world, between existing turns, or in place of an existing record. `late` also
 * writes a newest turn that merges two criteria.
 */
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
  /** True if this capture creates the world. */
  isNew: boolean
  /** Revision of the replaced record. */
  replaced: { revision: number } | null
  /** Number of rollbacks of the world, and the key of the withdrawn record that the turn follows. */
  rollbacks: number
  withdrawnKey: string | null
}

/** Writes of a capture in one transaction. */
export type Plan = [Step, ...Step[]]

/** Finds the criterion of each entry of the turn. */
export const resolveCapture = (
  { request, record }: Capture,
  { worldSlug }: Target,
  known: WorldSnapshot,
): Resolution =>
  resolveTurn(record, {
    taskKey: keyOfTask(request),
    worldKey: worldKey(request.project, worldSlug),
    criteria: known.criteria,
    labels: known.labels,
    earlier: known.earlierPromises,
    declared: known.declared,
  })

/** Changes `next` to `late` if the turn merges criteria: the progress of both is then derived again, as for a late turn. */
export const chooseWriteMode = (mode: WriteMode, { changed }: Resolution): WriteMode =>
  mode === 'next' && changed.some(({ mergedInto }) => mergedInto !== null) ? 'late' : mode

/**
 * Plans the writes of a capture.
 *
 * @param ledger ledger of the world; null for `next`
 * @returns the writes of one transaction; null if the ledger is newer than the data by which the turn was resolved
 */
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
  const keyOfWorld = worldKey(project, target.worldSlug)
  const change = progressAfter(record, resolution, known, mode, ledger)
  if (known.isRead && change.rev !== known.ledgerRev) return null
  const store: Step = {
    statement: statements[mode],
    params: {
      worldKey: keyOfWorld,
      taskKey: keyOfTask(request),
      turnKey: turnKey(keyOfWorld, turnNumber),
      turnNumber,
      token: crypto.randomUUID(),
      ...(mode === 'supersede'
        ? { revision: target.replaced?.revision ?? 0 }
        : { asOwner, rollbacks: target.rollbacks }),
      ...storedParams(record, resolution, change.edges, {
        project,
        digest,
        writeId,
        criteriaRev: known.criteriaRev,
        isStamped: request.completedAt === undefined, // the service sets the time
      }),
      ledger: {
        touched: change.touched,
        rev: change.rev,
        counters: { progressSum: change.progressSum, ...change.summary },
      },
      inNewWorld: target.isNew && known.isRead,
    },
  }
  const steps: Plan =
    mode === 'next'
      ? [store]
      : [
          store,
          ...planMove(record, turnKey(keyOfWorld, turnNumber), target.replaced, ledger),
          { statement: newestTurns, params: { worldKey: keyOfWorld } },
        ]
  if (target.withdrawnKey !== null)
    steps.push({
      statement: followWithdrawn,
      params: { turnKey: turnKey(keyOfWorld, turnNumber), withdrawnKey: target.withdrawnKey },
    })
  return target.isNew
    ? [ensureWorldStep(request, target.worldSlug, { now: record.createdAt }), ...steps]
    : steps
}

/** Returns the entries that were added to the replaced record, behind those of the new one. */
const placeAdditions = ({ turnNumber }: TurnRecord, first: number, ledger: Ledger | null): LedgerEntry[] =>
  (ledger?.ledger ?? [])
    .filter(({ turn, addedAt }) => turn === turnNumber && addedAt !== null)
    .sort(inOrder)
    .map((entry, i) => ({ ...entry, position: first + i }))

/** Moves the additions of a replaced record; no step without additions. */
function planMove(
  { turnNumber, ...record }: TurnRecord,
  keyOfTurn: string,
  replaced: Target['replaced'],
  ledger: Ledger | null,
): Step[] {
  const ofTurn = (ledger?.ledger ?? []).filter(({ turn }) => turn === turnNumber)
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

/**
 * Computes the progress of each criterion: adds the entries of the newest turn to the known progress. A late turn, a replacement
 * and a merge of two criteria fold the whole ledger again.
 */
function progressAfter(
  record: TurnRecord,
  resolution: Resolution,
  known: WorldSnapshot,
  mode: WriteMode,
  ledger: Ledger | null,
) {
  const isNewest = mode === 'next'
  const entries = listEntries(record, resolution)
  const others = <E extends { turn: number }>(all: readonly E[] = []) =>
    all.filter(({ turn }) => turn !== record.turnNumber)
  const added = placeAdditions(record, entries.ledger.length, ledger)
  // Uses all criteria of the task: a turn without criteria has read none, and merges of earlier turns still hold.
  const finalKey = finalKeys([...(ledger?.criteria ?? known.criteria), ...resolution.changed])
  const stored = isNewest
    ? known.progress.flatMap(({ key, stored }) => (stored === null ? [] : { key, ...stored }))
    : []
  const after = advance(
    new Map(stored.map(({ key, progress }) => [key, progress])),
    [...others(ledger?.ledger), ...entries.ledger, ...added],
    [...others(ledger?.promised), ...entries.promised],
    finalKey,
  )
  const namedKeys = [...entries.ledger, ...entries.promised].map(({ criterionKey }) => finalKey(criterionKey))
  const changed = new Set(isNewest ? namedKeys : after.keys())
  const ledgerRev = isNewest ? known.ledgerRev : (ledger?.ledgerRev ?? 0)
  const rev = ledgerRev + 1
  const unchanged = stored.filter(({ key }) => !changed.has(key)).reduce((sum, each) => sum + each.rev, 0)
  return {
    /** Properties of the edge PROGRESS by criterion. */
    edges: new Map<string, Value>(
      [...after].flatMap(([key, progress]) =>
        changed.has(key) ? [[key, progressProperties(progress, rev)] as const] : [],
      ),
    ),
    touched: !isNewest || changed.size > 0,
    /** Revision that was read. The write is rejected if it has changed. */
    rev: ledgerRev,
    progressSum: unchanged + rev * changed.size,
    summary: summarizeProgress(after.values()),
  }
}
