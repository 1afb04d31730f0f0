import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type * as z from 'zod'

/** Where a page begins, as text. Its keys repeat one another, and an address has little room: it is compressed. */

const MOST_BYTES = 64 * 1024

export const cursorOf = (position: object | null): string | null =>
  position === null ? null : deflateRawSync(JSON.stringify(position)).toString('base64url')

/** Null where it is none of ours. */
export function positionOf<S extends z.ZodType>(schema: S, cursor: string): z.output<S> | null {
  try {
    const json = inflateRawSync(Buffer.from(cursor, 'base64url'), { maxOutputLength: MOST_BYTES })
    const result = schema.safeParse(JSON.parse(json.toString('utf8')))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
