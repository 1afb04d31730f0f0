/** Returns the name of a session for a person. Its slug has the letters outside of ASCII percent-encoded. */
export function nameSession(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug // a caller chose a slug with a percent sign of its own
  }
}
