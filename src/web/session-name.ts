import { removeHidden } from '../rules/foreign-text.ts'

/** Returns the name of a session for people. Its slug has letters outside of ASCII, also hidden ones, percent-encoded. */
export function nameSession(slug: string): string {
  try {
    return removeHidden(decodeURIComponent(slug))
  } catch {
    return slug // the caller chose a slug with a percent sign
  }
}
