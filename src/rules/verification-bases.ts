/** Finds how the verification of a criterion in each turn is known. Pure. */
import { groupBy } from '../core/group-by.ts'
import type { Basis } from './basis.ts'
import { advance, type LedgerEntry, type Progress, type PromiseEntry } from './progress.ts'

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
