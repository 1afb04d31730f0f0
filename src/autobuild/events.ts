/** Declares the events of the Player/Coach loop. */
import type { TurngraphError } from '../core/errors.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { Role } from '../memory/criteria/views.ts'
import type { RoundRecord } from './halves.ts'

/**
 * Whether a context is what the memory says. `last_known`: the memory is away, and this is what it said before, with the
 * turns since. `dark`: it is away, and nothing was known here; never to be taken for a first turn. `off`: the loop was
 * told to go without.
 */
export type ContextStatus = ContinuationContext['status'] | 'last_known' | 'dark' | 'off'

/** What an agent is told of the turns before. */
export type GivenContext = {
  status: ContextStatus
  /** The text; null in turn 1 and where there is no prior turn. */
  context: string | null
  /** The whole answer of the memory, for observers; null where it did not answer. */
  continuation: ContinuationContext | null
}

export type RoundEvent =
  /** `turn` is null where a session begins in the dark, and nobody knows which one it is. */
  | ({ type: 'context'; turn: number | null; role: Role } & GivenContext)
  | { type: 'player'; turn: number; output: unknown }
  | { type: 'coach'; turn: number; output: unknown }
  /** An agent threw, or what it gave is no half of a turn record: the turn is recorded as failed. */
  | { type: 'agent_failed'; turn: number; role: Role; error: unknown }

export type Outcome = 'approved' | 'stalled' | 'max_turns' | 'aborted' | 'error'

/** What `runAutobuild` tells, in this order for each turn; `finished` is the last of all. */
export type AutobuildEvent =
  | { type: 'session'; worldSlug: string; currentTurn: number }
  /** For the lease of another process, or for a memory that is away. */
  | { type: 'waiting'; reason: string }
  /** `attemptId` is null while the memory is away: then nobody can hold the world. */
  | { type: 'turn'; turn: number; attemptId: string | null }
  | RoundEvent
  /** `stored: false`: it waits in the client's spool. */
  | { type: 'captured'; turn: number; stored: boolean; record: RoundRecord }
  | {
      type: 'finished'
      outcome: Outcome
      worldSlug: string | null
      /** The newest turn of the world; 0 before the first, null where the world was never reached. */
      turn: number | null
      /** Why, where the outcome is `error`. */
      error: TurngraphError | null
      /** The record of a turn that could neither be stored nor kept. */
      unsaved: RoundRecord | null
      /** How many turns still wait in the client's spool. */
      waiting: number
    }
