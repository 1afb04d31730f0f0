/** Declares the tokens that a turn reports for its agents: numbers only (contract: doors.md, "Who and how much"). */
import * as z from 'zod'
import { integerBetween } from '../../core/fields.ts'
import { eachKind } from '../../rules/turn-tokens.ts'

/** Maximum number of tokens of one kind. The sum of all turns of a long session stays a safe integer. */
const MAX_TOKENS = 1_000_000_000_000

const tokens = integerBetween(0, MAX_TOKENS).nullish()

const agentUsageInput = z.strictObject({
  inputTokens: tokens.describe('input tokens, without cached ones'),
  outputTokens: tokens,
  cacheReadTokens: tokens.describe('input tokens that were read from a cache'),
  cacheCreationTokens: tokens.describe('input tokens that were written to a cache'),
})

export const usageInput = z.strictObject({
  player: agentUsageInput.nullish(),
  coach: agentUsageInput.nullish(),
})

const count = z.number().nullable()

const agentUsage = z.object(eachKind(() => count))

export const turnUsage = z.object({ player: agentUsage.nullable(), coach: agentUsage.nullable() })

export type TurnUsage = z.output<typeof turnUsage>

export function normalizeUsage(given: z.output<typeof usageInput> | null | undefined): TurnUsage | null {
  const player = normalizeAgent(given?.player)
  const coach = normalizeAgent(given?.coach)
  return player === null && coach === null ? null : { player, coach }
}

function normalizeAgent(given: z.output<typeof agentUsageInput> | null | undefined): TurnUsage['player'] {
  const usage = eachKind((kind) => given?.[kind] ?? null)
  return Object.values(usage).every((value) => value === null) ? null : usage
}
