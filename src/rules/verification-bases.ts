/** Finds how the verification of a criterion in each turn is known. Pure. */
import { groupBy } from '../core/group-by.ts'
import { type Basis, createOwnerFinder, gradeByOwners } from './basis.ts'
import { compareCodeUnits } from './labels.ts'
import {
  advance,
  inOrder,
  type LedgerEntry,
  listJudgements,
  type Progress,
  type PromiseEntry,
} from './progress.ts'

/** Turns that verified a criterion, by basis. A turn with several verifications has the basis of its last one. */
export type TurnsByBasis = Readonly<Partial<Record<Basis, readonly number[]>>>

/**
 * Grades the verifications of each turn with the promises of that time, as a capture does.
 *
 * @param finalKey returns the criterion for which an entry counts
 * @returns the turns of each verified criterion, ascending
 */
export function listVerificationBases(
  ledger: readonly LedgerEntry[],
  promised: readonly PromiseEntry[],
  finalKey: (key: string) => string,
): ReadonlyMap<string, TurnsByBasis> {
  const entriesOf = groupBy(ledger, ({ turn }) => turn)
  const promisesOf = groupBy(promised, ({ turn }) => turn)
  const turns = [...new Set([...entriesOf.keys(), ...promisesOf.keys()])].sort((a, b) => a - b)
  const found = new Map<string, Partial<Record<Basis, number[]>>>()
  let progress: ReadonlyMap<string, Progress> = new Map()
  for (const turn of turns) {
    progress = advance(progress, entriesOf.get(turn) ?? [], promisesOf.get(turn) ?? [], finalKey)
    for (const [key, { lastVerifiedTurn, basis }] of progress) {
      if (lastVerifiedTurn !== turn || basis === null) continue
      const bases = found.get(key) ?? {}
      found.set(key, { ...bases, [basis]: [...(bases[basis] ?? []), turn] })
    }
  }
  return found
}

/** A verified verdict that repeats the Player's words, with the newest promise that contains them. */
export type CopiedVerdict = {
  turn: number
  label: string
  basis: 'repeated' | 'misplaced'
  evidence: string | null
  promisedFor: string | null
  promisedIn: number | null
}

/**
 * Lists the verified verdicts that contain the evidence of a promise, in order. Like a capture, compares each verdict with the
 * promises that were current in its turn.
 *
 * @param finalKey returns the criterion for which an entry counts
 */
export function listCopiedVerdicts(
  ledger: readonly LedgerEntry[],
  promised: readonly PromiseEntry[],
  finalKey: (key: string) => string,
): CopiedVerdict[] {
  const entriesOf = groupBy(ledger, ({ turn }) => turn)
  const promisesOf = groupBy(promised, ({ turn }) => turn)
  const turns = [...new Set([...entriesOf.keys(), ...promisesOf.keys()])].sort((a, b) => a - b)
  const found: CopiedVerdict[] = []
  let progress: ReadonlyMap<string, Progress> = new Map()
  for (const turn of turns) {
    const entries = entriesOf.get(turn) ?? []
    progress = advance(progress, entries, promisesOf.get(turn) ?? [], finalKey)
    const findOwners = createOwnerFinder(
      new Map([...progress].map(([key, { promiseMarks }]) => [key, promiseMarks])),
    )
    for (const entry of listJudgements(entries, finalKey).sort(inOrder)) {
      if (entry.status !== 'verified' || entry.observedOn !== null) continue
      const owners = findOwners(entry.evidence)
      const basis = gradeByOwners(finalKey(entry.criterionKey), owners)
      if (basis === 'judged') continue
      const keys = basis === 'repeated' ? [finalKey(entry.criterionKey)] : [...owners].sort(compareCodeUnits)
      const [promise] = keys.flatMap((key) => progress.get(key) ?? []).sort(byPromise)
      const { label, evidence } = entry
      const [promisedFor = null, promisedIn = null] = [promise?.promiseLabel, promise?.promiseTurn]
      found.push({ turn, label, basis, evidence, promisedFor, promisedIn })
    }
  }
  return found
}

/** Orders by the turn of the promise, newest first, and then by its label. */
const byPromise = (a: Progress, b: Progress): number =>
  (b.promiseTurn ?? 0) - (a.promiseTurn ?? 0) || compareCodeUnits(a.promiseLabel ?? '', b.promiseLabel ?? '')
