// Streams events to a reader, and ends the stream of a reader that does not read.
import type { RequestHandler, Response } from 'express'
import { toWire } from '../core/wire-form.ts'
import type { ChangeEvent } from '../events/change-event.ts'
import type { EventBatch } from '../events/change-feed.ts'
import { eventsRequest, readEvents, refuseTooManyReaders, schemaOfEvent } from '../operations/events.ts'
import { isStillAllowed, readCaller } from './authorize.ts'
import { beginEventStream } from './event-stream.ts'
import { lastEventId } from './input.ts'
import { chooseProject, inputFor, type OperationContext } from './operation-handler.ts'

/** Maximum time for a reader to read the sent events. It gets no further events before, and is cut off after it. */
const PATIENCE_MS = 10_000
/** Reconnection time of browsers, in milliseconds. */
const COME_BACK = 'retry: 1000\n\n'

/** `GET /v1/events` (contract: events.md). */
export function eventsHandler(context: OperationContext): RequestHandler {
  return async (req, res) => {
    context.schema.refuseUnlessCurrent()
    const input = inputFor(eventsRequest, req, 'events')
    const project = chooseProject(input.project ?? null, readCaller(res), context.defaultProject)
    const from = { ...input, project, cursor: lastEventId(req) ?? input.cursor }
    refuseTooManyReaders(context)
    if (req.method === 'HEAD') return void begin(res).end()
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    for await (const batch of readEvents(context.feed, from, gone.signal)) {
      if (!res.headersSent) begin(res)
      if (!isStillAllowed(res, 'read')) break
      if (!res.write(renderEvents(batch)) && !(await isDrained(res))) return void res.destroy()
    }
    if (!res.headersSent) begin(res)
    res.end(COME_BACK)
  }
}

function begin(res: Response): Response {
  beginEventStream(res).write(COME_BACK)
  return res
}

/** Writes a batch. Without events, the id moves the cursor of a browser, and the comment that of parsers that ignore such ids. */
function renderEvents({ events, cursor }: EventBatch): string {
  const id = cursor === null ? '' : `id: ${cursor}\n`
  if (events.length === 0) return `: cursor ${cursor}\n${id}\n`
  return events.map((event) => `${id}data: ${renderData(event)}\n\n`).join('')
}

/** JSON of events, shared by all readers: with 200 readers, rendering it is most of the cost of an event. */
const texts = new WeakMap<ChangeEvent, string>()

function renderData(event: ChangeEvent): string {
  const text = texts.get(event) ?? JSON.stringify(toWire(schemaOfEvent(event), event))
  texts.set(event, text)
  return text
}

/** Waits until the reader has read all data; false if it took too long or disconnected. */
function isDrained(res: Response): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isDrained: boolean) => {
      clearTimeout(timer)
      res.off('drain', drained).off('close', closed)
      resolve(isDrained)
    }
    const drained = () => end(true)
    const closed = () => end(false)
    const timer = setTimeout(closed, PATIENCE_MS)
    res.on('drain', drained).on('close', closed)
  })
}
