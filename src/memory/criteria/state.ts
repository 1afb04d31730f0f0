/**
 * Derives where criteria are as of a turn from the append-only verifications of a world (contract: criteria.md, "State").
 * Pure. One fold serves the capture, which stores its result, and every question about an earlier turn.
 */
import { groupBy } from '../../core/group-by.ts'
import type { Criterion } from '../../rules/identity.ts'
import { compareCodeUnits, compareNaturally, splitLabel } from '../../rules/labels.ts'
import type { CriterionKind, Source } from '../../rules/values.ts'
import { normalizeText, oneBeginsWithTheOther, splitWords } from '../../rules/words.ts'
import { type LedgerEntry, notYetNamed, type Progress, type PromiseEntry, type RecentEntry } from './rows.ts'
import { type CriterionState, HISTORY_SHOWN } from './views.ts'

export const POLICIES = ['sticky', 'evidence', 'latest', 'fresh'] as const
export type Policy = (typeof POLICIES)[number]

/** Whether a criterion counts in a total: where a task declares what must hold, nothing else does. */
export const isCounted = ({ declared }: { declared?: boolean | undefined }): boolean => declared !== false

/** Whether a criterion makes or hinders "all verified": one that is not declared does not, nor one that a person looks at. */
export const isRequired = (state: {
  declared?: boolean | undefined
  kind?: CriterionKind | undefined
}): boolean => isCounted(state) && state.kind !== 'manual'

/**
 * Checks whether every required criterion is verified and not contested by a rejection with evidence of its own.
 *
 * @param promised the promised criteria that no judge has named and that are not among the states
 */
export function isAllVerified(states: readonly CriterionState[], promised: readonly unknown[]): boolean {
  const required = states.filter(isRequired)
  return (
    required.length > 0 &&
    promised.length === 0 &&
    required.every(({ state, isRefuted }) => state === 'verified' && !isRefuted)
  )
}

/** Where a merged criterion's entries count: at the end of its chain of merges. */
export function finalKeys(
  criteria: readonly Pick<Criterion, 'key' | 'mergedInto'>[],
): (key: string) => string {
  const into = new Map(criteria.map(({ key, mergedInto }) => [key, mergedInto]))
  const follow = (key: string): string => {
    const next = into.get(key)
    return next == null ? key : follow(next)
  }
  return follow
}

/**
 * Folds entries of later turns into what stood before them. `known` is not changed.
 *
 * @param finalKey where an entry's criterion counts (see {@link finalKeys})
 */
export function advance(
  known: ReadonlyMap<string, Progress>,
  ledger: readonly LedgerEntry[],
  promised: readonly PromiseEntry[],
  finalKey: (key: string) => string = (key) => key,
): Map<string, Progress> {
  const progress = new Map(known)
  const at = (entry: LedgerEntry | PromiseEntry): Progress =>
    progress.get(finalKey(entry.criterionKey)) ?? notYetNamed(entry)
  // Turn by turn, so that folding all at once and turn by turn are the same.
  const repeats = repeatsIn(ledger, finalKey)
  for (const entry of [...ledger, ...promised].sort(inOrder)) {
    progress.set(finalKey(entry.criterionKey), named(at(entry), entry, repeats))
  }
  return progress
}

function named(
  before: Progress,
  entry: LedgerEntry | PromiseEntry,
  repeats: ReadonlySet<LedgerEntry>,
): Progress {
  if (!('source' in entry)) {
    return promised(before, entry)
  }
  const judges = isJudgement(entry) && !repeats.has(entry)
  const noted: Progress = {
    ...before,
    entries: before.entries + 1,
    recent: [...before.recent, { turn: entry.turn, status: entry.status, judges }].slice(-HISTORY_SHOWN),
  }
  return judges ? judged(noted, entry) : noted
}

function promised(before: Progress, { turn, status, label }: PromiseEntry): Progress {
  const isComplete = status === 'complete'
  return {
    ...before,
    promiseTurn: turn,
    promiseStatus: status,
    promiseLabel: label,
    completeTurn: before.completeTurn ?? (isComplete ? turn : null),
    isBrokenPromise: before.isBrokenPromise || (isComplete && before.evidencedRejectionTurn === turn),
  }
}

/** One judgement under all three policies. Unknown and absence change nothing but that it was named. */
function judged(before: Progress, { turn, status, label, substantiated }: LedgerEntry): Progress {
  const seen = { ...before, label, firstJudgedTurn: before.firstJudgedTurn ?? turn, lastTurn: turn }
  if (status === 'verified') {
    return {
      ...seen,
      lastVerifiedTurn: turn,
      state: 'verified',
      verifiedInTurn: before.verifiedInTurn ?? turn,
      contestedInTurn: null,
      evidenceState: 'verified',
      evidenceVerifiedInTurn: before.evidenceVerifiedInTurn ?? turn,
      evidenceContestedInTurn: null,
      latestState: 'verified',
      latestVerifiedInTurn: turn,
    }
  }
  if (status === 'rejected') {
    const stays = before.state === 'verified'
    const evidenceStays = before.evidenceState === 'verified' && !substantiated
    return {
      ...seen,
      state: stays ? 'verified' : 'rejected',
      contestedInTurn: stays ? turn : null,
      evidenceState: evidenceStays ? 'verified' : 'rejected',
      evidenceVerifiedInTurn: evidenceStays ? before.evidenceVerifiedInTurn : null,
      evidenceContestedInTurn: evidenceStays ? turn : null,
      latestState: 'rejected',
      latestVerifiedInTurn: null,
      evidencedRejectionTurn: substantiated ? turn : before.evidencedRejectionTurn,
      rejections: before.rejections + 1,
      flips: before.flips + (before.latestState === 'verified' ? 1 : 0),
      isBrokenPromise: before.isBrokenPromise || (substantiated && before.completeTurn !== null),
    }
  }
  return status === 'pending' ? { ...seen, latestState: 'pending', latestVerifiedInTurn: null } : seen
}

/**
 * What a world keeps of where all of its criteria stand, by which named analyses find it: in how many criteria something
 * happened, ever; `lastGainTurn` is the newest turn that verified one for the first time.
 * `contestedCount`: they stand verified, and were rejected, too.
 */
export function summarizeProgress(progress: Iterable<Progress>) {
  const all = [...progress]
  const gains = all.flatMap(({ verifiedInTurn }) => verifiedInTurn ?? [])
  const count = (matches: (each: Progress) => boolean) => all.filter(matches).length
  return {
    lastGainTurn: gains.length === 0 ? null : gains.reduce((a, b) => Math.max(a, b)),
    contestedCount: count(({ state, rejections }) => state === 'verified' && rejections > 0),
    flippedCount: count(({ flips }) => flips > 0),
    brokenPromiseCount: count(({ isBrokenPromise }) => isBrokenPromise),
  }
}

/** The criteria that count, in the total order of the contract. */
export function criterionStates(
  criteria: readonly Criterion[],
  progress: ReadonlyMap<string, Progress>,
  policy: Policy,
): CriterionState[] {
  const named = placeCriteria(criteria, progress, policy)
  const judgedOnes = named.filter(isJudged)
  // While no judge has named any criterion in this world, the promised ones count, as pending.
  const counting =
    judgedOnes.length > 0 ? judgedOnes : named.filter(({ progress }) => progress.promiseTurn !== null)
  return counting.sort(comparePlaced).map(({ state }) => state)
}

/** Promised criteria that no judge has named, including criteria that do not count. */
export const promisedNotJudged = (
  criteria: readonly Criterion[],
  progress: ReadonlyMap<string, Progress>,
): CriterionState[] =>
  placeCriteria(criteria, progress, 'sticky')
    .filter((placed) => !isJudged(placed) && placed.progress.promiseTurn !== null)
    .sort(comparePlaced)
    .map(({ state }) => state)

type Placed = { criterion: Criterion; progress: Progress; state: CriterionState }

const isJudged = ({ progress }: Placed): boolean => progress.lastTurn !== null

const placeCriteria = (
  criteria: readonly Criterion[],
  progress: ReadonlyMap<string, Progress>,
  policy: Policy,
): Placed[] =>
  criteria.flatMap((criterion) => {
    const own = progress.get(criterion.key)
    return own === undefined ? [] : [{ criterion, progress: own, state: deriveState(criterion, own, policy) }]
  })

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
    isRefuted: current.state === 'verified' && progress.evidenceState !== 'verified',
    lastTurn,
    lastVerifiedTurn,
    promise:
      promiseTurn === null || promiseStatus === null ? null : { turn: promiseTurn, status: promiseStatus },
  }
}

/**
 * `sticky`: verified once stays verified; a later explicit rejection contests it, a later verification
 * clears that. `evidence`: a rejection with evidence of its own takes it back. `latest`: the last word.
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
  const { state, verifiedInTurn, contestedInTurn } = progress // of `fresh` too, which looks at the files besides
  return { state, verifiedInTurn, contestedInTurn }
}

/** A claim by the Player never changes a state. */
const isJudgement = ({ source }: { source: Source }): boolean => source !== 'player'

/** Where a record has `verifications`, entries of its status map for the same criterion are ignored. */
function repeatsIn(
  ledger: readonly LedgerEntry[],
  finalKey: (key: string) => string = (key) => key,
): ReadonlySet<LedgerEntry> {
  const inMaps = ledger.filter(({ form }) => form === 'status')
  if (inMaps.length === 0) return new Set() // most records have no map
  const place = ({ turn, criterionKey }: LedgerEntry) => `${turn} ${finalKey(criterionKey)}`
  const inFull = new Set(ledger.filter(({ form }) => form === 'entry').map(place))
  return new Set(inMaps.filter((entry) => inFull.has(place(entry))))
}

/** The newest judge's label as it was given, otherwise the Player's. */
export const shownLabel = ({ label, promiseLabel }: Progress): string => label ?? promiseLabel ?? ''

/** Chooses the longest wording that begins with a judge's, otherwise the judge's, otherwise the Player's. Removes its label. */
export function shownText(criterion: Criterion): string | null {
  const given = longestText(criterion)
  if (given === null) return null
  const { label, text } = splitLabel(given)
  return label === null ? given : text
}

function longestText({ texts }: Criterion): string | null {
  const [first] = texts
  if (first !== undefined && texts.every(({ text }) => text === first.text)) return first.text // nearly always
  const own = texts.filter(({ source }) => source !== 'player')
  const judged = own.map(({ text }) => splitWords(text))
  const fitting = texts.filter(({ text }) => {
    const words = splitWords(text)
    return judged.some((start) => start.length <= words.length && oneBeginsWithTheOther(start, words))
  })
  const length = ({ text }: { text: string }) => normalizeText(text).length
  // Of equally long ones the judge's own, so that the Player's list marks do not show.
  const candidates = (own.length > 0 ? fitting : texts).toSorted(
    (a, b) => length(b) - length(a) || Number(a.source === 'player') - Number(b.source === 'player'),
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

/** By turn; within one, judgements before promises, each in the order of its list. */
export const inOrder = (a: LedgerEntry | PromiseEntry, b: LedgerEntry | PromiseEntry): number =>
  a.turn - b.turn || Number('source' in b) - Number('source' in a) || a.position - b.position

/** What was said of a criterion, oldest first, without the words: all of it where the ledger was read, else the newest. */
export function entriesIn({
  ledger,
  progress,
}: {
  ledger: readonly LedgerEntry[] | null
  progress: ReadonlyMap<string, Progress>
}): (criterionKey: string) => readonly RecentEntry[] {
  const repeats = repeatsIn(ledger ?? [])
  const all = groupBy(ledger?.toSorted(inOrder) ?? [], ({ criterionKey }) => criterionKey)
  return (key) =>
    all.get(key)?.map((entry) => ({
      turn: entry.turn,
      status: entry.status,
      judges: isJudgement(entry) && !repeats.has(entry),
    })) ??
    progress.get(key)?.recent ??
    []
}
