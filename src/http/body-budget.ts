// Bounds the bytes of the request bodies that are worked on at a time, so that many large ones do not exhaust the heap.
import { getHeapStatistics } from 'node:v8'
import type { RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'

/**
 * The heap that a byte of a body takes while it is parsed, scrubbed, compared and written, and that of the service itself.
 * Measured: 40 captures of 0.9 MB at once, within 64 MB of old space, are survived with 4, and end the process without a
 * bound.
 */
const HEAP_PER_BYTE = 8
const HEAP_OF_SERVICE = 48 * 1024 * 1024

/** What may be in flight, by the heap that the process may have (`--max-old-space-size`). */
export const bodyBudget = (heapLimit = getHeapStatistics().heap_size_limit): number =>
  Math.max(heapLimit - HEAP_OF_SERVICE, 0) / HEAP_PER_BYTE

export class BodiesInFlight {
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Refuses a body that does not fit beside those in flight. One that is alone is always taken. */
  admit(limit: number): RequestHandler {
    return (req, res, next) => {
      const { 'content-length': length, 'content-encoding': encoding } = req.headers
      // How much a compressed body holds, or one without a length, is known when it has been read.
      const bytes = length === undefined || encoding !== undefined ? limit : Math.min(Number(length), limit)
      if (this.#bytes > 0 && this.#bytes + bytes > this.#most) {
        throw new TurngraphError(
          'store_unavailable',
          'The service is working on as much as its memory takes.',
          {
            hint: 'Wait as long as Retry-After says, and send fewer large requests at once.',
          },
        )
      }
      this.#bytes += bytes
      res.once('close', () => {
        this.#bytes -= bytes
      })
      next()
    }
  }
}
