import type { CriterionState, ShownCriterion } from '../memory/criteria/views.ts'
import { type Criterion, DECLARED } from './identity.ts'
import { compareCodeUnits, compareNaturally, splitLabel } from './labels.ts'
import type { Progress } from './progress.ts'
import type { CriterionKind } from './values.ts'
import { normalizeText, oneBeginsWithTheOther, splitWords } from './words.ts'

export const POLICIES = ['sticky', 'evidence', 'latest', 'fresh', 'observed'] as const
export type Policy = (typeof POLICIES)[number]

/** True if a criterion counts in a total. In a task with a specification, only declared criteria count. */
export const isCounted = ({ declared }: { declared?: boolean | undefined }): boolean => declared !== false

/** True if "all verified" requires the criterion: it counts, and it is not left to a person. */
export const isRequired = (state: {
  declared?: boolean | undefined
  kind?: CriterionKind | undefined
}): boolean => isCounted(state) && state.kind !== 'manual'

/** Checks that all criteria are verified. `promised`: promised criteria that no judge has named and that `states` lacks. */
export function isAllVerified(
  states: readonly Pick<ShownCriterion, 'state' | 'refuted' | 'declared' | 'kind'>[],
  promised: readonly unknown[],
): boolean {
  const required = states.filter(isRequired)
  return (
    required.length > 0 &&
    promised.length === 0 &&
    required.every(({ state, refuted }) => state === 'verified' && !refuted)
  )
}

/** Checks whether all are verified ({@link isAllVerified}), each by an observation. */
export const isAllObserved = (states: readonly CriterionState[], promised: readonly unknown[]): boolean =>
  isAllVerified(states, promised) && states.filter(isRequired).every(({ basis }) => basis === 'observed')

/** The criteria that count, in the total order of the contract. */
export function criterionStates(
  criteria: readonly Criterion[],
  progress: ReadonlyMap<string, Progress>,
  policy: Policy,
): CriterionState[] {
  const named = findNamed(criteria, progress)
  const judgedOnes = named.filter(isJudged)
  // While no judge has named any criterion in this world, the promised ones count, as pending.
  return listStates(judgedOnes.length > 0 ? judgedOnes : named.filter(isPromised), policy)
}

export const promisedNotJudged = (
  criteria: readonly Criterion[],
  progress: ReadonlyMap<string, Progress>,
): CriterionState[] =>
  listStates(
    findNamed(criteria, progress).filter((named) => !isJudged(named) && isPromised(named)),
    'sticky',
  )

type Named = { criterion: Criterion; progress: Progress }
type Placed = Named & { state: CriterionState }

const isJudged = ({ progress }: Named): boolean => progress.lastTurn !== null
const isPromised = ({ progress }: Named): boolean => progress.promiseTurn !== null

const findNamed = (criteria: readonly Criterion[], progress: ReadonlyMap<string, Progress>): Named[] =>
  criteria.flatMap((criterion) => {
    const own = progress.get(criterion.key)
    return own === undefined ? [] : [{ criterion, progress: own }]
  })

const listStates = (named: readonly Named[], policy: Policy): CriterionState[] =>
  named
    .map((each) => ({ ...each, state: deriveState(each.criterion, each.progress, policy) }))
    .sort(comparePlaced)
    .map(({ state }) => state)

export function deriveState(criterion: Criterion, progress: Progress, policy: Policy): CriterionState {
  const { promiseTurn, promiseStatus, lastTurn, lastVerifiedTurn } = progress
  const current = verdict(progress, policy)
  return {
    criterionId: shownLabel(progress),
    key: criterion.key,
    text: shownText(criterion),
    aliases: criterion.aliases.toSorted(
      (a, b) => compareNaturally(a.label, b.label) || compareCodeUnits(a.source, b.source),
    ),
    ...current,
    ...proofOf(progress, policy, current.state === 'verified'),
    lastTurn,
    lastVerifiedTurn,
    promise:
      promiseTurn === null || promiseStatus === null ? null : { turn: promiseTurn, status: promiseStatus },
  }
}

/** Returns how a verified criterion is known, and whether a later rejection refutes it. */
function proofOf(
  { basis, evidenceState, observed }: Progress,
  policy: Policy,
  isVerified: boolean,
): Pick<CriterionState, 'basis' | 'observedOn' | 'refuted'> {
  if (!isVerified) return { basis: null, refuted: false }
  const isObserved = observed !== null && (policy === 'observed' || basis === 'observed')
  return {
    basis: isObserved ? 'observed' : basis,
    ...(isObserved && { observedOn: observed.on }),
    refuted: isObserved && policy === 'observed' ? observed.isRefuted : evidenceState !== 'verified',
  }
}

/**
 * `sticky`: verified once stays verified; a later explicit rejection contests it, a later verification
 * clears that. `evidence`: a rejection with evidence of its own takes it back. `latest`: the last word. `observed`: as `sticky`,
 * but a verification counts only if it was observed.
 */
function verdict(
  progress: Progress,
  policy: Policy,
): Pick<CriterionState, 'state' | 'verifiedInTurn' | 'contestedInTurn'> {
  if (policy === 'latest') {
    return {
      state: progress.latestState,
      verifiedInTurn: progress.latestVerifiedInTurn,
      contestedInTurn: null,
    }
  }
  if (policy === 'evidence') {
    return {
      state: progress.evidenceState,
      verifiedInTurn: progress.evidenceVerifiedInTurn,
      contestedInTurn: progress.evidenceContestedInTurn,
    }
  }
  if (policy === 'observed' && progress.observed !== null) {
    const { verifiedInTurn, contestedInTurn } = progress.observed
    return { state: 'verified', verifiedInTurn, contestedInTurn }
  }
  if (policy === 'observed' && progress.state === 'verified') {
    // A later rejection counts: the newest verdict, or one with evidence, even if a judge left the criterion open after it.
    const isRejected = [progress.latestState, progress.evidenceState].includes('rejected')
    return { state: isRejected ? 'rejected' : 'pending', verifiedInTurn: null, contestedInTurn: null }
  }
  const { state, verifiedInTurn, contestedInTurn } = progress // of `fresh` too, which looks at the files besides
  return { state, verifiedInTurn, contestedInTurn }
}

/** The newest judge's label as it was given, otherwise the Player's. */
export const shownLabel = ({ label, promiseLabel }: Progress): string => label ?? promiseLabel ?? ''

/**
 * Chooses the longest wording of a judge or a specification, otherwise the Player's. Removes its label. Judges may cut a text at its
 * first line. Therefore a Player's text counts too if it begins with a judge's text and is older than every judge's text. A later
 * text must not widen the text of a judge. If a text is declared, no text of the Player counts.
 */
export function shownText(criterion: Criterion): string | null {
  const given = longestText(criterion)
  if (given === null) return null
  const { label, text } = splitLabel(given)
  return label === null ? given : text
}

function longestText({ texts }: Criterion): string | null {
  const [first] = texts
  if (first !== undefined && texts.every(({ text }) => text === first.text)) return first.text // nearly always
  const isOwn = ({ source }: { source: string }) => source !== 'player'
  const own = texts.filter(isOwn)
  const isDeclared = own.some(({ source }) => source === DECLARED)
  const judged = own.map(({ text }) => splitWords(text))
  const completed = texts.slice(0, isDeclared ? 0 : texts.findIndex(isOwn)).filter(({ text }) => {
    const words = splitWords(text)
    return judged.some((start) => start.length <= words.length && oneBeginsWithTheOther(start, words))
  })
  const length = ({ text }: { text: string }) => normalizeText(text).length
  // The sort is stable: of equally long wordings the judge's comes first, so that the Player's list marks do not show.
  const candidates = (own.length > 0 ? [...own, ...completed] : texts).toSorted(
    (a, b) => length(b) - length(a),
  )
  return candidates[0]?.text ?? null
}

function comparePlaced(a: Placed, b: Placed): number {
  const [x, y] = [a.state, b.state]
  if (x.text !== null && y.text !== null) {
    return (
      compareNaturally(x.criterionId, y.criterionId) ||
      compareCodeUnits(normalizeText(x.text), normalizeText(y.text)) ||
      compareCodeUnits(x.key, y.key)
    )
  }
  if (x.text !== null || y.text !== null) return x.text !== null ? -1 : 1
  return (
    a.progress.firstTurn - b.progress.firstTurn ||
    a.progress.firstPosition - b.progress.firstPosition ||
    compareCodeUnits(x.key, y.key)
  )
}
