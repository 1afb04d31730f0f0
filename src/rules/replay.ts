/** Counts the turns of recorded sessions that the memory would have changed, each with its rule (contract: page.md). Pure. */

import * as z from 'zod'
import { isRequired, POLICIES, type Policy } from './criterion-states.ts'
import type { Outcome } from './outcome.ts'
import { entriesIn, type LedgerEntry } from './progress.ts'
import { type Detector, REPLAY_RULES } from './replay-rules.ts'
import {
  foldSteps,
  type SessionRecords,
  type SessionStep,
  statesAfter,
  verifiedKeys,
} from './session-steps.ts'
import { analyseStall, MAX_WINDOW } from './stall.ts'
import { toSession } from './stall-session.ts'

const MAX_NAMED = 20

export const countedTurn = z.object({
  turn: z.number(),
  rule: z.enum(REPLAY_RULES).describe('the rule that counts the turn'),
  provenIn: z.number().optional().describe('after_all_proven: the turn that verified the last criterion'),
  criteria: z.array(z.string()).optional().describe(`judged_again: the first ${MAX_NAMED} of them`),
  verifiedAgain: z.number().optional().describe('judged_again: number of them that were verified'),
  rejected: z.number().optional().describe('judged_again: number of them that were rejected'),
  verdict: z.string().optional().describe('stop: the verdict of stall analysis'),
  right: z.boolean().optional().describe('stop: false if a later turn of the session was approved'),
  turnsAfter: z.number().optional().describe('stop: number of later turns'),
})
export type CountedTurn = z.output<typeof countedTurn>

export const replayedSession = z.object({
  featureId: z.string(),
  taskId: z.string(),
  worldSlug: z.string(),
  turns: z.number(),
  approvedIn: z.number().nullable().describe('the newest turn that was approved'),
  policies: z.array(z.object({ policy: z.enum(POLICIES), counted: z.array(countedTurn) })),
})
export type ReplayedSession = z.output<typeof replayedSession>

/** Replays a session under each policy. Yields after the fold and after each policy, so that the caller may pause. */
export function* replaySession(
  records: SessionRecords,
  policies: readonly Policy[],
  detector: Detector,
): Generator<undefined, ReplayedSession> {
  const steps = foldSteps(records)
  yield
  const replayed: ReplayedSession['policies'] = []
  for (const policy of policies) {
    replayed.push({ policy, counted: countTurns(records, steps, policy, detector) })
    yield
  }
  const { featureId, taskId, worldSlug } = records
  return {
    featureId,
    taskId,
    worldSlug,
    turns: steps.length,
    approvedIn: steps.findLast(isApproved)?.turn ?? null,
    policies: replayed,
  }
}

const isApproved = ({ outcome }: SessionStep): boolean => outcome?.decision === 'approved'

function countTurns(
  records: SessionRecords,
  steps: readonly SessionStep[],
  policy: Policy,
  detector: Detector,
): CountedTurn[] {
  const states = steps.map((step) => statesAfter(records, step, policy))
  const verified = states.map(verifiedKeys)
  // The criteria of the whole session: a criterion that a later judge adds was not proven before.
  const required = (states.at(-1) ?? []).filter(isRequired)
  const labels = new Map(
    (states.at(-1) ?? []).map(({ key, criterionId, text }) => [key, criterionId || (text ?? '')]),
  )
  const isAllProven = verified.map(
    (keys) => required.length > 0 && required.every(({ key }) => keys.has(key)),
  )
  const stop = findStop(records, steps, { states, verified }, policy, detector)
  return steps.flatMap((step, i): CountedTurn[] => {
    const { turn } = step
    const counted: CountedTurn[] = []
    if (i > 0 && isAllProven[i - 1]) {
      const since = isAllProven.lastIndexOf(false, i - 1) + 1
      counted.push({ turn, rule: 'after_all_proven', provenIn: steps[since]?.turn ?? turn })
    }
    const verdicts = listVerdicts(step)
    const again = (states[i] ?? []).flatMap(({ key }) => {
      const status = verified[i - 1]?.has(key) === true ? verdicts.get(key) : undefined
      return status === undefined ? [] : [{ key, status }]
    })
    if (again.length > 0) {
      const count = (status: string) => again.filter((verdict) => verdict.status === status).length
      counted.push({
        turn,
        rule: 'judged_again',
        criteria: again.slice(0, MAX_NAMED).map(({ key }) => labels.get(key) ?? key),
        verifiedAgain: count('verified'),
        rejected: count('rejected'),
      })
    }
    if (stop?.index === i) {
      const later = steps.slice(i + 1)
      const right = !later.some(isApproved)
      counted.push({ turn, rule: 'stop', verdict: stop.verdict, right, turnsAfter: later.length })
    }
    return counted
  })
}

/** Returns the last explicit verdict of the judges on each criterion of a turn, by its key. */
function listVerdicts({ ledger, progress }: SessionStep): Map<string, LedgerEntry['status']> {
  const findEntries = entriesIn({ ledger, progress: new Map() })
  const verdicts = new Map<string, LedgerEntry['status']>()
  for (const key of new Set(ledger.map(({ criterionKey }) => criterionKey))) {
    const last = findEntries(key).findLast(
      ({ judges, status }) => judges && (status === 'verified' || status === 'rejected'),
    )
    if (last !== undefined && progress.has(key)) verdicts.set(key, last.status)
  }
  return verdicts
}

type Folded = {
  states: readonly ReturnType<typeof statesAfter>[]
  verified: readonly ReadonlySet<string>[]
}

/** Finds the first turn after which the detector would have ended the session. */
function findStop(
  records: SessionRecords,
  steps: readonly SessionStep[],
  { states, verified }: Folded,
  policy: Policy,
  detector: Detector,
): { index: number; verdict: string } | null {
  const places = new Map(steps.map(({ turn }, i) => [turn, i]))
  const outcomes: Outcome[] = []
  for (const [index, step] of steps.entries()) {
    if (step.outcome === null) continue
    outcomes.push(step.outcome)
    if (isApproved(step)) continue
    // A verdict uses only the newest turns. The ledger of all turns would make the work grow with the square of their number.
    const first = places.get(outcomes.at(-MAX_WINDOW)?.turn ?? 0) ?? 0
    const ledger = steps.slice(first, index + 1).flatMap((recent) => recent.ledger)
    const seen = { ...records, outcomes, progress: step.progress, ledger: null }
    const session = toSession(seen, states[index] ?? [], policy, false)
    const keys = session.criteria.map(({ key }) => key)
    const folds = policy === 'evidence' || policy === 'latest'
    const verifiedAfter = (turn: number): number => {
      const set = verified[places.get(turn) ?? -1]
      return keys.filter((key) => set?.has(key) === true).length
    }
    const { shouldStop, verdict } = analyseStall({
      ...session,
      ...(folds && { verifiedAfter }),
      findEntries: entriesIn({ ledger, progress: new Map() }),
    })
    if (detector === 'should_stop' ? shouldStop : verdict === detector) return { index, verdict }
  }
  return null
}

export const replayTotals = z.object({
  policy: z.enum(POLICIES),
  sessions: z.number(),
  turns: z.number(),
  repeated: z.number().describe('turns after the first of their session'),
  afterAllProven: z.number().describe('turns that the rule after_all_proven counts'),
  judgedAgain: z.number().describe('turns that the rule judged_again counts'),
  stops: z.number().describe('sessions that the detector would have ended'),
  rightStops: z.number().describe('stops after which no turn was approved'),
  turnsSaved: z.number().describe('turns after the right stops'),
  turnsLost: z.number().describe('turns after the wrong stops'),
})
export type ReplayTotals = z.output<typeof replayTotals>
