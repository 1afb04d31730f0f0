// Parses a text that may be no JSON.

/** Undefined where it is none, which no schema takes: who asks says what was expected. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
