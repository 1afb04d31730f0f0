// Reads the parts of the OpenAPI document that its view shows. Pure.

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema | boolean
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

export type Parameter = {
  $ref?: string
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

type Content = { content?: Readonly<Record<string, { schema?: Schema }>> }

export type Call = {
  operationId: string
  summary: string
  tags: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Readonly<Record<string, Content & { $ref?: string; description?: string }>>
  'x-scope'?: string
}

export type OpenApi = {
  info: { title: string; version: string; description: string }
  paths: Readonly<Record<string, Readonly<Record<string, Call>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    parameters: Readonly<Record<string, Parameter>>
    responses: Readonly<Record<string, { description: string }>>
  }
}

export type PlacedCall = Call & { method: string; path: string; parameters: readonly Parameter[] }

/** All calls in the order of the document, with their shared parameters in place. */
export const callsIn = ({ paths, components }: OpenApi): PlacedCall[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({
      ...call,
      method: method.toUpperCase(),
      path,
      parameters: (call.parameters ?? []).flatMap((parameter) =>
        parameter.$ref === undefined ? parameter : (components.parameters[nameIn(parameter.$ref)] ?? []),
      ),
    })),
  )

export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

export const resolve = (schema: Schema, { components }: OpenApi): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[nameIn(schema.$ref)] ?? {})

/** What a value may be, in words. */
export function describeType(schema: Schema): string {
  const { $ref, anyOf, oneOf, enum: values, const: only, items, additionalProperties, type } = schema
  if ($ref !== undefined) return nameIn($ref)
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return choices.map(describeType).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ')
  if (items !== undefined) return `list of ${describeType(items)}`
  if (typeof additionalProperties === 'object') return `map of ${describeType(additionalProperties)}`
  return `${[type ?? 'anything'].flat().join(' or ')}${describeLimits(schema)}`
}

const LIMITS = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'default'] as const

function describeLimits(schema: Schema): string {
  const limits = LIMITS.filter(
    (limit) => schema[limit] !== undefined && Math.abs(Number(schema[limit])) !== Number.MAX_SAFE_INTEGER,
  )
  return limits.length === 0
    ? ''
    : ` (${limits.map((limit) => `${limit} ${String(schema[limit])}`).join(', ')})`
}

const EXAMPLES: Readonly<Record<string, string>> = {
  feature_id: 'FEAT-1',
  task_id: 'TASK-1',
  world_slug: 'TASK-1',
  project: 'default',
  player_summary: 'Built the parser',
  query: 'MATCH (w:World) RETURN count(w) AS sessions',
}

/** A value that the schema takes: of an object what it requires, and nothing else. */
export function exampleFor(schema: Schema, document: OpenApi, name = ''): unknown {
  const resolved = resolve(schema, document)
  if (resolved.default !== undefined) return resolved.default
  if (EXAMPLES[name] !== undefined) return EXAMPLES[name]
  if (resolved.const !== undefined) return resolved.const
  if (resolved.enum !== undefined) return resolved.enum[0]
  const choice = (resolved.anyOf ?? resolved.oneOf)?.[0]
  if (choice !== undefined) return exampleFor(choice, document, name)
  if (resolved.properties !== undefined) {
    const { properties, required = [] } = resolved
    return Object.fromEntries(
      required.map((field) => [field, exampleFor(properties[field] ?? {}, document, field)]),
    )
  }
  if (resolved.items !== undefined) return []
  const [type] = [resolved.type].flat()
  if (type === 'integer' || type === 'number') return Math.max(1, resolved.minimum ?? 1)
  if (type === 'boolean') return false
  return type === 'object' ? {} : 'text'
}

/** The address of a call with what fills its path and its query. */
export function buildAddress(
  { path, parameters }: PlacedCall,
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = values[name]
    if (place === 'query' && value !== undefined && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? filled : `${filled}?${text}`
}
