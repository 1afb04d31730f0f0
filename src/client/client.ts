/** The interface of Turngraph for programs. */
import type { TurngraphError } from '../core/errors.ts'
import type { EventsRequest, EventWithCursor } from '../operations/events.ts'
import type { OperationInput, OperationOutput, operations } from '../operations/table.ts'
import type { TranscriptUpload, TranscriptUploaded } from '../operations/transcript-upload.ts'
import type { SpoolScope, WaitingCapture } from './spool.ts'

export type CallOptions = {
  /** Makes a repeat of `createWorld` answer with the world that the first call made. */
  idempotencyKey?: string
  signal?: AbortSignal
}

export type EventsOptions = Pick<CallOptions, 'signal'> & {
  /** Called once each time that the service cannot be reached, or is silent, while the client goes on trying. */
  onAway?: ((error: TurngraphError) => void) | undefined
}

/** A call for every operation of the table. */
export type Calls = {
  [N in keyof typeof operations]: (
    input: OperationInput<N>,
    options?: CallOptions,
  ) => Promise<OperationOutput<N>>
}

/**
 * Turngraph as programs use it: one interface in two forms, in process and over HTTP (`createTurngraphClient`). Records
 * are camelCase; every call rejects with a TurngraphError. An answer means stored.
 *
 * @example
 * const client = createTurngraphClient({ store: 'embedded:.turngraph', project: 'shop' })
 * await client.captureTurnState({ featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1, playerSummary: 'Built it' })
 * const { context } = await client.loadTurnContinuationContext({ featureId: 'FEAT-1', taskId: 'TASK-1', currentTurn: 2 })
 */
export interface TurngraphClient extends Calls {
  /**
   * Who this program is in leases: the same after a restart where it has a place to keep that (the data folder of an
   * embedded store, a spool), so that it takes up again what it was killed over.
   */
  workerId(): Promise<string>
  /** Where captures wait on disk while the service is away; null without one. */
  spool(): Promise<Spool | null>
  /**
   * Sends a transcript from a byte on: `getTranscriptProgress` says which. A chunk may be written over once the next
   * one is asked for.
   */
  importTranscript(
    input: TranscriptUpload,
    chunks: AsyncIterable<Buffer>,
    options?: CallOptions,
  ): Promise<TranscriptUploaded>
  /**
   * What changes, as it changes, until `signal` ends it: each event says what now is, so a reader that hears of something
   * twice loses nothing. Over HTTP it comes back by itself where the connection breaks, and misses nothing.
   *
   * @throws `cursor_expired` where the cursor that it begins with is more than a day old: begin with `snapshot: true`
   * @example
   * for await (const event of client.events({ snapshot: true })) {
   *   if (event.type === 'session') console.log(event.worldSlug, event.verified, event.total)
   * }
   */
  events(input?: EventsRequest, options?: EventsOptions): AsyncGenerator<EventWithCursor, void, undefined>
  close(): Promise<void>
}

/** The number of captures that were stored, were refused and still wait, and why they wait. */
export type Replayed = { sent: number; refused: number; waiting: number; stoppedBy: TurngraphError | null }

/**
 * Captures that wait on disk while the service is away, and are sent in their order when it is back. A kill -9 loses none.
 * One that was sent just before it is sent again, and stored once, since captures are idempotent.
 */
export interface Spool {
  readonly folder: string
  /** The number of captures that wait. */
  readonly waiting: number
  /** The number of captures that the service has refused; they stay in `refused/` with the error beside them. */
  readonly refused: number
  /** The number of refused captures of a world. */
  refusedIn(scope: SpoolScope): number
  /** The captures that wait, oldest first. */
  entries(): WaitingCapture[]
  /** Sends what waits, as far as the service takes it. This also happens on a timer. */
  replay(): Promise<Replayed>
}
