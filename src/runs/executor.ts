// Declares what an executor is given and what it answers.
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { Backoff } from '../memory/worlds/run-settings.ts'

/** What an executor is given: one attempt at one turn. */
export type AttemptTask = {
  worldSlug: string
  attemptId: string
  attemptedTurn: number
  /** Its number in the run; of a single attempt, its number in the world. */
  sequence: number
  /** What the turn needs to know, for both roles. Read when it is asked for. */
  continuation: () => Promise<{ player: ContinuationContext; coach: ContinuationContext }>
  /** Aborted where nobody wants the result any more: on a cancel with abort, a lost lease, a shutdown. */
  signal: AbortSignal
}

/** A turn record in the wire form, with its `usage` where that is known, or why the turn failed. */
export type AttemptOutcome = { turn: unknown } | { failed: string; usedTokens?: number }

/** Does the work of an attempt in this process. What it throws fails the attempt. */
export type Executor = {
  (task: AttemptTask): Promise<AttemptOutcome>
  /** The pause after a failed attempt, where the world says none; default: no pause. */
  backoff?: Backoff
}
