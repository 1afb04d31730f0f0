// Reads the events of a project over fetch (EventSource cannot send a token), and reconnects after a failure.
import { createParser } from 'eventsource-parser'
import { Failure, isRefusal } from './failure.ts'
import type { ChangeEvent } from './operations.ts'
import type { Service } from './service.ts'

/** Maximum silence of the stream: the service sends a comment every 15 s. */
const SILENCE_MS = 45_000
const AGAIN_FIRST_MS = 500
const AGAIN_LAST_MS = 15_000

/** `world_slug`: null or left out for all sessions of the project. */
export type EventsOf = { project: string; world_slug?: string | null }

export type EventsReader = {
  /** Called when the stream begins. The caller must read earlier changes in another way. */
  opened: () => void
  tell: (event: ChangeEvent) => void
}

/**
 * Passes on every event until the signal ends the stream. A broken stream is opened again at its last position. If that
 * position is too old, the stream starts with a snapshot, so that no change is missed.
 *
 * @throws Failure if the service refuses the stream
 */
export async function readEvents(
  service: Service,
  { project, world_slug: world }: EventsOf,
  { opened, tell }: EventsReader,
  signal: AbortSignal,
): Promise<void> {
  let cursor: string | null = null
  let wantsSnapshot = false
  for (let failures = 0; !signal.aborted; failures++) {
    const silence = new AbortController()
    try {
      const query = new URLSearchParams({ project })
      if (world != null) query.set('world_slug', world)
      if (cursor !== null) query.set('cursor', cursor)
      if (wantsSnapshot) query.set('snapshot', 'true')
      const response = await service.fetch(`/v1/events?${query}`, {
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.any([signal, silence.signal]),
      })
      failures = 0
      wantsSnapshot = false
      if (cursor === null) opened()
      for await (const message of readStream(response, silence)) {
        cursor = message.cursor ?? cursor
        if (message.event !== null) tell(message.event)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Failure && error.code === 'cursor_expired') {
        cursor = null
        wantsSnapshot = true
      } else if (error instanceof Failure && isRefusal(error)) {
        throw error
      }
      // After any other error, such as a broken connection or an error page of a proxy, the stream is opened again.
    } finally {
      silence.abort()
    }
    await pauseFor(Math.min(AGAIN_FIRST_MS * 2 ** failures, AGAIN_LAST_MS), signal)
  }
}

type Told = { event: ChangeEvent | null; cursor: string | null }

async function* readStream({ body }: Response, silence: AbortController): AsyncGenerator<Told> {
  const found: Told[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => found.push({ event: JSON.parse(data) as ChangeEvent, cursor: id ?? null }),
    onComment: (text) => found.push({ event: null, cursor: /^\s*cursor (\d+)$/.exec(text)?.[1] ?? null }),
  })
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  if (reader === undefined) return
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MS)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
    yield* found.splice(0)
  }
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
