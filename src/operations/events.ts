// Declares the stream of events: an operation without an end (contract: events.md).
import * as z from 'zod'
import { invalidField, TurngraphError } from '../core/errors.ts'
import { project } from '../core/fields.ts'
import { type ChangeEvent, eventSchemas, HEARTBEAT_MS } from '../events/change-event.ts'
import type { Beginning, ChangeFeed, EventBatch } from '../events/change-feed.ts'
import { flag, worldSlug } from './operation.ts'

export const EVENTS_PATH = '/v1/events'
/** Scopes that may read events. No role of a session is among them: events of a session count its verdicts as they fall. */
export const EVENTS_SCOPES = ['read'] as const
export const EVENTS_SUMMARY = 'What changes, as it changes: a stream of server-sent events'

export const eventsRequest = z.strictObject({
  project,
  worldSlug: worldSlug
    .nullish()
    .describe('default: all sessions of the project; one that is not there yet is waited for'),
  cursor: z
    .string()
    .nullish()
    .describe(
      'the id of the last event that was seen (header Last-Event-ID): go on from there; default: begin now',
    ),
  snapshot: flag.describe('true: begin with what is there; a cursor goes before it'),
})

export type EventsRequest = z.input<typeof eventsRequest>

export { eventSchemas, HEARTBEAT_MS }

export const eventOnWire = z.looseObject({ type: z.enum(['session', 'run', 'import']) })

/** Event with the cursor from which a reader gets it again; null within a snapshot. */
export type EventWithCursor = ChangeEvent & { cursor: string | null }

/** @throws `cursor_expired`, `invalid_request` */
export function readEvents(
  feed: ChangeFeed,
  { project, worldSlug, cursor, snapshot }: z.output<typeof eventsRequest> & { project: string },
  signal: AbortSignal,
): AsyncGenerator<EventBatch> {
  return feed.read({ project, worldSlug }, chooseBeginning(cursor, snapshot), signal)
}

function chooseBeginning(cursor: string | null | undefined, snapshot: boolean): Beginning {
  if (cursor == null) return snapshot ? 'snapshot' : 'now'
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalidField('cursor', 'is no id of an event', {
    hint: 'Send the id of the last event that you saw.',
  })
}

export const schemaOfEvent = ({ type }: Pick<ChangeEvent, 'type'>): z.ZodObject => eventSchemas[type]

/** @param readers current number of readers; default: the readers of events */
export function refuseTooManyReaders(
  { feed, maxReaders = Number.POSITIVE_INFINITY }: { feed: ChangeFeed; maxReaders?: number | undefined },
  readers = feed.readers,
): void {
  if (readers < maxReaders) return
  throw new TurngraphError('store_unavailable', `There are ${maxReaders} readers of events already.`, {
    hint: 'Wait as long as Retry-After says, or read from another replica.',
  })
}
