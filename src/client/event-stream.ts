/** Reads events over HTTP, and reconnects after a failure so that its caller misses no change. */
import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { hasCode, isAway, TurngraphError } from '../core/errors.ts'
import { joinSignals } from '../core/join-signals.ts'
import { parseWire } from '../core/wire-form.ts'
import { type EventsRequest, type EventWithCursor, eventOnWire, schemaOfEvent } from '../operations/events.ts'

/** Maximum silence of the stream: the service sends a comment every 15 s. */
const SILENCE_MS = 45_000
const AGAIN_FIRST_MS = 500
const AGAIN_LAST_MS = 15_000

type Reading = {
  /** Opens the stream. The caller gets the first failure, and failures that a further attempt cannot fix. */
  open: (request: EventsRequest, signal: AbortSignal) => Promise<Response>
  signal: AbortSignal
  onAway?: ((error: TurngraphError) => void) | undefined
}

/** Yields events until the signal ends them. Opens a broken connection again at its last position, or with a snapshot. */
export async function* readEventStream(
  request: EventsRequest,
  { open, signal, onAway = () => {} }: Reading,
): AsyncGenerator<EventWithCursor> {
  let next = request
  for (let failures = 0, wasOpen = false, isAwayTold = false; !signal.aborted; ) {
    const stream = new EventStream(signal)
    let isOpen = false
    try {
      const opened = await open(next, stream.signal)
      wasOpen = true
      isOpen = true
      failures = 0
      yield* stream.read(opened, () => {
        isAwayTold = false
      })
    } catch (error) {
      if (signal.aborted) return
      if (!wasOpen) throw error
      if (hasCode(error, 'cursor_expired')) next = { ...next, cursor: null, snapshot: true }
      else if (!isAway(error) && !hasCode(error, 'rate_limited')) throw error
      // A stream that breaks off is not reported: it is often available again at once.
      else if (!isAwayTold && (!isOpen || stream.isSilent)) {
        onAway(error)
        isAwayTold = true
      }
    } finally {
      stream.end()
    }
    if (stream.cursor !== null) next = { ...next, cursor: stream.cursor }
    failures++
    const longest = Math.min(AGAIN_FIRST_MS * 2 ** failures, AGAIN_LAST_MS)
    await pause(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
  }
}

class EventStream {
  cursor: string | null = null
  isSilent = false
  readonly #ending = new AbortController()
  readonly signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.signal = joinSignals(signal, this.#ending.signal)
  }

  end(): void {
    this.#ending.abort()
  }

  /** @throws `store_unavailable` if the stream breaks */
  async *read({ body }: Response, onSign: () => void): AsyncGenerator<EventWithCursor> {
    const found: EventWithCursor[] = []
    const parser = createParser({
      onEvent: ({ id, data }) => {
        const event = parseEvent(data, id ?? null)
        if (event !== null) found.push(event)
      },
      onComment: (text) => {
        this.cursor = /^\s*cursor (\d+)$/.exec(text)?.[1] ?? this.cursor
      },
    })
    const decoder = new TextDecoder()
    const limitSilence = () =>
      setTimeout(() => {
        this.isSilent = true
        this.end()
      }, SILENCE_MS)
    let silence = limitSilence()
    try {
      for await (const chunk of body ?? []) {
        clearTimeout(silence) // the time that the caller needs for its events is no silence of the service
        onSign()
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
        for (const event of found.splice(0)) {
          this.cursor = event.cursor ?? this.cursor
          yield event
        }
        silence = limitSilence()
      }
    } catch (cause) {
      if (hasCode(cause, 'internal')) throw cause
      const what = this.isSilent
        ? `The service has said nothing for ${SILENCE_MS / 1_000} s.`
        : 'The stream of events broke off.'
      throw new TurngraphError('store_unavailable', what, { cause })
    } finally {
      clearTimeout(silence)
    }
  }
}

/**
 * Parses an event; null for an unknown kind, which a later version of the service may send.
 * @throws `internal` if a known kind has another form. A new connection would repeat this error without end.
 */
function parseEvent(data: string, cursor: string | null): EventWithCursor | null {
  try {
    const kind = eventOnWire.safeParse(JSON.parse(data))
    if (!kind.success) return null
    const schema = schemaOfEvent(kind.data)
    return { ...(parseWire(schema, kind.data, 'events') as EventWithCursor), cursor }
  } catch (cause) {
    throw new TurngraphError('internal', 'The service sent an event that this version cannot read.', {
      hint: 'Use the same version of Turngraph on both sides.',
      cause,
    })
  }
}
