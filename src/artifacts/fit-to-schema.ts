/** Fits a parsed file to its schema field by field. A value of another type loses its field, never the file. */

import type * as z from 'zod'
import { keepOrder } from '../core/ordered-json.ts'

export type Misfit = { path: string; message: string }

export type Fitted<T> = { value: T; misfits: Misfit[] }

/** Maximum number of passes. An omitted field may make its entry unusable, and the entry its list; no schema nests deeper. */
const MAX_ROUNDS = 8

/**
 * Fits a value to a schema. Reads a field of another type as the schema's type if nothing is lost, and leaves it out otherwise. A
 * required field that is left out takes its entry with it. Returns null if the value itself has the wrong type.
 */
export function fitToSchema<T>(schema: z.ZodType<T>, given: unknown): Fitted<T> | null {
  const value: unknown = JSON.parse(JSON.stringify(given))
  const misfits = new Map<string, Misfit>()
  const leftOut = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = schema.safeParse(value)
    if (parsed.success) return { value: keepOrder(given, parsed.data), misfits: [...misfits.values()] }
    const holes: Place[] = []
    for (const { path, kinds } of parsed.error.issues.flatMap((issue) => listProblems(issue, []))) {
      const place = findPlace(value, path, leftOut)
      if (place === null) return null
      const { container, key, pathText } = place
      const found = container[key]
      const read = leftOut.has(pathText) ? undefined : readAs(kinds, found)
      const isRead = read !== undefined
      misfits.set(pathText, { path: pathText, message: explain(found, kinds, isRead) })
      if (isRead) container[key] = read
      else {
        leftOut.add(pathText)
        holes.push(place)
      }
    }
    removeAll(holes)
  }
  return null
}

/**
 * Leaves out the values that a check rejected. If a required field was left out before, leaves out its parent.
 * @returns the path text of each omitted value, in the order of `paths`; null if no value could be left out
 */
export function leaveOut(value: unknown, paths: readonly string[], leftOut: Set<string>): (string | null)[] {
  const places = paths.map((text) => {
    const path = (text.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    return findPlace(value, path, leftOut)
  })
  const found = [
    ...new Map(places.flatMap((place) => (place === null ? [] : [[place.pathText, place]]))).values(),
  ]
  for (const { pathText } of found) leftOut.add(pathText)
  removeAll(found)
  return places.map((place) => place?.pathText ?? null)
}

type Kind = string
type Problem = { path: PropertyKey[]; kinds: Kind[] }
type Container = Record<PropertyKey, unknown>
type Place = { container: Container; key: PropertyKey; pathText: string }

/** Selects the form of a field whose outermost type fits. Its problems lie deeper. */
function listProblems(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Problem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_type') return [{ path, kinds: [issue.expected] }]
  if (issue.code !== 'invalid_union') return [{ path, kinds: [] }]
  const isOutermost = (inner: z.core.$ZodIssue) => inner.path.length === 0 && inner.code !== 'invalid_union'
  const deeper = issue.errors.find((inner) => inner.length > 0 && !inner.some(isOutermost))
  if (deeper !== undefined) return deeper.flatMap((inner) => listProblems(inner, path))
  const kinds = issue.errors
    .flat()
    .flatMap((inner) => (inner.code === 'invalid_type' ? [inner.expected] : []))
  return [{ path, kinds }]
}

/** Finds the innermost value that can be left out. For a field that is absent or was left out, this is its parent. */
function findPlace(value: unknown, path: readonly PropertyKey[], leftOut: ReadonlySet<string>): Place | null {
  const steps = [value]
  for (const key of path) steps.push((steps.at(-1) as Container | undefined)?.[key])
  for (let length = path.length; length > 0; length--) {
    const [container, key] = [steps[length - 1] as Container, path[length - 1] ?? '']
    const pathText = toPathText(path.slice(0, length))
    if (
      container !== undefined &&
      container !== null &&
      steps[length] !== undefined &&
      !leftOut.has(pathText)
    )
      return { container, key, pathText }
  }
  return null
}

const toPathText = (path: readonly PropertyKey[]): string =>
  path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('')

/** Entries of a list are removed from its end, so that no index moves. */
const byIndexDescending = (a: Place, b: Place): number => (Number(b.key) || 0) - (Number(a.key) || 0)

function removeAll(places: readonly Place[]): void {
  for (const { container, key } of [...places].sort(byIndexDescending)) remove(container, key)
}

function remove(container: Container, key: PropertyKey): void {
  if (Array.isArray(container)) container.splice(Number(key), 1)
  else delete container[key]
}

const NUMBER = /^\s*[+-]?\d{1,15}(?:\.\d{1,15})?\s*%?\s*$/

function readAs(kinds: readonly Kind[], found: unknown): unknown {
  if (found === null || found === undefined) return undefined
  if (kinds.includes('string')) return toText(found)
  if (kinds.includes('number') && typeof found === 'string' && NUMBER.test(found))
    return Number(found.replace('%', ''))
  if (kinds.includes('boolean') && (found === 'true' || found === 'false')) return found === 'true'
  if (kinds.includes('array') && typeOf(found) === 'an object') return [found]
  return undefined
}

const toText = (found: unknown): string =>
  Array.isArray(found)
    ? found.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))).join('\n')
    : typeof found === 'object'
      ? JSON.stringify(found)
      : String(found)

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function typeOf(found: unknown): string {
  if (found === null) return 'null'
  if (Array.isArray(found)) return 'a list'
  return NOUNS[typeof found] ?? 'nothing'
}

function explain(found: unknown, kinds: readonly Kind[], isRead: boolean): string {
  const expected = kinds.length === 0 ? 'what belongs here' : (NOUNS[kinds[0] ?? ''] ?? kinds[0])
  const isWhole = kinds.length > 0 && kinds.some((kind) => NOUNS[kind] === typeOf(found))
  if (isWhole) return 'lacks a field that it needs; it is left out'
  return `is ${typeOf(found)}, not ${expected}; it is ${isRead ? `read as ${expected}` : 'left out'}`
}
