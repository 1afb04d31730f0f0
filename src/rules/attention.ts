/** Finds the sessions that need a person, and says why in one sentence (contract: page.md, "Home: what needs you"). Pure. */
import { compareInstants } from '../core/instants.ts'
import { plural } from '../core/plural.ts'
import type { CriterionState } from '../memory/criteria/views.ts'
import type { Basis } from './basis.ts'
import { isRequired } from './criterion-states.ts'
import { cutLine } from './cut-line.ts'
import { type ChangedFiles, countChangedBetween } from './file-changes.ts'
import { toOneLine } from './foreign-text.ts'
import { compareCodeUnits } from './labels.ts'
import type { Progress } from './progress.ts'
import {
  DAMAGED,
  decideOutcome,
  describeGaps,
  findGaps,
  hasGaps,
  isRecent,
  isRefuted,
  isStalled,
  quoteName,
  type SessionFacts,
  showName,
} from './session-outcome.ts'
import type { CoachDecision } from './values.ts'

/** The reasons for attention, the most urgent first. */
export const ATTENTION_REASONS = [
  'damaged',
  'stalled',
  'approved_with_gaps',
  'refuted',
  'abandoned',
  'only_players_words',
  'stale',
] as const
export type AttentionReason = (typeof ATTENTION_REASONS)[number]

export type AttentionFacts = SessionFacts & {
  progress: ReadonlyMap<string, Pick<Progress, 'evidencedRejectionTurn'>>
  /** Files that the turns after the oldest current verification changed. */
  changedFiles: ChangedFiles
  /** Number of judged turns in which a gate failed. */
  countFailures: (gate: string) => number
}

export type Attention = {
  project: string
  featureId: string
  taskId: string
  worldSlug: string
  turn: number
  reason: AttentionReason
  outcome: string
  sentence: string
  lastActivity: string
}

type Checked = { reason: AttentionReason; sentence: string } | null

/** Returns the most urgent reason why a session needs a person; null without one. */
export function findAttention(facts: AttentionFacts, now: Date): Attention | null {
  if (facts.supersededBy !== null) return null
  const found =
    checkStall(facts, now) ??
    checkGaps(facts) ??
    checkRefuted(facts) ??
    checkAbandoned(facts, now) ??
    checkPlayersWords(facts) ??
    checkStale(facts)
  if (found === null) return null
  const { project, featureId, taskId, worldSlug, currentTurn, lastActivity } = facts
  const outcome = decideOutcome(facts, now)
  return { project, featureId, taskId, worldSlug, turn: currentTurn, ...found, outcome, lastActivity }
}

/** Builds the entry of a session whose stored data is damaged. No other fact about it is known. */
export const describeDamage = (session: Omit<Attention, 'reason' | 'outcome' | 'sentence'>): Attention => ({
  ...session,
  reason: 'damaged',
  outcome: DAMAGED,
  // The name of the task may be the damaged value.
  sentence: `The stored data of ${showName(session.worldSlug)} is damaged: run \`turngraph doctor --repair\`.`,
})

/** Orders by urgency, then the last active first, then by names. */
export function compareAttention(a: Attention, b: Attention): number {
  const rank = ({ reason }: Attention) => ATTENTION_REASONS.indexOf(reason)
  return (
    rank(a) - rank(b) ||
    compareInstants(b.lastActivity, a.lastActivity) ||
    compareCodeUnits(a.project, b.project) ||
    compareCodeUnits(a.worldSlug, b.worldSlug)
  )
}

/** A session without growth needs a person while it is open. A stalled session needs one until a newer session of its task exists. */
function checkStall(facts: AttentionFacts, now: Date): Checked {
  const { lastDecision, hasNewer, stall, currentTurn, taskId, isActive } = facts
  if (lastDecision === 'approved' || hasNewer) return null
  // The first turn of the analysis may have gained something.
  const gainedLast = findLastGain(facts) ?? 0
  const hasNoGrowth =
    stall.verdict === 'no_growth' && gainedLast <= currentTurn - 2 && (isActive || isRecent(facts, now))
  if (!isStalled(facts) && !hasNoGrowth) return null
  return {
    reason: 'stalled',
    sentence: `Turn ${currentTurn} of ${showName(taskId)}: ${describeStall(facts)}; ${describeLastGain(facts)}.`,
  }
}

function describeStall({ stall, blockingGate, countFailures }: AttentionFacts): string {
  const turns = plural(stall.window, 'turn')
  switch (stall.verdict) {
    case 'blocked':
      return `the gate ${quoteName(blockingGate ?? '')} failed in ${plural(countFailures(blockingGate ?? ''), 'turn')}`
    case 'stalled':
      return `the feedback was the same in ${turns}`
    case 'oscillating':
      return `feedback or verdicts went back and forth in ${turns}`
    default:
      return 'the session makes no progress'
  }
}

/** Returns the newest turn that verified a criterion for the first time; null without one. */
export function findLastGain({ criteria }: Pick<SessionFacts, 'criteria'>): number | null {
  const gains = criteria.filter(isRequired).flatMap(({ verifiedInTurn }) => verifiedInTurn ?? [])
  return gains.length === 0 ? null : gains.reduce((a, b) => Math.max(a, b))
}

function describeLastGain(facts: AttentionFacts): string {
  const last = findLastGain(facts)
  return last === null ? 'no criterion was ever verified' : `nothing was gained since turn ${last}`
}

function checkGaps(facts: AttentionFacts): Checked {
  const gaps = findGaps(facts)
  if (facts.lastDecision !== 'approved' || !hasGaps(gaps)) return null
  return { reason: 'approved_with_gaps', sentence: `Approved, but ${describeGaps(gaps)}.` }
}

function checkRefuted({ criteria, progress, changedFiles }: AttentionFacts): Checked {
  const refuted = criteria.filter(isRefuted)
  const [first] = refuted
  if (first === undefined) return null
  const verified = first.lastVerifiedTurn ?? 0
  const rejected = progress.get(first.key)?.evidencedRejectionTurn ?? verified
  const count = rejected > verified ? countChangedBetween(changedFiles, verified, rejected) : null
  const files = count === 1 ? '1 file' : count === 0 ? 'no file' : `${count} files`
  const between = count === null ? '' : `; ${files} changed in between`
  const others = refuted.length - 1
  const more =
    others === 0 ? '' : ` (${others} more ${others === 1 ? 'criterion is' : 'criteria are'} refuted)`
  return {
    reason: 'refuted',
    sentence: `${nameCriterion(first)} was verified in turn ${verified} and rejected with evidence in turn ${rejected}${between}${more}.`,
  }
}

/** Checks for a session whose newest turn was not approved, and that has had no activity for a day. */
function checkAbandoned(facts: AttentionFacts, now: Date): Checked {
  const { lastDecision, hasNewer, isActive, endedRun, currentTurn, taskId } = facts
  // A cancelled run was given up by a person.
  if (endedRun?.status === 'cancelled' && endedRun.stopReason === null) return null
  if (lastDecision === null || lastDecision === 'approved') return null
  if (hasNewer || isActive || isRecent(facts, now)) return null
  const end = END_WORDS[lastDecision] ?? 'was not approved'
  const gain = findLastGain(facts) === currentTurn ? 'it verified a new criterion' : describeLastGain(facts)
  return {
    reason: 'abandoned',
    sentence: `Turn ${currentTurn} of ${showName(taskId)} ${end}, and nobody has continued for a day; ${gain}.`,
  }
}

const END_WORDS: Readonly<Partial<Record<CoachDecision, string>>> = {
  feedback: 'was sent back',
  rejected: 'was rejected',
  error: 'ended with an error',
}

const MAX_TEXT = 80

/** Names a criterion by its label, otherwise by its quoted text. */
export const nameCriterion = ({ criterionId, text }: CriterionState): string =>
  criterionId === ''
    ? `"${cutLine(toOneLine(text ?? ''), MAX_TEXT)}"`
    : cutLine(toOneLine(criterionId), MAX_TEXT)

/** An approval that rests only on texts of the Player. */
function checkPlayersWords({ lastDecision, criteria }: AttentionFacts): Checked {
  if (lastDecision !== 'approved') return null
  const note = describeUnseen(criteria)
  return note === null ? null : { reason: 'only_players_words', sentence: `${note}.` }
}

/** Describes proofs that only the Player has seen; null if a judge has seen one, or without a proof. */
export function describeUnseen(criteria: readonly CriterionState[]): string | null {
  const proven = criteria.filter((each) => isRequired(each) && each.state === 'verified')
  const count = (...bases: Basis[]) =>
    proven.filter(({ basis }) => basis !== null && bases.includes(basis)).length
  const [repeated, bare] = [count('repeated', 'misplaced'), count('bare')]
  if (proven.length === 0 || repeated + bare < proven.length) return null
  const proofs = plural(proven.length, 'proof')
  const [repeat, have] = [repeated === 1 ? 'repeats' : 'repeat', bare === 1 ? 'has' : 'have']
  if (repeated === 0) return `${bare} of ${proofs} ${have} no evidence`
  return `${repeated} of ${proofs} ${repeat} the Player's promise${bare === 0 ? '' : `, and ${bare} ${have} no evidence`}`
}

function checkStale({ criteria }: AttentionFacts): Checked {
  const stale = criteria.filter((each) => isRequired(each) && each.stale !== undefined)
  const byFiles = stale.filter(({ stale }) => (stale?.files.length ?? 0) > 0).length
  const byWords = stale.length - byFiles
  const are = (count: number) => (count === 1 ? '1 proof is' : `${count} proofs are`)
  const parts = [
    ...(byFiles === 0
      ? []
      : [`${are(byFiles)} older than the files ${byFiles === 1 ? 'it names' : 'they name'}`]),
    ...(byWords === 0
      ? []
      : [`${are(byWords)} older than the wording of ${byWords === 1 ? 'its criterion' : 'their criteria'}`]),
  ]
  return parts.length === 0 ? null : { reason: 'stale', sentence: `${parts.join(', and ')}.` }
}
