/** Fits a turn record to the schema of a capture. */
import { listProblems } from '../core/errors.ts'
import { parseWire } from '../core/wire-form.ts'
import { type CaptureRequest, captureRequest } from '../memory/record/record.ts'
import { leaveOut } from './fit-to-schema.ts'
import type { Warn } from './truncate-to-limits.ts'

/** Leaves out unusable values of the wire form with a warning. @throws `invalid_request` if a required value cannot be used */
export function fitRequest(wire: Record<string, unknown>, what: string, warn: Warn): CaptureRequest {
  for (const leftOut = new Set<string>(); ; ) {
    try {
      return parseWire(captureRequest, wire, what)
    } catch (error) {
      const problems = listProblems(error)
      const places = leaveOut(
        wire,
        problems.map(({ path }) => path),
        leftOut,
      )
      for (const [i, place] of places.entries())
        if (place !== null) warn(place, `${problems[i]?.message ?? 'does not fit'}; it is left out`)
      if (places.every((place) => place === null)) throw error
    }
  }
}
