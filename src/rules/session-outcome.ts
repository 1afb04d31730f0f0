/** Decides the outcome of a session, in words (contract: page.md, "Outcomes"). Pure. */
import type { CriterionState, Stall } from '../memory/criteria/views.ts'
import { isRequired } from './criterion-states.ts'
import { cutLine } from './cut-line.ts'
import { toOneLine } from './foreign-text.ts'
import type { CoachDecision, StopReason, TurnRunStatus } from './values.ts'

/** The newest run of a session, if it ended after the session's last activity. */
export type EndedRun = {
  status: TurnRunStatus
  stopReason: StopReason | null
  /** True if it made as many attempts as it was allowed to. */
  isExhausted: boolean
}

/** The facts of a session after its newest turn. */
export type SessionFacts = {
  project: string
  featureId: string
  taskId: string
  worldSlug: string
  currentTurn: number
  /** Decision in the newest turn; null before the first turn. */
  lastDecision: CoachDecision | null
  lastActivity: string
  /** True while a run or an attempt is active. */
  isActive: boolean
  hasNewer: boolean
  /** Slug of the newest newer session of the task that is approved; null without one. */
  supersededBy: string | null
  endedRun: EndedRun | null
  /** The stall analysis without regard to newer sessions. */
  stall: Pick<Stall, 'verdict' | 'sinceTurn' | 'window'>
  /** Gate that failed in each of the newest feedback turns; null without one. */
  blockingGate: string | null
  /** Gates that failed in the newest judged turn. */
  failedGates: readonly string[]
  /** States of all criteria, by the policy `sticky`. */
  criteria: readonly CriterionState[]
  /** True if the task declares the criteria that count. */
  isDeclared: boolean
  promisedNotJudged: number
}

const BLOCKED_BY = 'blocked by '

/** Removes the name of the gate from an outcome. */
export const hideGateName = (outcome: string): string =>
  outcome.startsWith(BLOCKED_BY) ? 'blocked' : outcome

/** Outcome of a session whose stored data is damaged. */
export const DAMAGED = 'damaged: run `turngraph doctor --repair`'

/** Time without activity after which a session that is not approved counts as abandoned. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/** Maximum length of a gate's or a session's name in an outcome. */
const MAX_NAME = 120

const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  approved: 'approval',
  all_verified: 'all verified',
  all_observed: 'all observed',
  stalled: 'stall',
  budget: 'budget',
}

/** Returns `running`, `approved`, `approved with gaps`, `regressed`, `blocked by {gate}`, `stalled`, `stopped by {reason}`, … */
export function decideOutcome(facts: SessionFacts, now: Date): string {
  const { isActive, supersededBy, lastDecision, stall, blockingGate } = facts
  if (isActive) return 'running'
  if (supersededBy !== null) return `superseded by ${showName(supersededBy)}`
  if (lastDecision === 'approved')
    return hasGaps(findGaps(facts)) ? 'approved with gaps' : fallBack(facts, 'approved')
  if (stall.verdict === 'blocked' && blockingGate !== null) return `${BLOCKED_BY}${showName(blockingGate)}`
  if (isStalled(facts)) return 'stalled'
  const reason = findStopReason(facts)
  if (reason !== null) return `stopped by ${reason}`
  return fallBack(facts, isRecent(facts, now) ? 'running' : 'abandoned')
}

/** Returns `regressed` if a verified criterion was rejected with evidence later, otherwise the given outcome. */
const fallBack = ({ criteria }: SessionFacts, outcome: string): string =>
  criteria.some(isRefuted) ? 'regressed' : outcome

/** True for the outcome of a session in which nothing is left to do: it is approved, with gaps or without, or has a successor. */
export const isOver = (outcome: string): boolean => /^(approved|superseded)/.test(outcome)

export const isRefuted = (state: CriterionState): boolean => isRequired(state) && state.refuted

const STALLED: ReadonlySet<string> = new Set(['blocked', 'stalled', 'oscillating', 'plateau'])

/** True if the stall analysis found no progress. */
export const isStalled = ({ stall }: Pick<SessionFacts, 'stall'>): boolean => STALLED.has(stall.verdict)

export const isRecent = ({ lastActivity }: Pick<SessionFacts, 'lastActivity'>, now: Date): boolean =>
  now.getTime() - Date.parse(lastActivity) < ABANDONED_AFTER_MS

/** Names what stopped a session that is not approved; null if nothing did. */
function findStopReason({ endedRun, lastDecision }: SessionFacts): string | null {
  if (endedRun?.stopReason != null) return STOP_WORDS[endedRun.stopReason]
  switch (endedRun?.status) {
    case 'completed':
      return 'turn limit'
    case 'cancelled':
      return 'cancellation'
    case 'failed':
      return endedRun.isExhausted ? 'attempt limit' : 'failure'
    case 'interrupted':
      return 'interruption'
    default:
      return lastDecision === 'error' ? 'error' : null
  }
}

export const showName = (name: string): string => cutLine(toOneLine(name), MAX_NAME)

/** The gaps of an approval. All numbers are numbers of criteria. */
export type Gaps = {
  isDeclared: boolean
  total: number
  neverJudged: number
  rejected: number
  /** Judged, but neither verified nor rejected. */
  open: number
  failedGates: readonly string[]
}

/** Finds the criteria that are not verified, and the gates that failed in the newest turn. */
export function findGaps({
  criteria,
  isDeclared,
  promisedNotJudged,
  failedGates,
}: Pick<SessionFacts, 'criteria' | 'isDeclared' | 'promisedNotJudged' | 'failedGates'>): Gaps {
  const required = criteria.filter(isRequired)
  const unverified = required.filter(({ state }) => state !== 'verified')
  const neverJudged = unverified.filter(({ lastTurn }) => lastTurn === null)
  const rejected = unverified.filter(({ state, lastTurn }) => state === 'rejected' && lastTurn !== null)
  return {
    isDeclared,
    total: required.length + promisedNotJudged,
    neverJudged: neverJudged.length + promisedNotJudged,
    rejected: rejected.length,
    open: unverified.length - neverJudged.length - rejected.length,
    failedGates,
  }
}

export const hasGaps = ({ neverJudged, rejected, open, failedGates }: Gaps): boolean =>
  neverJudged + rejected + open + failedGates.length > 0

/** Describes gaps: `3 of 11 declared criteria were never judged and the gate `tests` failed in the approved turn`. */
export function describeGaps({ isDeclared, total, neverJudged, rejected, open, failedGates }: Gaps): string {
  const counted: readonly [number, string][] = [
    [neverJudged, 'never judged'],
    [rejected, 'rejected'],
    [open, 'left open'],
  ]
  const criteria = counted.filter(([count]) => count > 0)
  const parts = criteria.map(([count, what], i) => {
    const of =
      i === 0 ? ` of ${total}${isDeclared ? ' declared' : ''} ${total === 1 ? 'criterion' : 'criteria'}` : ''
    return `${count}${of} ${count === 1 ? 'was' : 'were'} ${what}`
  })
  const gates = failedGates.slice(0, MAX_GATES).map(quoteName)
  const more = failedGates.length - gates.length
  const named = joinWords(more === 0 ? gates : [...gates, `${more} more`])
  if (gates.length > 0)
    parts.push(`the ${failedGates.length === 1 ? 'gate' : 'gates'} ${named} failed in the approved turn`)
  return joinWords(parts)
}

const MAX_GATES = 3

/** Shows a name between backticks. */
export const quoteName = (name: string): string => `\`${showName(name).replaceAll('`', "'")}\``

/** `a`, `a and b`, `a, b and c` */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

export const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
