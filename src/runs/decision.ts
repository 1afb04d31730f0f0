/**
 * Declares the inputs and results of decisions about the runs and attempts of a world. The pure functions in `lifecycle/` decide:
 * they take the state of a world under its lock, ids and instants, and return the records to write or throw the reason. The checks
 * follow the order of seed 001. `turn-run-store.ts` reads and writes in one transaction.
 */
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
  /** The highest fence that was ever issued in this world. */
  fence: number
  attemptCount: number
}

/** The inputs of a decision, read under the world's lock. */
export type View = {
  /** The database's clock, in epoch milliseconds. Leases are decided only by this clock. */
  now: number
  world: WorldState
  run: TurnRun | null
  attempt: Attempt | null
  /** The run and attempt that the command names, active or not. */
  askedRun: TurnRun | null
  askedAttempt: Attempt | null
}

/** The records to write; `null` if nothing changes. `resuming` is a new run that resumes `run`. */
export type Change = { run?: TurnRun; attempt?: Attempt; resuming?: TurnRun } | null
export type Decision<T> = { change: Change; answer: T }

export const unchanged = <T>(answer: T): Decision<T> => ({ change: null, answer })
