/**
 * Keeps the order of JSON texts. A JavaScript object moves whole-number keys to its front. An object with
 * such keys is read as a proxy that lists its keys in the order of the text.
 */

/** Checks whether an object would move the key: a whole number below 2^32 - 1, as JavaScript writes it. */
const isMoved = (key: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1

const ordered = new WeakSet<object>()

export function orderedObject<V>(entries: readonly (readonly [string, V])[]): Record<string, V> {
  const object: Record<string, V> = Object.fromEntries(entries)
  if (!entries.some(([key]) => isMoved(key))) return object
  const keys = new Set(entries.map(([key]) => key))
  const inOrder = new Proxy(object, {
    ownKeys: (target) => [
      ...[...keys].filter((key) => Object.hasOwn(target, key)),
      ...Reflect.ownKeys(target).filter((key) => typeof key === 'symbol' || !keys.has(key)),
    ],
  })
  ordered.add(inOrder)
  return inOrder
}

/** Marks a key that an object would move. JSON texts hold it escaped only. */
const MARK = '\u0000'
const KEY_OR_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g
const MAY_HOLD_NUMBER_KEY = /"(?:\d|\\u003)[^"]*"\s*:/

/** @throws SyntaxError if the text is not JSON */
export function parseOrderedJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  if (!MAY_HOLD_NUMBER_KEY.test(text)) return parsed
  let hasMoved = false
  const marked = text.replace(KEY_OR_TEXT, (token, colon: string | undefined) => {
    if (colon === undefined) return token
    const key = String(JSON.parse(token.slice(0, -colon.length)))
    if (!isMoved(key)) return token
    hasMoved = true
    return `"\\u0000${key}"${colon}`
  })
  if (!hasMoved) return parsed
  return JSON.parse(marked, (_, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
    const entries = Object.entries(value)
    if (!entries.some(([key]) => key.startsWith(MARK))) return value
    return orderedObject(
      entries.map(([key, each]) => [
        key.startsWith(MARK) && isMoved(key.slice(1)) ? key.slice(1) : key,
        each,
      ]),
    )
  })
}

/** Restores the key order of the given value in the maps of a parsed value. */
export function keepOrder<T>(given: unknown, parsed: T): T {
  if (given === null || typeof given !== 'object' || parsed === null || typeof parsed !== 'object')
    return parsed
  const inOrder = Object.entries(given).flatMap(([name, value]) => {
    const field: unknown = Object.hasOwn(parsed, name) ? (parsed as Record<string, unknown>)[name] : null
    if (value === null || typeof value !== 'object' || !ordered.has(value)) return []
    if (field === null || typeof field !== 'object' || ordered.has(field)) return []
    const entries = Object.keys(value).flatMap((key) =>
      Object.hasOwn(field, key) ? [[key, (field as Record<string, unknown>)[key]] as const] : [],
    )
    return [[name, orderedObject(entries)] as const]
  })
  return inOrder.length === 0 ? parsed : { ...parsed, ...Object.fromEntries(inOrder) }
}
