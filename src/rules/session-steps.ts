/** Folds the turns of a session one by one, so that each can be judged as of its time. Pure. */
import type { CriterionState } from '../memory/criteria/views.ts'
import type { Specification } from '../memory/specification/specification.ts'
import { isRequired, type Policy } from './criterion-states.ts'
import type { Criterion } from './identity.ts'
import type { Outcome } from './outcome.ts'
import { finalKeys, foldByTurn, type LedgerEntry, type Progress, type TurnEntries } from './progress.ts'
import { specifiedStates } from './specified-states.ts'
import { addFiles, NO_FILES, type StaleSince, staleSince, type TouchedFiles } from './stale.ts'

/** A turn with its entries about criteria, and its end if it was judged. */
export type SessionTurn = TurnEntries & { outcome: Outcome | null }

export type SessionRecords = {
  featureId: string
  taskId: string
  worldSlug: string
  turns: readonly SessionTurn[]
  criteria: readonly Criterion[]
  /** Criteria that the task declares; null without a specification. */
  specification: Specification | null
  specifiedAfter: readonly number[]
  /** Files by turn, ascending; only for the policy `fresh`. */
  files: readonly TouchedFiles[]
}

export type SessionStep = SessionTurn & {
  progress: ReadonlyMap<string, Progress>
  /** Entries of this turn, each under the criterion for which it counts. */
  ledger: readonly LedgerEntry[]
  touchedSince: StaleSince
}

export function foldSteps({ turns, criteria, files }: SessionRecords): SessionStep[] {
  const finalKey = finalKeys(criteria)
  const filesOf = new Map(files.map((touched) => [touched.turn, touched]))
  let proofs = NO_FILES
  return [...foldByTurn(turns, finalKey)].map((turn) => {
    const touched = filesOf.get(turn.turn)
    if (touched !== undefined) proofs = addFiles(proofs, touched, finalKey)
    const ledger = turn.entries.map((entry) => ({ ...entry, criterionKey: finalKey(entry.criterionKey) }))
    return { ...turn, ledger, touchedSince: staleSince(proofs) }
  })
}

/** Returns the states of the criteria after a step, in the order of an answer. */
export function statesAfter(
  { criteria, specification, specifiedAfter }: SessionRecords,
  { progress, touchedSince }: SessionStep,
  policy: Policy,
): CriterionState[] {
  const isSpecified = specification !== null || policy === 'fresh'
  const specified = isSpecified ? { specification, touchedSince } : null
  return specifiedStates({ criteria, progress, specifiedAfter }, specified, policy)
}

export const verifiedKeys = (states: readonly CriterionState[]): Set<string> =>
  new Set(states.filter((state) => isRequired(state) && state.state === 'verified').map(({ key }) => key))
