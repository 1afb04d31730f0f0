// Parses a text that may be no JSON.
import { parseOrderedJson } from './ordered-json.ts'

/** Undefined, which no JSON means, where the text is not JSON: the caller says what was expected. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses JSON and keeps the order of its keys: see {@link parseOrderedJson}. */
export function parseJsonInOrder(text: string): unknown {
  try {
    return parseOrderedJson(text)
  } catch {
    return undefined
  }
}
