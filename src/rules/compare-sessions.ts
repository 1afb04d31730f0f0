/** Compares two sessions side by side (contract: page.md, "Compare and replay"). Pure. */

import * as z from 'zod'
import { plural } from '../core/plural.ts'
import { isRequired } from './criterion-states.ts'
import { compareCodeUnits } from './labels.ts'
import { countCriteria } from './notes.ts'
import { entriesIn } from './progress.ts'
import { findReversals } from './reversals.ts'
import { foldSteps, type SessionRecords, statesAfter, verifiedKeys } from './session-steps.ts'
import { COACH_DECISIONS } from './values.ts'

export type ComparedRecords = SessionRecords & {
  lastDecision: (typeof COACH_DECISIONS)[number] | null
  /** Duration of each turn in seconds, in any order; null if the turn reports none. */
  durations: readonly (number | null)[]
  issues: readonly { severity: string; state: 'open' | 'gone' }[]
}

export const comparedSession = z.object({
  featureId: z.string(),
  taskId: z.string(),
  worldSlug: z.string(),
  turns: z.number(),
  lastDecision: z.enum(COACH_DECISIONS).nullable(),
  criteria: z.number().describe('how many criteria count'),
  verified: z.number(),
  contested: z.number(),
  gains: z
    .array(z.object({ turn: z.number(), gained: z.number() }))
    .describe('number of criteria that each turn verified for the first time, for turns with any'),
  firstVerifiedIn: z.number().nullable().describe('first turn that verified a criterion'),
  allVerifiedIn: z.number().nullable().describe('turn that verified the last criterion that counts'),
  reversals: z.number().describe('rejections after a verification, of the criteria that count'),
  failedGates: z
    .array(z.object({ gate: z.string(), turns: z.number() }))
    .describe('number of judged turns in which each gate failed, most first'),
  issues: z.number().describe('causes of issues in all turns'),
  openIssues: z.number(),
  openBlocking: z.number(),
  seconds: z.number().nullable().describe('sum of the durations of its turns; null if a turn reports none'),
})
export type ComparedSession = z.output<typeof comparedSession>

export const sessionComparison = z.object({
  a: comparedSession,
  b: comparedSession,
  sameTask: z.boolean(),
  sentence: z.string().describe('the difference in one sentence'),
})
export type SessionComparison = z.output<typeof sessionComparison>

export function compareSessions(a: ComparedRecords, b: ComparedRecords): SessionComparison {
  const [left, right] = [describeSession(a), describeSession(b)]
  const sameTask = left.featureId === right.featureId && left.taskId === right.taskId
  return { a: left, b: right, sameTask, sentence: describeDifference(left, right) }
}

function describeSession(records: ComparedRecords): ComparedSession {
  const { featureId, taskId, worldSlug, durations, issues, lastDecision } = records
  const steps = foldSteps(records)
  const states = steps.map((step) => statesAfter(records, step, 'sticky'))
  const newest = states.at(-1) ?? []
  const required = newest.filter(isRequired)
  const verifiedAfter = states.map(verifiedKeys)
  const seen = new Set<string>()
  const gains = steps.flatMap(({ turn }, i) => {
    const gained = required.filter(({ key }) => verifiedAfter[i]?.has(key) === true && !seen.has(key))
    for (const { key } of gained) seen.add(key)
    return gained.length === 0 ? [] : [{ turn, gained: gained.length }]
  })
  const { verified, contested } = countCriteria(required)
  const findEntries = entriesIn({ ledger: steps.flatMap(({ ledger }) => ledger), progress: new Map() })
  const open = issues.filter(({ state }) => state === 'open')
  return {
    featureId,
    taskId,
    worldSlug,
    turns: steps.length,
    lastDecision,
    criteria: required.length,
    verified,
    contested,
    gains,
    firstVerifiedIn: gains[0]?.turn ?? null,
    allVerifiedIn: required.length > 0 && verified === required.length ? (gains.at(-1)?.turn ?? null) : null,
    reversals: required.flatMap(({ key }) => findReversals(findEntries(key), new Map())).length,
    failedGates: countGates(steps.flatMap(({ outcome }) => outcome?.failedGates ?? [])),
    issues: issues.length,
    openIssues: open.length,
    openBlocking: open.filter(({ severity }) => severity === 'blocking').length,
    seconds: sumDurations(durations),
  }
}

function countGates(failed: readonly string[]): { gate: string; turns: number }[] {
  const counts = new Map<string, number>()
  for (const gate of failed) counts.set(gate, (counts.get(gate) ?? 0) + 1)
  return [...counts]
    .map(([gate, turns]) => ({ gate, turns }))
    .sort((a, b) => b.turns - a.turns || compareCodeUnits(a.gate, b.gate))
}

function sumDurations(durations: readonly (number | null)[]): number | null {
  const known = durations.filter((each) => each !== null)
  if (known.length === 0 || known.length < durations.length) return null
  return known.reduce((sum, each) => sum + each, 0)
}

/** Writes what differs, most important first: the result, then the turns, then the reversals. */
function describeDifference(a: ComparedSession, b: ComparedSession): string {
  const differs = (name: 'turns' | 'reversals' | 'openBlocking') => a[name] !== b[name]
  const parts = [
    ...(a.lastDecision === b.lastDecision ? [] : [`A ended with ${showEnd(a)}, B with ${showEnd(b)}`]),
    ...(a.verified === b.verified && a.criteria === b.criteria
      ? []
      : [
          `A verified ${a.verified} of ${plural(a.criteria, 'criterion', 'criteria')}, B ${b.verified} of ${b.criteria}`,
        ]),
    ...(differs('turns') ? [describeMore(a.turns, b.turns, 'turn', 'took')] : []),
    ...(differs('reversals') ? [describeMore(a.reversals, b.reversals, 'reversal', 'had')] : []),
    ...(differs('openBlocking')
      ? [describeMore(a.openBlocking, b.openBlocking, 'open blocking issue', 'has')]
      : []),
  ]
  return parts.length === 0
    ? 'Both ended alike: the same decision, criteria, turns, reversals and open blocking issues.'
    : `${parts.join('; ')}.`
}

const showEnd = ({ lastDecision }: ComparedSession): string => lastDecision ?? 'no turn'

/** `B took 2 turns more (5, not 3)` */
function describeMore(a: number, b: number, noun: string, verb: string): string {
  const [name, more, less] = a > b ? ['A', a, b] : ['B', b, a]
  return `${name} ${verb} ${plural(more - less, noun)} more (${more}, not ${less})`
}
