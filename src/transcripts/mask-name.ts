import { sha256 } from '../core/keys.ts'
import { scrubText } from '../core/scrub/scrub.ts'

/** Tools, calls and records as Claude Code names them. */
const USUAL =
  /^(?:[A-Za-z]{1,24}|(?:toolu|msg|req)_[A-Za-z0-9]{20,30}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/

/** Masks secrets in a name or an id of a transcript. Two names that differ still do, and a masked one is left alone. */
export function maskName(name: string): string {
  if (USUAL.test(name)) return name
  const masked = scrubText(name)
  return masked === name ? name : `${masked} ${sha256(name).slice(0, 12)}`
}
