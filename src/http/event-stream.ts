// Begins streams of server-sent events, and keeps idle ones open.
import type { ServerResponse } from 'node:http'
import type { Response } from 'express'
import { HEARTBEAT_MS } from '../operations/events.ts'

/** Begins a stream. The first event or `flushHeaders` sends the headers. */
export function beginEventStream(res: Response): Response {
  res.statusCode = 200
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Accel-Buffering', 'no') // otherwise nginx buffers events
  return res
}

/** Writes a comment every 15 s, until the stream ends. */
export function keepStreamAlive(res: ServerResponse): void {
  const timer = setInterval(() => {
    // An ended stream may still wait for its connection, and the second write after an end would end the process.
    if (!res.writableEnded && !res.writableNeedDrain) res.write(': keep-alive\n\n')
  }, HEARTBEAT_MS)
  res.once('close', () => clearInterval(timer))
}
