/** Judges whether a session still makes progress (contract: truth.md, section 3; seed 004). Pure. */

import { plural } from '../core/plural.ts'
import type { CriterionState, Stall } from '../memory/criteria/views.ts'
import { numberCauses } from './causes.ts'
import { countCriteria, describeCounts, listNames, promisedNote } from './notes.ts'
import { MAX_CAUSES, type Outcome } from './outcome.ts'
import type { Progress, RecentEntry } from './progress.ts'
import { capitalize, joinWords } from './session-outcome.ts'

export type Session = {
  /** True if a newer session of the task exists: this one gets no further turn. */
  isSuperseded: boolean
  /** Newest counted turns, ascending: at least back to the last approval, or as many as the longest window needs. */
  outcomes: readonly Outcome[]
  criteria: readonly CriterionState[]
  progress: ReadonlyMap<string, Progress>
  /** Promised criteria that no judge named while others were judged: they do not count, but are not done either. */
  promisedNotJudged: readonly Pick<CriterionState, 'criterionId' | 'text'>[]
  verifiedAfter: (turn: number) => number
  /** Returns a criterion's entries, oldest first, at least those of the newest feedback turns. */
  findEntries: (criterionKey: string) => readonly RecentEntry[]
}

const SAME_UNVERIFIED = 3
const SAME_UNFINISHED = 5
const OSCILLATION = 6
const PLATEAU = 4
const RETURNS = 2
const CHANGES = 3
const SAME_GATE_TURNS = 5
/** Number of newest turns in which growth counts as progress. */
const RECENT_TURNS = 2

/** Maximum number of feedback turns that a verdict uses. */
export const MAX_WINDOW = OSCILLATION

export function analyseStall(session: Session): Stall {
  const { outcomes } = session
  const last = outcomes.at(-1)
  const approval = outcomes.findLastIndex(({ decision }) => decision === 'approved')
  const feedback = outcomes.slice(approval + 1)
  const say = createVerdict(session, feedback)
  if (last?.decision === 'approved') return say('finished', [last], `Turn ${last.turn} was approved.`)
  if (session.isSuperseded) {
    return say('finished', last === undefined ? [] : [last], 'A newer session of this task exists.')
  }
  if (last === undefined) return say('insufficient_data', [], 'No turn has been judged yet.')
  if (feedback.length < 2) {
    return say('insufficient_data', feedback, `Turn ${last.turn} is the only one with feedback so far.`)
  }
  const progress = measureGains(session, feedback)
  return (
    checkStalled(session, progress, say) ??
    checkBlocked(session, progress, say) ??
    checkOscillating(session, progress, say) ??
    checkPlateau(session, progress, say) ??
    checkProgressing(session, progress, say)
  )
}

/** Feedback turn with the causes of its complaints and its gain over the previous turn; null without a gain. */
type Step = Outcome & { causeNumbers: readonly number[]; gain: string | null }

/** Measures the gain of each turn: more verified criteria, or a blocking cause that is gone for the first time without a new one. */
function measureGains({ verifiedAfter, criteria }: Session, feedback: readonly Outcome[]): Step[] {
  const window = feedback.slice(-MAX_WINDOW)
  const causes = numberCauses(window.map((outcome) => outcome.causes))
  const goneBefore = new Set<number>()
  return window.map((outcome, i) => {
    const now = new Set(causes[i])
    const step = { ...outcome, causeNumbers: [...now].sort((a, b) => a - b) }
    const previous = window[i - 1]
    if (previous === undefined) return { ...step, gain: null }
    // If no issue blocks, the causes are those of advisory issues or of the feedback, and do not count.
    const before = previous.blocking > 0 ? [...new Set(causes[i - 1])] : []
    const gone = before.filter((cause) => !now.has(cause))
    const isNewlyGone = gone.some((cause) => !goneBefore.has(cause))
    for (const cause of gone) goneBefore.add(cause)
    // A turn that does not count may verify criteria too.
    const isLast = i === window.length - 1
    const verifiedNow = isLast ? criteria.filter(isVerified).length : verifiedAfter(outcome.turn)
    const verified = verifiedNow - verifiedAfter(previous.turn)
    const hasNewCause = outcome.blocking > 0 && [...now].some((cause) => !before.includes(cause))
    // If turns have more blocking issues than marks, only the numbers of their issues can be compared.
    const unmarked = window.slice(0, i).filter(hasUnmarked)
    const hasFewer = outcome.blocking < Math.min(...unmarked.map(({ blocking }) => blocking))
    const gain =
      verified > 0
        ? `${plural(verified, 'more criterion is', 'more criteria are')} verified since turn ${previous.turn}`
        : hasUnmarked(previous)
          ? hasFewer
            ? `fewer issues block in turn ${outcome.turn}`
            : null
          : isNewlyGone && !hasNewCause
            ? `a cause that blocked before no longer blocks in turn ${outcome.turn}`
            : null
    return { ...step, gain }
  })
}

const hasUnmarked = ({ blocking, causes }: Outcome): boolean => blocking > 0 && causes.length === MAX_CAUSES

/** Finds the growth of a turn in a window: its gain, or fewer failed tests than in every earlier turn of the window. */
function findGrowth(window: readonly Step[], index: number): string | null {
  const step = window[index]
  if (step === undefined || index === 0) return null
  const earlier = window.slice(0, index).filter(({ testsFailed }) => testsFailed !== null)
  const failed = step.testsFailed ?? Infinity
  const hasFewer = earlier.length > 0 && earlier.every(({ testsFailed }) => failed < (testsFailed ?? 0))
  if (step.gain !== null || !hasFewer) return step.gain
  return `in turn ${step.turn}, ${plural(failed, 'test fails', 'tests fail')}, fewer than in ${renderTurns(earlier)}`
}

/** Checks that the window has no growth. The other turns are compared with its first turn. */
const isFlat = (window: readonly Step[]): boolean => window.every((_, i) => findGrowth(window, i) === null)

function checkProgressing(session: Session, steps: readonly Step[], say: Say): Stall {
  const window = steps.slice(-PLATEAU)
  const recent = steps.slice(-RECENT_TURNS - 1)
  const growth = recent.map((_, i) => findGrowth(recent, i)).findLast((each) => each !== null)
  if (growth !== undefined)
    return say('progressing', window, `${capitalize(growth ?? '')}. Now ${tally(session)}.`)
  const since = steps.slice(steps.findLastIndex((_, i) => findGrowth(steps, i) !== null) + 1)
  const turns = plural(since.length, 'turn')
  return say(
    'no_growth',
    since,
    `No progress in ${turns} (${renderTurns(since)}), too few to call it a stall. Now ${tally(session)}.${quoteRepeated(since)}`,
  )
}

function quoteRepeated(window: readonly Step[]): string {
  const newest = window.at(-1)
  const isRepeated =
    newest !== undefined &&
    window.slice(0, -1).some(({ causeNumbers }) => causeNumbers.some((c) => newest.causeNumbers.includes(c)))
  return isRepeated && newest.quote !== '' ? ` Repeated: "${newest.quote}"` : ''
}

type Say = (verdict: Stall['verdict'], window: readonly Outcome[], reason: string, stops?: boolean) => Stall

const createVerdict =
  (session: Session, feedback: readonly Outcome[]): Say =>
  (verdict, window, reason, shouldStop = false) => ({
    verdict,
    shouldStop,
    reason,
    sinceTurn: window[0]?.turn ?? null,
    window: window.length,
    signatures: window.map(({ turn, signature, blocking }) => ({
      turn,
      signature,
      blocking,
      verifiedTotal: session.verifiedAfter(turn),
    })),
    suggestion: feedback.length === 0 ? null : suggestionFor(session, feedback),
    playerSuggestion: feedback.length === 0 ? null : playerSuggestionFor(session),
    criteriaLeft: listRemaining(session),
  })

/** Detects a repeated complaint: without any verified criterion, or for a long time with criteria left. */
function checkStalled(session: Session, steps: readonly Step[], say: Say): Stall | null {
  const repeats = (turns: number) => {
    const window = selectNewest(steps, turns)
    return window !== null && new Set(window.map(({ signature }) => signature)).size === 1 && isFlat(window)
      ? window
      : null
  }
  const verified = session.verifiedAfter(steps.at(-1)?.turn ?? 0)
  const long = allVerified(session) ? null : repeats(SAME_UNFINISHED)
  const window = long ?? (verified === 0 ? repeats(SAME_UNVERIFIED) : null)
  if (window === null) return null
  const finding = `${renderTurns(window)} have the same feedback, and after ${nameCounted(session, window)} of them ${tally(session)}.${quoteRepeated(window)}`
  if (allVerified(session)) return say('stalled', window, finding)
  if (isSpared(session)) {
    // A gate that fails in every turn is evidence against any claim of the Player.
    const gate = checkBlocked(session, steps, say)
    return (
      gate ??
      say(
        'stalled',
        window,
        `${finding} The Player claims that all is done, and ${describeLackOfEvidence(session)}.`,
      )
    )
  }
  return say('stalled', window, `UNRECOVERABLE_STALL: ${finding}`, true)
}

/** Detects a gate that fails in each turn: evidence even if all is promised. If all is verified, `plateau` only names it. */
function checkBlocked(session: Session, steps: readonly Step[], say: Say): Stall | null {
  const window = selectNewest(steps, SAME_GATE_TURNS)
  if (window === null || !isFlat(window) || isAllProven(session)) return null
  const gate = findCommonGate(window)
  if (gate === null) return null
  return say(
    'blocked',
    window,
    `UNRECOVERABLE_STALL: the gate ${gate} failed in ${renderTurns(window)}.${quoteRepeated(window)}`,
    true,
  )
}

/** Finds the gate that blocks a session with the verdict `blocked`; null without one. */
export function findBlockingGate(outcomes: readonly Outcome[]): string | null {
  const approval = outcomes.findLastIndex(({ decision }) => decision === 'approved')
  return findCommonGate(outcomes.slice(approval + 1).slice(-SAME_GATE_TURNS))
}

const findCommonGate = (window: readonly Outcome[]): string | null =>
  window[0]?.failedGates.find((name) => window.every(({ failedGates }) => failedGates.includes(name))) ?? null

function checkOscillating(session: Session, steps: readonly Step[], say: Say): Stall | null {
  const window = steps.slice(-OSCILLATION)
  const complaints = window.map(({ causeNumbers }) => causeNumbers.join(' '))
  const returning = window.filter((_, i) => {
    const before = complaints.slice(0, i)
    const now = complaints[i] ?? ''
    return before.includes(now) && before.at(-1) !== now
  })
  if (returning.length >= RETURNS && isFlat(window)) {
    const quote = returning.at(-1)?.quote ?? ''
    return say(
      'oscillating',
      window,
      `The feedback of earlier turns returned in ${renderTurns(returning)}, after other feedback between, and after ${nameCounted(session, window)} turn ${tally(session)}.${quote === '' ? '' : ` Returned: "${quote}"`}`,
    )
  }
  const flipping = session.criteria
    .map((criterion) => ({
      name: nameCriterion(criterion),
      verdicts: listVerdicts(session.findEntries(criterion.key), window),
    }))
    .filter(({ verdicts }) => changesIn(verdicts.map(({ status }) => status)) >= CHANGES)
  const first = flipping[0]
  if (first === undefined) return null
  const shown = first.verdicts.map(({ turn, status }) => `${status} in turn ${turn}`).join(', ')
  const others = flipping.length === 1 ? '' : ` (${flipping.length - 1} more likewise)`
  return say('oscillating', window, `The verdict on ${first.name} keeps changing: ${shown}${others}.`)
}

function checkPlateau(session: Session, steps: readonly Step[], say: Say): Stall | null {
  const window = selectNewest(steps, PLATEAU)
  if (window === null || !isFlat(window)) return null
  const finding = `After ${nameCounted(session, window)} of ${renderTurns(window)}, ${tally(session)}`
  if (!allVerified(session)) return say('plateau', window, `${finding}.${quoteRepeated(window)}`)
  return say('plateau', window, `${finding}; ${describeObstacles(steps)}.${quoteRepeated(window)}`)
}

const selectNewest = (steps: readonly Step[], count: number): readonly Step[] | null =>
  steps.length < count ? null : steps.slice(-count)

const isVerified = ({ state }: CriterionState): boolean => state === 'verified'

const allVerified = ({ criteria }: Session): boolean => criteria.length > 0 && criteria.every(isVerified)

/** True if all criteria are verified and none is contested by a rejection with evidence of its own. */
const isAllProven = (session: Session): boolean =>
  allVerified(session) && session.criteria.every(({ refuted }) => !refuted)

/**
 * Detects the case of seed 004: the work may be right and only its proof was lost. A rejection with evidence is answered by a
 * later promise or a later verification.
 */
function isSpared(session: Session): boolean {
  const { criteria, progress } = session
  return (
    criteria.length > 0 &&
    criteria.every(
      ({ key, promise, state, refuted }) =>
        promise?.status === 'complete' &&
        ((state === 'verified' && !refuted) ||
          (progress.get(key)?.evidencedRejectionTurn ?? 0) < promise.turn),
    )
  )
}

/** Describes why a session is not stopped. */
const describeLackOfEvidence = ({ criteria, progress }: Session): string =>
  criteria.some(({ key }) => (progress.get(key)?.evidencedRejectionTurn ?? null) !== null)
    ? 'no later rejection shows evidence'
    : 'no rejection shows evidence'

/** Lists a criterion's explicit verdict in each of the turns: the last one of a judge. */
function listVerdicts(
  entries: readonly RecentEntry[],
  window: readonly Outcome[],
): { turn: number; status: string }[] {
  const turns = new Set(window.map(({ turn }) => turn))
  const byTurn = new Map<number, string>()
  for (const { turn, status, judges } of entries) {
    const explicit = status === 'verified' || status === 'rejected'
    if (judges && explicit && turns.has(turn)) byTurn.set(turn, status)
  }
  return [...byTurn].map(([turn, status]) => ({ turn, status })).sort((a, b) => a.turn - b.turn)
}

const changesIn = (statuses: readonly string[]): number =>
  statuses.filter((status, i) => i > 0 && status !== statuses[i - 1]).length

const describeAllVerified = ({ criteria }: Session): string =>
  criteria.length === 1 ? 'The only criterion is verified' : `All ${criteria.length} criteria are verified`

function suggestionFor(session: Session, feedback: readonly Outcome[]): string {
  const rejections = contestsIn(session)
  const promised = promisedNote(session.promisedNotJudged)
  if (allVerified(session)) {
    const which = promised === null ? describeAllVerified(session) : `${tally(session)}. Have that judged`
    const blocking = `look at ${describeObstacles(feedback, ', which ')} the approval`
    return rejections.length === 0
      ? `${which}${promised === null ? ':' : ', and'} ${blocking}.`
      : `${which}. ${rejections.join(' ')}`
  }
  const parts = [
    ...(session.criteria.length === 0
      ? ['No judge has named a criterion: ask for verdicts by criterion']
      : []),
    ...(listRemaining(session).length === 0 ? [] : [`Criteria left: ${listNames(listRemaining(session))}`]),
    ...(promised === null ? [] : [promised]),
    ...(isSpared(session)
      ? [
          `the Player promised all of them complete and ${describeLackOfEvidence(session)}: verify the promises before judging again`,
        ]
      : []),
    ...(feedback.at(-1)?.gates.length ? [`blocking: ${feedback.at(-1)?.gates.join(', ')}`] : []),
  ]
  return [...(parts.length === 0 ? [] : [`${parts.join('; ')}.`]), ...rejections].join(' ')
}

/** Suggests without the names of gates and without evidence (invariant 9). Callers show the criteria that are left. */
function playerSuggestionFor(session: Session): string | null {
  const promised = promisedNote(session.promisedNotJudged)
  const contested = session.criteria.filter(({ contestedInTurn }) => contestedInTurn !== null)
  const parts = [
    ...(session.criteria.length === 0 && promised === null
      ? ["No judge has named a criterion: answer each point of the Coach's feedback."]
      : []),
    ...(allVerified(session) && promised === null
      ? [`${describeAllVerified(session)}: look at the Coach's feedback, which blocks the approval.`]
      : []),
    ...(promised === null ? [] : [`${promised}.`]),
    ...byTurn(contested).map(([turn, names]) => `Turn ${turn} rejects what was verified before: ${names}.`),
  ]
  return parts.length === 0 ? null : parts.join(' ')
}

/** Describes criteria that were rejected after a verification. With evidence the Player must look at them, otherwise the Coach. */
function contestsIn({ criteria, progress }: Session): string[] {
  const contested = criteria.filter(({ contestedInTurn }) => contestedInTurn !== null)
  const isProven = ({ key, contestedInTurn }: CriterionState) =>
    progress.get(key)?.evidencedRejectionTurn === contestedInTurn
  const [proven, unproven] = [contested.filter(isProven), contested.filter((state) => !isProven(state))]
  return [
    ...byTurn(proven).map(
      ([turn, names]) => `Turn ${turn} rejects with evidence what was verified before: ${names}.`,
    ),
    ...byTurn(unproven).map(
      ([turn, names]) => `Turn ${turn} rejects without evidence what was verified before: ${names}.`,
    ),
    ...(unproven.length === 0 ? [] : ['The Coach should show what fails, or let the earlier verdict stand.']),
  ]
}

function byTurn(contested: readonly CriterionState[]): [number, string][] {
  const turns = [...new Set(contested.map(({ contestedInTurn }) => contestedInTurn ?? 0))].sort(
    (a, b) => a - b,
  )
  return turns.map((turn) => [
    turn,
    listNames(contested.filter(({ contestedInTurn }) => contestedInTurn === turn).map(nameCriterion)),
  ])
}

const nameCriterion = ({ criterionId, text }: CriterionState): string =>
  criterionId === '' ? (text ?? '') : criterionId

const listRemaining = ({ criteria }: Session): string[] =>
  criteria.filter((criterion) => !isVerified(criterion)).map(nameCriterion)

function tally({ criteria, promisedNotJudged }: Session): string {
  const promised = promisedNote(promisedNotJudged)
  const counts = countCriteria(criteria)
  const words =
    counts.total === 1
      ? { noun: ' criterion', verb: 'is verified' }
      : { noun: ' criteria', verb: 'are verified' }
  const verified = counts.total === 0 ? 'no criterion is known' : describeCounts(counts, words)
  return promised === null ? verified : `${verified}; ${promised}`
}

/** Chooses the word for the turns of a window to which the tally applies. Under some policies, a rejection lowers the tally. */
function nameCounted({ verifiedAfter }: Session, window: readonly Outcome[]): 'each' | 'the last' {
  const sizes = new Set(window.map(({ turn }) => verifiedAfter(turn)))
  return sizes.size > 1 ? 'the last' : 'each'
}

/** Names what blocks the approval: `bdd blocks`, `tests and lint block`, or with `, which `: `tests and lint, which block`. */
function describeObstacles(feedback: readonly Outcome[], between = ' '): string {
  const gates = feedback.at(-1)?.gates ?? []
  const named = gates.length === 0 ? "the Coach's feedback" : joinWords(gates)
  return `${named}${between}${gates.length > 1 ? 'block' : 'blocks'}`
}

/** `turn 3`, `turns 2 and 4`, `turns 1 to 4`. */
function renderTurns(window: readonly Outcome[]): string {
  const turns = window.map(({ turn }) => turn)
  const [first, last] = [turns[0], turns.at(-1)]
  if (first === last) return `turn ${first}`
  const consecutive = turns.every((turn, i) => i === 0 || turn === (turns[i - 1] ?? 0) + 1)
  if (consecutive && turns.length > 2) return `turns ${first} to ${last}`
  return `turns ${turns.slice(0, -1).join(', ')} and ${last}`
}
