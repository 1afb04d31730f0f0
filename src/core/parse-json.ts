// Parses a text that may be no JSON.

/** Undefined, which no JSON means, where the text is not JSON: the caller says what was expected. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
