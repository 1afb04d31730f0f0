/** Returns the name of a session for people. In its slug, letters outside of ASCII are percent-encoded. */
export function nameSession(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug // the caller chose a slug with a percent sign
  }
}
