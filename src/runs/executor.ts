// Declares the input and the result of an executor.
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { Backoff } from '../memory/worlds/run-settings.ts'

/** The input of an executor: one attempt at one turn. */
export type AttemptTask = {
  worldSlug: string
  attemptId: string
  attemptedTurn: number
  /** The number of the attempt in its run, or of a single attempt in its world. */
  sequence: number
  /** Loads the context of the turn for both roles when it is called. */
  continuation: () => Promise<{ player: ContinuationContext; coach: ContinuationContext }>
  /** Returns true if an earlier attempt at the turn ended without a record: its work may be unfinished. */
  isRetry: () => Promise<boolean>
  /** Aborted if the result is not needed any more: on a cancel with abort, a lost lease, or a shutdown. */
  signal: AbortSignal
}

/** A turn record in the wire form, with its `usage` if it is known, or the reason why the turn failed. */
export type AttemptOutcome = { turn: unknown } | { failed: string; usedTokens?: number }

/** Does the work of an attempt in this process. An error that it throws fails the attempt. */
export type Executor = {
  (task: AttemptTask): Promise<AttemptOutcome>
  /** The pause after a failed attempt if the world defines none; default: no pause. */
  backoff?: Backoff
}
