// Parses a text that may be no JSON.

/** Undefined where it is none, which no JSON means: the caller says what was expected. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
