import { isDeepStrictEqual } from 'node:util'

const SHOWN = 12

/** Throws with the differences between two values: of a record with many parts, only these are useful. */
export function same(actual: unknown, expected: unknown, invariant: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  const found = differences(actual, expected)
  const more = found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : []
  throw new Error([`Violated: ${invariant}`, ...found.slice(0, SHOWN), ...more].join('\n  '))
}

export function differences(actual: unknown, expected: unknown, path = 'it'): string[] {
  if (isDeepStrictEqual(actual, expected)) return []
  if (!isContainer(actual) || !isContainer(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    return [`${path} is ${shown(actual)}, expected ${shown(expected)}`]
  }
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)])
  return [...names].flatMap((name) => differences(actual[name], expected[name], `${path}.${name}`))
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 600)
