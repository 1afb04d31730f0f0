// Reads JSON bodies. Limits the size of each body, and the size of all bodies together.

import { getHeapStatistics } from 'node:v8'
import type { Request, RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { parseOrderedJson } from '../core/ordered-json.ts'
import { refuseEncoded } from './input.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/**
 * Heap bytes per byte of a body while it is parsed, scrubbed, compared and written, and heap of the service without bodies.
 * Measured: with a factor of 4, a service with 64 MB of old space survives 40 simultaneous captures of 0.9 MB. Without a limit
 * the process ends.
 */
const HEAP_PER_BYTE = 8
const HEAP_OF_SERVICE = 48 * 1024 * 1024

/** Computes the maximum bytes of all bodies from the maximum heap of the process (`--max-old-space-size`). */
const bodyBudget = (): number =>
  Math.max(getHeapStatistics().heap_size_limit - HEAP_OF_SERVICE, 0) / HEAP_PER_BYTE

/**
 * Reads a body of at most `limit` bytes into `req.body`. Limits the bytes of all bodies that are arriving or in work, so that many
 * large ones do not exhaust the memory. A body without others is always accepted.
 *
 * Bytes count when they arrive. If the declared length counted, clients that declare a body and send none of it would exclude all
 * others. The reader of express does not report arriving bytes (docs/decisions/dependencies.md).
 */
export function boundBodies(budget = bodyBudget()): (limit: number) => RequestHandler {
  let inFlight = 0
  return (limit) => async (req, res, next) => {
    let reserved = 0
    const refuseWithout = (bytes: number) => {
      if (inFlight > reserved && inFlight + bytes > budget) throw outOfMemory()
    }
    const reserve = (bytes: number) => {
      if (res.destroyed) throw brokenOff()
      refuseWithout(bytes)
      inFlight += bytes
      reserved += bytes
    }
    const release = () => {
      inFlight -= reserved
      reserved = 0
    }
    res.once('close', release)
    try {
      refuseEncoded(req)
      refuseOtherTypes(req)
      const declared = Number(req.headers['content-length'] ?? 0)
      if (declared > limit) throw tooLarge(limit)
      refuseWithout(declared)
      if (hasBody(req)) req.body = parseBody(await readBytes(req, limit, reserve))
    } catch (error) {
      release()
      req.resume() // drops the rest of the body: closing the connection now could reach the client before the answer
      throw error
    }
    next()
  }
}

const hasBody = ({ headers }: Request): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Rejects bodies of another type, because a foreign page may send these without a preflight request (CORS). */
function refuseOtherTypes(req: Request): void {
  if (req.headers['content-length'] !== '0' && req.is(['json', '+json']) === false) {
    throw new TurngraphError('invalid_request', 'The body is not declared as JSON.', {
      hint: 'Send the header "Content-Type: application/json".',
      details: { problems: [{ path: 'content-type', message: 'must be application/json' }] },
    })
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(req.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw unreadable(
      'The charset of the body is not UTF-8.',
      'Send content-type: application/json, in UTF-8.',
    )
  }
}

function readBytes(req: Request, limit: number, reserve: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = (error: unknown) => {
      chunks.length = 0
      req.off('data', take)
      reject(error)
    }
    const take = (chunk: Buffer) => {
      size += chunk.length
      try {
        if (size > limit) throw tooLarge(limit)
        reserve(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        stop(error)
      }
    }
    req.once('error', () => stop(brokenOff()))
    req.on('data', take).once('end', () => resolve(Buffer.concat(chunks)))
  })
}

/** Rejects bytes that are not UTF-8: a decoder would replace them, and the service would store other text. */
function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  const hint = 'Send one JSON object, in UTF-8.'
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable('The body is not UTF-8.', hint)
  }
  try {
    return parseOrderedJson(text)
  } catch (cause) {
    throw unreadable('The body is not JSON.', hint, cause instanceof Error ? cause.message : undefined)
  }
}

const unreadable = (message: string, hint: string, problem = message): TurngraphError =>
  new TurngraphError('invalid_request', message, {
    hint,
    details: { problems: [{ path: '', message: problem }] },
  })

const brokenOff = (): TurngraphError => unreadable('The request broke off.', 'Send it again.')

const tooLarge = (limit: number): TurngraphError =>
  new TurngraphError('too_large', `The request is larger than ${limit / 1024 / 1024} MiB.`, {
    hint: 'Send less at once; long texts are worth at most 64 KiB each.',
  })

const outOfMemory = (): TurngraphError =>
  new TurngraphError('store_unavailable', 'The service is out of memory for more requests.', {
    hint: 'Retry after the time in Retry-After, and send fewer large requests at once.',
  })
