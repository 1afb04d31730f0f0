/** Words for the goals and budgets that end a run (contract: truth.md, "Writes"). Pure. */
import { plural } from '../core/plural.ts'

/** Describes a reached goal: `goal reached: all 7 criteria verified in turn 4`. */
export const describeGoal = (count: number, state: 'verified' | 'observed', turn: number): string =>
  `goal reached: ${count === 1 ? 'the only criterion' : `all ${count} criteria`} ${state} in turn ${turn}`

export const describeMinutes = (count: number): string => plural(count, 'minute')
export const describeFailures = (count: number): string => `${plural(count, 'attempt')} failed in a row`
export const describeTokens = (count: number): string => plural(count, 'token')
