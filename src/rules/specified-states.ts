/** Computes the states of criteria in a task with a specification (contract: specification.md, "What follows"). Pure. */

import { compareInstants } from '../core/instants.ts'
import type { Snapshot } from '../memory/criteria/snapshot.ts'
import type { CriterionState, PromisedCriterion, ShownCriterion } from '../memory/criteria/views.ts'
import type { Declared, Specification } from '../memory/specification/specification.ts'
import { criterionStates, deriveState, type Policy, promisedNotJudged } from './criterion-states.ts'
import { notYetNamed, type Progress } from './progress.ts'
import type { Stale, StaleSince } from './stale.ts'

/** Data of a task and its world in addition to a snapshot. */
export type Specified = {
  /** Null if the task has no specification and only stale proofs were requested. */
  specification: Specification | null
  touchedSince: StaleSince
}

type Said = Pick<Snapshot, 'criteria' | 'progress' | 'specifiedAfter'>

export const NOTHING_SAID: Said = { criteria: [], progress: new Map(), specifiedAfter: [] }

/** Returns the declared criteria, then others, which do not count. Without a specification, follows the rules of the contract. */
export function specifiedStates(
  snapshot: Said,
  specified: Specified | null,
  policy: Policy,
): CriterionState[] {
  if (specified === null) return criterionStates(snapshot.criteria, snapshot.progress, policy)
  const { specification, touchedSince } = specified
  /** True if the newest verification of a criterion is of its earlier wording. */
  const isReworded = (
    { lastVerifiedTurn, observedOn }: CriterionState,
    { rewordedIn, rewordedAt }: Declared,
  ): boolean => {
    if (lastVerifiedTurn === null || rewordedIn === null) return false
    // An observation may have been added to a turn that is older than the version.
    if (observedOn !== undefined && rewordedAt !== null) return compareInstants(observedOn.at, rewordedAt) < 0
    return lastVerifiedTurn <= (snapshot.specifiedAfter[rewordedIn - 1] ?? 0)
  }
  const age = (state: CriterionState, one?: Declared): CriterionState => {
    const { lastVerifiedTurn } = state
    if (state.state !== 'verified' || lastVerifiedTurn === null) return state
    // An observed proof is stale by tree: the files of a turn are a claim.
    const touched = state.basis === 'observed' ? null : touchedSince(state.key, lastVerifiedTurn)
    if (touched === null && !(one !== undefined && isReworded(state, one))) return state
    const stale: Stale = touched ?? { turn: lastVerifiedTurn, files: [] }
    return { ...state, stale, ...(policy === 'fresh' && { state: 'pending' as const }) }
  }
  if (specification === null) {
    return criterionStates(snapshot.criteria, snapshot.progress, policy).map((state) => age(state))
  }
  const { declared, retiredIn } = specification
  const keys = new Set(declared.map(({ key }) => key))
  const others = criterionStates(
    snapshot.criteria.filter(({ key }) => !keys.has(key)),
    snapshot.progress,
    policy,
  )
  return [
    ...declared.map((one) => age(declaredState(one, snapshot.progress.get(one.key), policy), one)),
    ...others.map((state) => {
      const version = retiredIn.get(state.key)
      return {
        ...age(state),
        declared: false,
        ...(version !== undefined && { retiredInVersion: version }),
      }
    }),
  ]
}

/** Returns promised criteria that no judge has named while others were judged. They do not count, but prevent "all verified". */
export function promisedNotCounted({ criteria, progress, specifiedAfter }: Said): CriterionState[] {
  const isAnyJudged = [...progress.values()].some(({ lastTurn }) => lastTurn !== null)
  return specifiedAfter.length > 0 || !isAnyJudged ? [] : promisedNotJudged(criteria, progress)
}

/** Selects the promised criteria of {@link promisedNotCounted} from an answer. */
export function promisedNotListed<P>(
  criteria: readonly Pick<ShownCriterion, 'lastTurn' | 'declared'>[],
  promised: readonly P[],
): readonly P[] {
  const isAnyJudged = criteria.some(({ lastTurn }) => lastTurn !== null)
  const isSpecified = criteria.some(({ declared }) => declared !== undefined)
  return isAnyJudged && !isSpecified ? promised : []
}

export function shownPromisedNotJudged(
  { criteria, progress }: Said,
  states: readonly CriterionState[],
): PromisedCriterion[] {
  const listed = new Map(states.map((state) => [state.key, state]))
  return promisedNotJudged(criteria, progress).map((state) => {
    const { criterionId, key, text, promise } = listed.get(state.key) ?? state
    return { criterionId, key, text, promise }
  })
}

/** Computes the state of a declared criterion. It has a text, so it is never merged, and all entries have its key. */
function declaredState(
  { label, text, kind, rewordedIn, criterion }: Declared,
  progress: Progress | undefined,
  policy: Policy,
): CriterionState {
  return {
    ...deriveState(criterion, progress ?? notYetNamed({ turn: 0, position: 0 }), policy),
    criterionId: label,
    text,
    declared: true,
    kind,
    judged: progress !== undefined && progress.lastTurn !== null,
    ...(rewordedIn !== null && { rewordedInVersion: rewordedIn }),
  }
}
