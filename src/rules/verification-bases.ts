/** Finds how the verification of a criterion in each turn is known. Pure. */
import { type Basis, createOwnerFinder, gradeByOwners } from './basis.ts'
import { compareCodeUnits } from './labels.ts'
import {
  foldByTurn,
  inOrder,
  type LedgerEntry,
  listJudgements,
  type Progress,
  type TurnEntries,
} from './progress.ts'

/** Turns that verified a criterion, by basis. A turn with several verifications has the basis of its last one. */
export type TurnsByBasis = Readonly<Partial<Record<Basis, readonly number[]>>>

/** Grades the verifications of each turn with the promises of that time, as a capture does. */
export function listVerificationBases(
  turns: readonly TurnEntries[],
  finalKey: (key: string) => string,
): ReadonlyMap<string, TurnsByBasis> {
  const found = new Map<string, Partial<Record<Basis, number[]>>>()
  for (const { turn, progress } of foldByTurn(turns, finalKey)) {
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

/** Yields the verdicts that copy a promise, compared with the promises of their turn. The caller may pause after each turn. */
export function* findCopiedVerdicts(
  turns: readonly TurnEntries[],
  finalKey: (key: string) => string,
): Generator<CopiedVerdict[], void> {
  for (const { entries, progress } of foldByTurn(turns, finalKey)) {
    const verified = listJudgements(entries, finalKey)
      .filter(({ status, observedOn }) => status === 'verified' && observedOn === null)
      .sort(inOrder)
    yield verified.length === 0 ? [] : listCopied(verified, progress, finalKey)
  }
}

function listCopied(
  verified: readonly LedgerEntry[],
  progress: ReadonlyMap<string, Progress>,
  finalKey: (key: string) => string,
): CopiedVerdict[] {
  const findOwners = createOwnerFinder(
    new Map([...progress].map(([key, { promiseMarks }]) => [key, promiseMarks])),
  )
  const found: CopiedVerdict[] = []
  for (const entry of verified) {
    const owners = findOwners(entry.evidence)
    const basis = gradeByOwners(finalKey(entry.criterionKey), owners)
    if (basis === 'judged') continue
    const keys = basis === 'repeated' ? [finalKey(entry.criterionKey)] : [...owners].sort(compareCodeUnits)
    const [promise] = keys.flatMap((key) => progress.get(key) ?? []).sort(byPromise)
    const { turn, label, evidence } = entry
    const [promisedFor = null, promisedIn = null] = [promise?.promiseLabel, promise?.promiseTurn]
    found.push({ turn, label, basis, evidence, promisedFor, promisedIn })
  }
  return found
}

/** Orders by the turn of the promise, newest first, and then by its label. */
const byPromise = (a: Progress, b: Progress): number =>
  (b.promiseTurn ?? 0) - (a.promiseTurn ?? 0) || compareCodeUnits(a.promiseLabel ?? '', b.promiseLabel ?? '')
