/** Declares the events of the Player/Coach loop. */
import type { TurngraphError } from '../core/errors.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import type { Role } from '../memory/criteria/views.ts'
import type { RoundRecord } from './fields-by-role.ts'
import type { SeenCommand } from './see-commands.ts'

/**
 * Source of a context. `last_known`: the memory is unavailable, and this is its last known answer with the turns since then.
 * `dark`: it is unavailable without a known answer; never treat this as a first turn. `off`: the loop runs without contexts.
 */
export type ContextStatus = ContinuationContext['status'] | 'last_known' | 'dark' | 'off'

/** The context of earlier turns that an agent receives. */
export type GivenContext = {
  status: ContextStatus
  /** The text; null if nothing is known yet, or if the memory is off. */
  context: string | null
  /** The whole answer of the memory, for observers; null if it did not answer. */
  continuation: ContinuationContext | null
}

export type RoundEvent =
  /** `turn` is null if the memory is unavailable at the start of a session, so that its number is unknown. */
  | ({ type: 'context'; turn: number | null; role: Role } & GivenContext)
  | { type: 'player'; turn: number; output: unknown }
  /** The commands of `verify` ran after the Player's turn. */
  | { type: 'seen'; turn: number; commands: readonly SeenCommand[] }
  | { type: 'coach'; turn: number; output: unknown }
  /** An agent threw, or its output is not a half of a turn record: the turn is recorded as failed. */
  | { type: 'agent_failed'; turn: number; role: Role; error: unknown }

export type Outcome = 'approved' | 'stalled' | 'max_turns' | 'aborted' | 'error'

/** Events of `runAutobuild`, in this order for each turn; `finished` is the last event. */
export type AutobuildEvent =
  | { type: 'session'; worldSlug: string; currentTurn: number }
  /** Waits for the lease of another process, or for an unavailable memory. */
  | { type: 'waiting'; reason: string }
  /** `attemptId` is null while the memory is unavailable, because no process can hold the world then. */
  | { type: 'turn'; turn: number; attemptId: string | null }
  | RoundEvent
  /** `stored: false`: the record waits in the client's spool. */
  | { type: 'captured'; turn: number; stored: boolean; record: RoundRecord }
  | {
      type: 'finished'
      outcome: Outcome
      worldSlug: string | null
      /** The newest turn of the world; 0 before the first, null if the world was never reached. */
      turn: number | null
      /** The error if the outcome is `error`. */
      error: TurngraphError | null
      /** The record that could be neither stored nor spooled, or the Player's half if an error came before a verdict. */
      unsaved: RoundRecord | null
      /** Number of turns that still wait in the client's spool. */
      waiting: number
    }
