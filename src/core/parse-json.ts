// Parses texts that may not be JSON.
import { parseOrderedJson } from './ordered-json.ts'

/** Parses JSON. Returns undefined, which is not a JSON value, if the text is not JSON. The caller reports the error. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g

/** Lists the keys that an object in a JSON text repeats, as written. A parser keeps only the last value. */
export function listRepeatedKeys(text: string): string[] {
  const [repeated, open] = [new Set<string>(), [] as Set<string>[]]
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon !== undefined) {
      const key = token.slice(1, -colon.length - 1)
      const keys = open.at(-1)
      if (keys?.has(key)) repeated.add(key)
      keys?.add(key)
    }
  }
  return [...repeated]
}

/** Parses JSON and keeps the order of its keys: see {@link parseOrderedJson}. */
export function parseJsonInOrder(text: string): unknown {
  try {
    return parseOrderedJson(text)
  } catch {
    return undefined
  }
}
