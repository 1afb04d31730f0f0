import { turnKey, worldKey } from '../../core/keys.ts'
import type { Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { Resolution } from '../criteria/identity.ts'
import type { Ledger } from '../criteria/ledger.ts'
import { progressProperties } from '../criteria/rows.ts'
import { advance, finalKeys, type Progress, type StandingSummary, summaryOf } from '../criteria/state.ts'
import { seedId } from '../record/derived-keys.ts'
import { entriesOf, resolveParts, storedParams, type TurnParts } from '../record/normalize.ts'
import { keyOfTask, type Scope } from '../worlds/scope.ts'
import { ensureWorldStep } from '../worlds/worlds.ts'
import { criteriaAfter, type Known } from './load-criteria.ts'

/** The statements of a capture, from its record and from what was read before it. Pure: it reads and writes nothing. */

const statements = {
  append: statement('turns/append'),
  insert: statement('turns/insert'),
  supersede: statement('turns/supersede'),
}
const newestTurns = statement('turns/newest-turns')

/** Above all turns of the world, where none stands yet, or in the place of the record that does. */
export type Way = keyof typeof statements

export type Capture = {
  scope: Scope
  parts: TurnParts
  digest: string
  writeId: string
  now: string
  /** Whether the service's clock says when the turn was completed. */
  isStamped: boolean
  /** Whether the caller owns the world at this moment: an attempt that commits its turn. */
  asOwner: boolean
}

export type Target = {
  worldSlug: string
  /** Whether the world is made by this capture. */
  isNew: boolean
  /** Of the record that a supersede replaces. */
  revision: number
}

/** Which criterion each entry of the turn means. */
export const resolveCapture = ({ scope, parts }: Capture, { worldSlug }: Target, known: Known): Resolution =>
  resolveParts(parts, {
    taskKey: keyOfTask(scope),
    worldKey: worldKey(scope.project, worldSlug),
    criteria: known.criteria,
    labels: known.labels,
    earlier: { promises: known.earlierPromises, judged: known.earlierVerifications },
  })

/** A merge moves what both criteria were: where they stand is derived anew, as after a turn that came late. */
export const wayOf = (way: Way, { changed }: Resolution): Way =>
  way === 'append' && changed.some(({ mergedInto }) => mergedInto !== null) ? 'insert' : way

/**
 * @param ledger of the world, for every way but `append`
 * @returns null where the ledger is newer than what the turn was resolved by
 */
export function planCapture(
  capture: Capture,
  target: Target,
  way: Way,
  known: Known,
  resolution: Resolution,
  ledger: Ledger | null,
): [Step, ...Step[]] | null {
  const { scope, parts, digest, writeId, now, isStamped, asOwner } = capture
  const { turnNumber } = parts.turn
  const keyOfWorld = worldKey(scope.project, target.worldSlug)
  const standing =
    way === 'append'
      ? standingAfterNext(parts, resolution, known)
      : standingAfterAny(parts, resolution, known, ledger)
  if (known.isRead && standing.rev !== known.ledgerRev) return null
  const store: Step = {
    statement: statements[way],
    params: {
      worldKey: keyOfWorld,
      taskKey: keyOfTask(scope),
      turnKey: turnKey(keyOfWorld, turnNumber),
      turnNumber,
      token: crypto.randomUUID(),
      ...(way === 'supersede' ? { revision: target.revision } : { asOwner }),
      ...storedParams(parts, resolution, standing.edges, {
        project: scope.project,
        id: seedId({ featureId: scope.featureId, turnNumber }),
        digest,
        writeId,
        criteriaRev: known.criteriaRev,
        isStamped,
      }),
      ledger: {
        touched: standing.touched,
        rev: standing.rev,
        standing: { progressSum: standing.progressSum, ...standing.summary },
      },
      inNewWorld: target.isNew && known.isRead,
    },
  }
  const steps: [Step, ...Step[]] =
    way === 'append' ? [store] : [store, { statement: newestTurns, params: { worldKey: keyOfWorld } }]
  return target.isNew ? [ensureWorldStep(scope, target.worldSlug, { now }), ...steps] : steps
}

type Standing = {
  /** By criterion, the properties of its edge PROGRESS. */
  edges: Map<string, ReturnType<typeof progressProperties>>
  touched: boolean
  /** The revision that was read: written only if it still stands. */
  rev: number
  progressSum: number
  summary: StandingSummary
}

/** Where each criterion stands: the newest turn's entries go on top of what is known. */
function standingAfterNext(parts: TurnParts, resolution: Resolution, known: Known): Standing {
  const entries = entriesOf(parts, resolution)
  const keyOf = finalKeys(criteriaAfter(known.criteria, resolution))
  const kept = known.progress.flatMap(([key, progress]) =>
    progress === null ? [] : [[key, progress] as const],
  )
  const revs = new Map(kept.map(([key, { rev }]) => [key, rev]))
  const after = advance(
    new Map(kept.map(([key, { progress }]) => [key, progress])),
    entries.ledger,
    entries.promised,
    keyOf,
  )
  const touched = new Set(
    [...entries.ledger, ...entries.promised].map(({ criterionKey }) => keyOf(criterionKey)),
  )
  const rev = known.ledgerRev + 1
  const dropped = [...touched].reduce((sum, key) => sum + (revs.get(key) ?? 0), 0)
  return {
    edges: edgesOf(after, [...touched], rev),
    touched: touched.size > 0,
    rev: known.ledgerRev,
    progressSum: known.progressSum - dropped + rev * touched.size,
    summary: summaryOf(after.values()),
  }
}

/** A late turn, one that replaces another, and a merge of two criteria fold the whole ledger again. */
function standingAfterAny(
  parts: TurnParts,
  resolution: Resolution,
  known: Known,
  ledger: Ledger | null,
): Standing {
  const entries = entriesOf(parts, resolution)
  const others = <E extends { turn: number }>(all: readonly E[] = []) =>
    all.filter(({ turn }) => turn !== parts.turn.turnNumber)
  const after = advance(
    new Map(),
    [...others(ledger?.ledger), ...entries.ledger],
    [...others(ledger?.promised), ...entries.promised],
    // Of all criteria of the task: a turn that names none has read none, and merges of earlier turns still hold.
    finalKeys(criteriaAfter(ledger?.criteria ?? known.criteria, resolution)),
  )
  const ledgerRev = ledger?.ledgerRev ?? 0
  const rev = ledgerRev + 1
  return {
    edges: edgesOf(after, [...after.keys()], rev),
    touched: true,
    rev: ledgerRev,
    progressSum: rev * after.size,
    summary: summaryOf(after.values()),
  }
}

const edgesOf = (
  after: ReadonlyMap<string, Progress>,
  keys: readonly string[],
  rev: number,
): Standing['edges'] =>
  new Map(
    keys.flatMap((key) => {
      const progress = after.get(key)
      return progress === undefined ? [] : [[key, progressProperties(progress, rev)] as const]
    }),
  )
