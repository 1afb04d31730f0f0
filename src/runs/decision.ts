/** Declares what a decision about the runs and attempts of a world depends on, and what it is. Pure. */
import type { Attempt, TurnRun } from './record.ts'

export type WorldState = {
  project: string
  slug: string
  currentTurn: number
  deleted: boolean
  executor: string
  leaseTtlMs: number
  resume: 'never' | 'auto'
  /** True if its runs can end early (`stop_when`). */
  hasGoals: boolean
  /** The greatest fence that was ever given out here. */
  fence: number
  attemptCount: number
}

/** All that a decision may depend on, read under the world's lock. */
export type View = {
  /** The database's clock, in epoch milliseconds: it alone decides about leases. */
  now: number
  world: WorldState
  /** The active ones. */
  run: TurnRun | null
  attempt: Attempt | null
  /** Those that the command names, active or not. */
  askedRun: TurnRun | null
  askedAttempt: Attempt | null
}

/** What is to be written; `null` where everything stays as it is. `resuming` is a new run that resumes `run`. */
export type Change = { run?: TurnRun; attempt?: Attempt; resuming?: TurnRun } | null
export type Decision<T> = { change: Change; answer: T }

export const unchanged = <T>(answer: T): Decision<T> => ({ change: null, answer })
