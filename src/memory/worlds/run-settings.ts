/** Declares the settings that stop, pause and resume the runs of a world, and converts them to and from properties. */
import * as z from 'zod'
import { integerBetween } from '../../core/fields.ts'
import { groupDigits } from '../../core/group-digits.ts'
import { rowShape } from '../../graph/model/derived.ts'
import { runSettingsFields } from '../../graph/model/nodes.ts'
import { RESUME_POLICIES, STOP_REASONS, textList } from '../../rules/values.ts'

const DAY_MS = 86_400_000
const MAX_SETTING = 1_000_000_000_000

const numberUpTo = (most: number, min: { above: number } | { from: number }) => {
  const [word, bound] = 'above' in min ? ['above', min.above] : ['from', min.from]
  const error = `must be a number ${word} ${bound} and up to ${groupDigits(most)}`
  const given = z.number(error).max(most, error)
  return 'above' in min ? given.gt(min.above, error) : given.min(min.from, error)
}

const budget = z.strictObject({
  minutes: numberUpTo(525_600, { above: 0 }).nullish().describe('since the run began'),
  attemptsFailedInARow: integerBetween(1, 1_000_000).nullish(),
  tokens: integerBetween(1, MAX_SETTING)
    .nullish()
    .describe('the sum of what commits and failures say they used'),
})

/** Pause before the k-th attempt after failures: `firstMs * factor ** (k - 1)`, at most `mostMs`. */
export const backoff = z.object({
  firstMs: integerBetween(0, DAY_MS).describe('0: no pause'),
  factor: numberUpTo(100, { from: 1 }),
  mostMs: integerBetween(0, DAY_MS),
})
export type Backoff = z.output<typeof backoff>

/** Settings of a request. An absent field does not change; null removes a value. */
export const runSettingsRequest = {
  stopWhen: z
    .array(z.enum(STOP_REASONS))
    .max(STOP_REASONS.length)
    .nullish()
    .describe('what ends a run early, looked at after each attempt; default: nothing'),
  budget: budget.nullish().describe('ends a run when one of them is used up; stop_when then includes budget'),
  backoff: z
    .strictObject(backoff.shape)
    .nullish()
    .describe('the pause after a failed attempt; default: that of the executor'),
  resume: z
    .enum(RESUME_POLICIES)
    .nullish()
    .describe('auto: a new run resumes one that a restart interrupted; default: never'),
}
const request = z.object(runSettingsRequest)
export type RunSettingsRequest = z.output<typeof request>

/** Settings of a world, without absent values. */
export const runSettings = {
  stopWhen: z.array(z.enum(STOP_REASONS)).optional().describe('what ends its runs early'),
  budget: z
    .object({
      minutes: z.number().optional(),
      attemptsFailedInARow: z.number().optional(),
      tokens: z.number().optional(),
    })
    .optional(),
  backoff: backoff.optional().describe('the pause after a failed attempt; without it, that of the executor'),
  resume: z.enum(RESUME_POLICIES).optional(),
}
const shown = z.object(runSettings)
export type RunSettings = z.output<typeof shown>

/** Decoded properties of a World. */
export const runSettingsColumns = {
  ...rowShape(runSettingsFields),
  stopWhen: textList.pipe(z.array(z.enum(STOP_REASONS))),
}
const columns = z.object(runSettingsColumns)
type Columns = z.output<typeof columns>

/** A budget ends runs without being named in `stopWhen`. */
export function runSettingsFrom(stored: Columns): RunSettings {
  const budget = {
    ...(stored.budgetMinutes !== null && { minutes: stored.budgetMinutes }),
    ...(stored.budgetAttemptsFailedInARow !== null && {
      attemptsFailedInARow: stored.budgetAttemptsFailedInARow,
    }),
    ...(stored.budgetTokens !== null && { tokens: stored.budgetTokens }),
  }
  const { backoffFirstMs: firstMs, backoffFactor: factor, backoffMostMs: mostMs, resume } = stored
  const hasBudget = Object.keys(budget).length > 0
  const stopWhen = STOP_REASONS.filter(
    (reason) => stored.stopWhen.includes(reason) || (reason === 'budget' && hasBudget),
  )
  const hasBackoff = firstMs !== null && factor !== null && mostMs !== null
  return {
    ...(stopWhen.length > 0 && { stopWhen }),
    ...(hasBudget && { budget }),
    ...(hasBackoff && { backoff: { firstMs, factor, mostMs } }),
    ...(resume !== null && { resume }),
  }
}

export function runSettingsParams({ stopWhen, budget, backoff, resume }: RunSettingsRequest) {
  const properties = {
    stopWhen: stopWhen?.length ? STOP_REASONS.filter((reason) => stopWhen.includes(reason)) : none(stopWhen),
    budgetMinutes: budget === null ? null : budget?.minutes,
    budgetAttemptsFailedInARow: budget === null ? null : budget?.attemptsFailedInARow,
    budgetTokens: budget === null ? null : budget?.tokens,
    backoffFirstMs: backoff === null ? null : backoff?.firstMs,
    backoffFactor: backoff === null ? null : backoff?.factor,
    backoffMostMs: backoff === null ? null : backoff?.mostMs,
    resume,
  }
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

const none = (given: unknown): null | undefined => (given === undefined ? undefined : null)

/** Fields that a request would change. */
export function differingRunSettings(request: RunSettingsRequest, stored: RunSettings): string[] {
  const requested = runSettingsFrom(
    columns.parse(runSettingsParams({ ...request, budget: request.budget ?? stored.budget })),
  )
  const names = Object.keys(runSettings) as (keyof RunSettings)[]
  return names.filter(
    (name) => request[name] != null && JSON.stringify(requested[name]) !== JSON.stringify(stored[name]),
  )
}
