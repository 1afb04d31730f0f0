/**
 * Judges whether a session still gets anywhere (contract: criteria.md, "Stall analysis"; seed 004: what must never happen
 * again). Pure. Its twin for analysts is cypher/analysis/_stalls.cypher: test/contract/stalls.ts compares them.
 */

import type { Progress, RecentEntry } from '../memory/criteria/rows.ts'
import type { CriterionState, Stall } from '../memory/criteria/views.ts'
import { promisedNote } from './notes.ts'
import type { Outcome } from './signature.ts'

export type Session = {
  /** The newest counted turns, ascending; at least back to the last approval, or as many as any window takes. */
  outcomes: readonly Outcome[]
  /** The criteria that count, in their order, and where each stands. */
  criteria: readonly CriterionState[]
  progress: ReadonlyMap<string, Progress>
  /** Promised, and never named by a judge while others were: they do not count, and nobody may call them done. */
  promisedNotJudged: readonly Pick<CriterionState, 'criterionId' | 'text'>[]
  /** The size of the accumulated verified set after a turn. */
  verifiedAfter: (turn: number) => number
  /** A criterion's entries, oldest first, at least those of the newest feedback turns. */
  findEntries: (criterionKey: string) => readonly RecentEntry[]
}

const SAME_UNVERIFIED = 3
const SAME_UNFINISHED = 5
const OSCILLATION = 6
const PLATEAU = 4
const RETURNS = 2
const CHANGES = 3

/** The most feedback turns that any verdict looks at. */
export const LONGEST_WINDOW = OSCILLATION

export function analyseStall(session: Session): Stall {
  const { outcomes } = session
  const last = outcomes.at(-1)
  const approval = outcomes.findLastIndex(({ decision }) => decision === 'approved')
  const feedback = outcomes.slice(approval + 1)
  const say = createVerdict(session, feedback)
  if (last === undefined) return say('insufficient_data', [], 'No turn has been judged yet.')
  if (last.decision === 'approved') return say('progressing', [last], `Turn ${last.turn} was approved.`)
  if (feedback.length < 2) {
    return say('insufficient_data', feedback, `Turn ${last.turn} is the only one with feedback so far.`)
  }
  return (
    stalled(session, feedback, say) ??
    oscillating(session, feedback, say) ??
    plateau(session, feedback, say) ??
    say('progressing', feedback.slice(-PLATEAU), reasonToGoOn(session, feedback.slice(-PLATEAU)))
  )
}

/** What speaks against a stall so far: said as it is known, for the same feedback may well have come again. */
function reasonToGoOn(session: Session, window: readonly Outcome[]): string {
  const kinds = new Set(window.map(({ signature }) => signature)).size
  const feedback =
    kinds === 1
      ? `T${renderTurns(window).slice(1)} have the same feedback`
      : kinds === window.length
        ? `The feedback of ${renderTurns(window)} differs`
        : `Some feedback returned within ${renderTurns(window)}`
  const grown = window.findLast(
    ({ turn }, i) => i > 0 && session.verifiedAfter(turn) > session.verifiedAfter(window[i - 1]?.turn ?? 0),
  )
  if (grown !== undefined) {
    return `${feedback}. Turn ${grown.turn} was the last to verify a criterion for the first time; now ${tally(session)}.`
  }
  const after = isFlat(session, window) ? 'After each of them' : 'Now'
  return `${feedback}, in too few turns to call it a stall. ${after}, ${tally(session)}.`
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

/** The same complaint again and again: with nothing verified at all, or for long and with something left. */
function stalled(session: Session, feedback: readonly Outcome[], say: Say): Stall | null {
  const repeats = (turns: number) => {
    const window = newest(feedback, turns)
    return window !== null &&
      new Set(window.map(({ signature }) => signature)).size === 1 &&
      isFlat(session, window)
      ? window
      : null
  }
  const verified = session.verifiedAfter(feedback.at(-1)?.turn ?? 0)
  const long = allVerified(session) ? null : repeats(SAME_UNFINISHED)
  const window = long ?? (verified === 0 ? repeats(SAME_UNVERIFIED) : null)
  if (window === null) return null
  const finding = `${renderTurns(window)} have the same feedback, and after each of them ${tally(session)}.`
  if (isSpared(session)) {
    return say(
      'stalled',
      window,
      `${finding} The Player says that all is done, and no rejection shows evidence.`,
    )
  }
  return say('stalled', window, `UNRECOVERABLE_STALL: ${finding}`, true)
}

function oscillating(session: Session, feedback: readonly Outcome[], say: Say): Stall | null {
  const window = feedback.slice(-OSCILLATION)
  const returning = window.filter(({ signature }, i) => {
    const before = window.slice(0, i).map((earlier) => earlier.signature)
    return before.includes(signature) && before.at(-1) !== signature
  })
  if (returning.length >= RETURNS && isFlat(session, window)) {
    return say(
      'oscillating',
      window,
      `The feedback of earlier turns returned in ${renderTurns(returning)}, after other feedback between, and after each turn ${tally(session)}.`,
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

function plateau(session: Session, feedback: readonly Outcome[], say: Say): Stall | null {
  const window = newest(feedback, PLATEAU)
  if (window === null || !isFlat(session, window)) return null
  const finding = `After each of ${renderTurns(window)}, ${tally(session)}`
  if (!allVerified(session)) return say('plateau', window, `${finding}.`)
  return say('plateau', window, `${finding}; ${gatesIn(feedback)} blocks.`)
}

/** The newest `count` of them, if there are so many. */
const newest = (feedback: readonly Outcome[], count: number): readonly Outcome[] | null =>
  feedback.length < count ? null : feedback.slice(-count)

/** No growth: the accumulated set has the same size after each of the turns, and still has it. */
const isFlat = ({ verifiedAfter, criteria }: Session, window: readonly Outcome[]): boolean =>
  new Set([...window.map(({ turn }) => verifiedAfter(turn)), criteria.filter(isVerified).length]).size === 1

const isVerified = ({ state }: CriterionState): boolean => state === 'verified'

const allVerified = ({ criteria }: Session): boolean => criteria.length > 0 && criteria.every(isVerified)

/** Seed 004's case: the work may be right, and only the proof of it got lost on the way. */
function isSpared(session: Session): boolean {
  const { criteria, progress } = session
  return (
    criteria.length > 0 &&
    criteria.every(
      ({ key, promise }) =>
        promise?.status === 'complete' && (progress.get(key)?.evidencedRejectionTurn ?? null) === null,
    )
  )
}

/** A criterion's explicit verdict in each of the turns: a judge's last word of the turn. */
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

function suggestionFor(session: Session, feedback: readonly Outcome[]): string {
  const rejections = contestsIn(session)
  const promised = promisedNote(session.promisedNotJudged)
  if (allVerified(session)) {
    const which =
      promised === null
        ? `All ${session.criteria.length} criteria are verified`
        : `${tally(session)}. Have that judged`
    const blocking = `look at ${gatesIn(feedback)}, which blocks the approval`
    return rejections.length === 0
      ? `${which}${promised === null ? ':' : ', and'} ${blocking}.`
      : `${which}. ${rejections.join(' ')}`
  }
  const parts = [
    ...(session.criteria.length === 0
      ? ['No judge has named a criterion: ask for verdicts by criterion']
      : []),
    ...(listRemaining(session).length === 0 ? [] : [`Criteria left: ${listRemaining(session).join(', ')}`]),
    ...(promised === null ? [] : [promised]),
    ...(isSpared(session)
      ? [
          'the Player promised all of them complete and no rejection shows evidence: verify the promises before judging again',
        ]
      : []),
    ...(feedback.at(-1)?.gates.length ? [`blocking: ${feedback.at(-1)?.gates.join(', ')}`] : []),
  ]
  return [...(parts.length === 0 ? [] : [`${parts.join('; ')}.`]), ...rejections].join(' ')
}

/** Names no gate, and says nothing of what lies behind a verdict (invariant 9). The criteria left stand beside it. */
function playerSuggestionFor(session: Session): string | null {
  const promised = promisedNote(session.promisedNotJudged)
  const contested = session.criteria.filter(({ contestedInTurn }) => contestedInTurn !== null)
  const parts = [
    ...(allVerified(session) && promised === null
      ? [
          `All ${session.criteria.length} criteria are verified: look at the Coach's feedback, which blocks the approval.`,
        ]
      : []),
    ...(promised === null ? [] : [`${promised}.`]),
    ...byTurn(contested).map(([turn, names]) => `Turn ${turn} rejects what was verified before: ${names}.`),
  ]
  return parts.length === 0 ? null : parts.join(' ')
}

/** What was verified and is rejected since: with evidence it is what to look at, without it is the Coach's to prove. */
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
    contested
      .filter(({ contestedInTurn }) => contestedInTurn === turn)
      .map(nameCriterion)
      .join(', '),
  ])
}

const nameCriterion = ({ criterionId, text }: CriterionState): string =>
  criterionId === '' ? (text ?? '') : criterionId

const listRemaining = ({ criteria }: Session): string[] =>
  criteria.filter((criterion) => !isVerified(criterion)).map(nameCriterion)

function tally({ criteria, promisedNotJudged }: Session): string {
  const promised = promisedNote(promisedNotJudged)
  const verified = `${criteria.filter(isVerified).length} of ${criteria.length} criteria are verified`
  return promised === null ? verified : `${verified}; ${promised}`
}

function gatesIn(feedback: readonly Outcome[]): string {
  const gates = feedback.at(-1)?.gates ?? []
  return gates.length === 0 ? "the Coach's feedback" : gates.join(', ')
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
