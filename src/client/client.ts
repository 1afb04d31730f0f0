/** Declares the interface of Turngraph for programs. */
import type { TurngraphError } from '../core/errors.ts'
import type { EventsRequest, EventWithCursor } from '../operations/events.ts'
import type { OperationInput, OperationOutput, operations } from '../operations/table.ts'
import type { TranscriptUpload, TranscriptUploaded } from '../operations/transcript-upload.ts'
import type { SpoolScope, WaitingCapture } from './spool.ts'

export type CallOptions = {
  /** Key with which a repeated `createWorld` returns the world of the first call. */
  idempotencyKey?: string
  signal?: AbortSignal
}

export type EventsOptions = Pick<CallOptions, 'signal'> & {
  /** Called once per interruption, when the service is unreachable or silent. The client keeps trying. */
  onAway?: ((error: TurngraphError) => void) | undefined
}

export type Calls = {
  [N in keyof typeof operations]: (
    input: OperationInput<N>,
    options?: CallOptions,
  ) => Promise<OperationOutput<N>>
}

/**
 * Client of Turngraph. The same interface works in process and over HTTP (`createTurngraphClient`). Records are camelCase.
 * Every call rejects with a TurngraphError. A resolved write is stored.
 *
 * @example
 * const client = createTurngraphClient({ store: 'embedded:.turngraph', project: 'shop' })
 * await client.captureTurnState({ featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1, playerSummary: 'Built it' })
 * const { context } = await client.loadTurnContinuationContext({ featureId: 'FEAT-1', taskId: 'TASK-1', currentTurn: 2 })
 */
export interface TurngraphClient extends Calls {
  /**
   * Returns the identity of this program in leases. It survives a restart if the program has a place for it (the data folder of
   * an embedded store, a spool), so that a killed program continues its attempts.
   */
  workerId(): Promise<string>
  /** Returns the spool, in which captures wait on disk while the service is unreachable; null without a spool. */
  spool(): Promise<Spool | null>
  /** Sends a transcript from the offset of `getTranscriptProgress`. A chunk may be reused when the next one is requested. */
  importTranscript(
    input: TranscriptUpload,
    chunks: AsyncIterable<Buffer>,
    options?: CallOptions,
  ): Promise<TranscriptUploaded>
  /**
   * Yields changes until `signal` ends it. Each event has the current state, so a repeated event does no harm. Over HTTP it
   * reconnects automatically after a failure and misses no change.
   * @throws `cursor_expired` if the initial cursor is more than a day old: begin with `snapshot: true`
   * @example
   * for await (const event of client.events({ snapshot: true })) {
   *   if (event.type === 'session') console.log(event.worldSlug, event.verified, event.total)
   * }
   */
  events(input?: EventsRequest, options?: EventsOptions): AsyncGenerator<EventWithCursor, void, undefined>
  /** Ends the current calls. They reject, although the service may have carried them out. A spool keeps a capture. */
  close(): Promise<void>
}

/** Numbers of captures that were stored, were rejected and are still waiting, and the error that stopped the replay. */
export type Replayed = { sent: number; refused: number; waiting: number; stoppedBy: TurngraphError | null }

/**
 * Captures that wait on disk while the service is unreachable, and are sent in order when it is available again. A kill -9 loses
 * none. A capture that was sent just before the kill is sent again, and stored once because captures are idempotent.
 */
export interface Spool {
  readonly folder: string
  /** Number of waiting captures. */
  readonly waiting: number
  /** Number of captures that the service rejected. They stay in `refused/`, each with its error. */
  readonly refused: number
  refusedIn(scope: SpoolScope): number
  /** Lists the waiting captures, oldest first. */
  entries(): WaitingCapture[]
  /** Sends waiting captures until the service rejects one or is unreachable. A timer also calls it. */
  replay(): Promise<Replayed>
}
