// Checks the turn record that ends an attempt against the attempt's scope.
import * as z from 'zod'
import { invalidFields } from '../core/errors.ts'
import { integerBetween, name } from '../core/fields.ts'
import { snakeCase } from '../core/wire-form.ts'
import { type CaptureRequest, turnInput } from '../memory/record/record.ts'
import { usageInput } from '../memory/record/usage.ts'
import { RUN_LIMITS } from './record.ts'

/** The turn record that ends an attempt. If it names a scope, the scope must be that of the attempt. An empty feature names none. */
export const attemptTurn = turnInput.extend({
  featureId: turnInput.shape.featureId.nullish(),
  taskId: name.nullish(),
  turnNumber: turnInput.shape.turnNumber.nullish(),
})

/** The resources that an attempt used, as reported by its executor or worker. They count toward the budget of the world. */
export const usage = z.strictObject({
  tokens: integerBetween(0, RUN_LIMITS.usedTokens).nullish(),
})
export const usedTokens = (given: z.output<typeof usage> | null | undefined): number => given?.tokens ?? 0

export const executedTurn = attemptTurn.extend({
  usage: usageInput.extend({ tokens: usage.shape.tokens }).nullish(),
})

export type AttemptTurn = z.output<typeof attemptTurn>

export type AttemptScope = {
  project: string
  featureId: string
  taskId: string
  worldSlug: string
  attemptedTurn: number
}

/** @throws `invalid_request` that names every field with another scope */
export function turnOfAttempt(turn: AttemptTurn, scope: AttemptScope): CaptureRequest {
  const { project, featureId, taskId, worldSlug, attemptedTurn: turnNumber } = scope
  // Only these fields, because the record's digest must not depend on other properties of the world.
  const expected = { project, featureId, taskId, worldSlug, turnNumber }
  const problems = SCOPE_FIELDS.filter(
    (field) => turn[field] != null && turn[field] !== '' && turn[field] !== expected[field],
  ).map((field) => ({
    path: `turn.${snakeCase(field)}`,
    message: `must be ${expected[field]}, as the attempt's; or leave it out`,
  }))
  if (problems.length > 0) throw invalidFields(problems)
  return { ...turn, ...expected }
}

const SCOPE_FIELDS = ['project', 'featureId', 'taskId', 'worldSlug', 'turnNumber'] as const
