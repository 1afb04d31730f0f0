// Derives the snake_case wire form of a schema, parses it, and renders it. Free-form maps pass through untouched.

import * as z from 'zod'
import { ERRORS, type ErrorCode, EVERY_PROBLEM, TurngraphError } from './errors.ts'
import { keepOrder } from './ordered-json.ts'
import { inPlainWords } from './plain-words.ts'
import { scrubText } from './scrub/scrub.ts'

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)

/** Converts the names of the fields of an object, not those below them. */
export const toSnakeCase = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [snakeCase(field), value]))

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S

/** The wire form of a record. An absent field is omitted and never null. */
export type WireForm<T> = T extends readonly (infer Entry)[]
  ? WireForm<Entry>[]
  : T extends object
    ? { [K in keyof T as K extends string ? SnakeCase<K> : K]: WireForm<Exclude<T[K], null | undefined>> }
    : T

/** The type of a parsed value on the wire. Only the keys differ. */
export type OnWire<T> = T extends readonly (infer Entry)[]
  ? OnWire<Entry>[]
  : T extends object
    ? { [K in keyof T as K extends string ? SnakeCase<K> : K]: OnWire<T[K]> }
    : T

const wireForms = new WeakMap<z.ZodType, z.ZodType>()

/** Returns the same schema with snake_case keys. Interfaces validate with it; OpenAPI and MCP show it. */
export function wireSchema(schema: z.ZodType): z.ZodType {
  const cached = wireForms.get(schema)
  if (cached !== undefined) return cached
  const form = withMeta(schema, rebuild(schema))
  wireForms.set(schema, form)
  return form
}

function withMeta(from: z.ZodType, to: z.ZodType): z.ZodType {
  const meta = from.meta()
  return meta === undefined || from === to ? to : to.meta(meta)
}

function rebuild(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(
      Object.entries(schema.shape).map(([key, field]) => [snakeCase(key), wireSchema(field as z.ZodType)]),
    )
    const { catchall } = schema.def
    const object = z.object(shape)
    return catchall === undefined ? object : object.catchall(catchall as z.ZodType)
  }
  if (schema instanceof z.ZodArray) {
    const checks = (schema.def.checks ?? []) as z.core.$ZodCheck<unknown[]>[]
    return z
      .array(wireSchema(schema.element as z.ZodType))
      .check(...checks.map((check) => onWire(check, schema)))
  }
  if (schema instanceof z.ZodOptional) return wireSchema(schema.unwrap() as z.ZodType).optional()
  if (schema instanceof z.ZodNullable) return wireSchema(schema.unwrap() as z.ZodType).nullable()
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option) => wireSchema(option as z.ZodType))
    return schema.clone({ ...schema.def, options })
  }
  return schema
}

/** Converts a check of a list: it receives the names of the code, and its problems have the names of the wire. */
function onWire(check: z.core.$ZodCheck<unknown[]>, schema: z.ZodType): z.core.$ZodCheck<unknown[]> {
  if (check._zod.def.check !== 'custom') return check
  return z.check<unknown[]>((payload) => {
    const inCode: z.core.ParsePayload<unknown[]> = {
      value: fromWire(schema, payload.value) as unknown[],
      issues: [],
    }
    check._zod.check(inCode)
    const rename = (part: PropertyKey) => (typeof part === 'string' ? snakeCase(part) : part)
    payload.issues.push(...inCode.issues.map((issue) => ({ ...issue, path: issue.path?.map(rename) })))
  })
}

type Rename = (key: string) => string
type Converter = (value: unknown) => unknown

const same: Rename = (key) => key
const asItIs: Converter = (value) => value

/** Renames the keys that `schema` names, from camelCase to snake_case. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  return converterTo(schema)(value)
}

/** Renames the keys that `schema` names, from snake_case to camelCase. */
function fromWire(schema: z.ZodType, value: unknown): unknown {
  return converterFrom(schema)(value)
}

const converterTo = memoize((schema) => makeConverter(schema, same, snakeCase) ?? asItIs)
const converterFrom = memoize((schema) => makeConverter(schema, snakeCase, same) ?? asItIs)

/** Walks a schema once, not for every value. */
function memoize(make: (schema: z.ZodType) => Converter): (schema: z.ZodType) => Converter {
  const known = new WeakMap<z.ZodType, Converter>()
  return (schema) => {
    const found = known.get(schema)
    if (found !== undefined) return found
    const made = make(schema)
    known.set(schema, made)
    return made
  }
}

/** Makes a converter; null if the schema has no names to change. */
function makeConverter(schema: z.ZodType, from: Rename, to: Rename): Converter | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return makeConverter(schema.unwrap() as z.ZodType, from, to)
  }
  if (schema instanceof z.ZodArray) {
    const item = makeConverter(schema.element as z.ZodType, from, to)
    return item === null ? null : (value) => (Array.isArray(value) ? value.map(item) : value)
  }
  if (!(schema instanceof z.ZodObject)) return null
  const fields = Object.entries(schema.shape).map(([key, field]) => ({
    from: from(key),
    to: to(key),
    convert: makeConverter(field as z.ZodType, from, to),
  }))
  return (value) => {
    if (value === null || typeof value !== 'object') return value
    const source = value as Record<string, unknown>
    const result: Record<string, unknown> = {}
    for (const { from, to, convert } of fields) {
      const given = source[from]
      if (given !== undefined) result[to] = convert === null ? given : convert(given)
    }
    return result
  }
}

/** @throws `invalid_request` with every problem, its path and its remedy */
export function parseWire<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = parseBy(wireSchema(schema), value, what)
  return fromWire(schema, parsed) as z.output<S>
}

/** Parses a value that is already in camelCase, with the same errors as {@link parseWire}. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
  unknownKey?: string,
): z.output<S> {
  return parseBy(schema, value, what, unknownKey) as z.output<S>
}

function parseBy(schema: z.ZodType, value: unknown, what: string, unknownKey?: string): unknown {
  const { result, reserved } = checkAgainst(schema, value)
  if (result.success && reserved.length === 0) return keepOrder(value, result.data)
  throw invalidRequest(what, [
    ...(result.error?.issues ?? []).flatMap((issue) =>
      describeProblems(issue, [], unknownKey ?? unknownField(schema)),
    ),
    ...reserved,
  ])
}

function checkAgainst(schema: z.ZodType, value: unknown) {
  try {
    return {
      result: schema.safeParse(value, { reportInput: true, error: inPlainWords }),
      reserved: reservedKeys(value, []),
    }
  } catch (error) {
    // The schema of free JSON runs out of stack on 1 MiB of `[`, before anything is stored.
    if (!(error instanceof RangeError)) throw error
    throw new TurngraphError('invalid_request', 'The record is nested too deeply.', {
      hint: 'Flatten it, or store it elsewhere and name the place.',
      cause: error,
    })
  }
}

/** Objects cannot hold this key like others, and zod drops it silently. It is rejected at any depth. */
const RESERVED_KEY = '__proto__'

function reservedKeys(value: unknown, above: PropertyKey[]): Problem[] {
  if (!holdsReservedKey(value)) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object)
  return entries.flatMap(([key, item]) =>
    key === RESERVED_KEY
      ? [{ path: pathText([...above, key]), message: 'is a reserved name; call it something else' }]
      : reservedKeys(item, [...above, key]),
  )
}

function holdsReservedKey(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  if (Array.isArray(value)) return value.some(holdsReservedKey)
  return Object.hasOwn(value, RESERVED_KEY) || Object.values(value).some(holdsReservedKey)
}

function invalidRequest(what: string, found: Problem[]): TurngraphError {
  const problems = [
    ...new Map(found.toReversed().map((problem) => [problem.path, problem])).values(),
  ].reverse()
  const shown = problems
    .slice(0, 5)
    .map((p) => (p.path === '' ? p.message : `${scrubText(p.path)}: ${p.message}`))
  const more = problems.length > shown.length ? ` (and ${problems.length - shown.length} more)` : ''
  return new TurngraphError('invalid_request', `${what}: ${shown.join('; ')}${more}`, {
    hint: EVERY_PROBLEM,
    details: { problems: problems.slice(0, MAX_PROBLEMS) },
  })
}

/** Returns the message for an unknown field. Only a turn record has a place (`extra`) for unknown fields. */
const unknownField = (schema: z.ZodType): string =>
  hasExtra(schema)
    ? 'is not a known field; keep what has no field of its own in `extra`'
    : 'is not a known field'

function hasExtra(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return hasExtra(schema.unwrap() as z.ZodType)
  if (!(schema instanceof z.ZodObject)) return false
  return 'extra' in schema.shape || ('turn' in schema.shape && hasExtra(schema.shape.turn as z.ZodType))
}

const MAX_PROBLEMS = 200

type Problem = { path: string; message: string }

function describeProblems(issue: z.core.$ZodIssue, above: PropertyKey[], unknownKey: string): Problem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathText([...path, key]),
      message: unknownKey,
    }))
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.flatMap((inner) => describeProblems(inner, path, unknownKey))
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  return [{ path: pathText(path), message: missing ? 'is missing' : issue.message }]
}

const pathText = (path: PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')

/** The body of every error (contract: turns.md, "Errors"). The client reads it; OpenAPI shows it. */
export const errorBody = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    hint: z.string().nullable().describe('what to do about it'),
    details: z.unknown().describe('by code; invalid_request: {problems: [{path, message}]}'),
    request_id: z.string().nullable().describe('names the request in the log'),
  }),
})
