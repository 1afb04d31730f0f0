/** Options of `turngraph worlds create` and `set` that determine when the runs of a world stop, pause and resume. */

import { InvalidArgumentError } from 'commander'
import type { OperationInput, OperationOutput } from '../operations/table.ts'
import { describeFailures, describeMinutes, describeTokens } from '../rules/goal-words.ts'
import { RESUME_POLICIES, STOP_REASONS } from '../rules/values.ts'
import { type Given, parseSome, parseWhole } from './command.ts'

type Settings = Pick<OperationInput<'setWorld'>, 'stopWhen' | 'budget' | 'backoff' | 'resume'>

/** Value that removes a setting. It is not null, because the parser of the command line would turn null into an empty text. */
const NONE = 'none'
const orNone =
  <T>(parse: (text: string) => T) =>
  (text: string): T | typeof NONE =>
    text === NONE ? NONE : parse(text)
const given = <T>(value: T | typeof NONE | undefined): T | null | undefined => (value === NONE ? null : value)

function parseNumber(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number.')
}

function parseBackoff(text: string): NonNullable<Settings['backoff']> {
  const [first = '', factor = '', most = '', ...more] = text.split(',')
  if (more.length > 0) throw new InvalidArgumentError('It must be FIRST_MS,FACTOR,MOST_MS, or none.')
  return { firstMs: parseWhole(first), factor: parseNumber(factor), mostMs: parseWhole(most) }
}

export const RUN_SETTINGS = {
  stopWhen: [
    '--stop-when <reasons>',
    'what ends its runs early: approved,all_verified,all_observed,stalled,budget or some of them',
    { parse: orNone((text) => parseSome(text, STOP_REASONS, ', or none')) },
  ],
  budgetMinutes: [
    '--budget-minutes <minutes>',
    'how long a run may take, with --stop-when budget',
    { parse: orNone(parseNumber) },
  ],
  budgetFailures: [
    '--budget-failures <n>',
    'how many attempts may fail in a row',
    { parse: orNone(parseWhole) },
  ],
  budgetTokens: [
    '--budget-tokens <n>',
    'how many tokens the attempts of a run may say they used',
    { parse: orNone(parseWhole) },
  ],
  backoff: [
    '--backoff <first,factor,most>',
    "the pause after a failed attempt: ms, factor, ms (default: the executor's)",
    { parse: orNone(parseBackoff) },
  ],
  resume: [
    '--resume <policy>',
    'whether a new run resumes one that a restart interrupted (default: never)',
    { choices: RESUME_POLICIES },
  ],
} as const

export function toSettings(options: Given<typeof RUN_SETTINGS>): Settings {
  const budget = {
    minutes: given(options.budgetMinutes),
    attemptsFailedInARow: given(options.budgetFailures),
    tokens: given(options.budgetTokens),
  }
  return {
    stopWhen: given(options.stopWhen),
    ...(Object.values(budget).some((value) => value !== undefined) && { budget }),
    backoff: given(options.backoff),
    resume: options.resume,
  }
}

/** Describes the run settings of a world, one line per setting; empty without settings. */
export function describeSettings({
  stopWhen,
  budget,
  backoff,
  resume,
}: Pick<OperationOutput<'setWorld'>, keyof Settings>): string[] {
  const { minutes, attemptsFailedInARow, tokens } = budget ?? {}
  const budgets = [
    minutes !== undefined && describeMinutes(minutes),
    attemptsFailedInARow !== undefined && describeFailures(attemptsFailedInARow),
    tokens !== undefined && describeTokens(tokens),
  ].filter((text) => text !== false)
  return [
    stopWhen !== undefined && `Its runs stop when: ${stopWhen.join(', ')}`,
    budgets.length > 0 && `Budget of a run: ${budgets.join(', ')}`,
    backoff !== undefined &&
      `Pause after a failed attempt: ${backoff.firstMs} ms, times ${backoff.factor}, at most ${backoff.mostMs} ms`,
    resume === 'auto' && 'A new run resumes one that a restart interrupted.',
  ].filter((line) => line !== false)
}
