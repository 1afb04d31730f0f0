// Writes JSON Schemas as TypedDicts of Python.
/** The subset of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
}

/** Input accepts any sequence and mapping; output is a list and a dict. */
type Direction = 'input' | 'output'

const SIMPLE: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** Numbers of answers that may have a fraction. All others are counts, numbers of turns or whole milliseconds. */
const MEASURES: ReadonlySet<string> = new Set([
  'arch_score',
  'avg_length',
  'avg_turn_len',
  'confidence',
  'coverage',
  'duration_ms',
  'duration_seconds',
  'factor',
  'long_turn_pct',
  'minutes',
  'seconds',
])

/** Replaces `number` by `integer` in a field, and in the entries of a list or a map. */
function toWhole(schema: Schema): Schema {
  const { type, anyOf, oneOf, items, additionalProperties: values } = schema
  return {
    ...schema,
    ...(type !== undefined && { type: Array.isArray(type) ? type.map(wholeType) : wholeType(type) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(toWhole) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map(toWhole) }),
    ...(items !== undefined && { items: toWhole(items) }),
    ...(typeof values === 'object' && { additionalProperties: toWhole(values) }),
  }
}

const wholeType = (type: string): string => (type === 'number' ? 'integer' : type)

/** Collects TypedDicts for JSON Schemas: equal schemas share one class. */
export class PythonTypes {
  readonly #components: Record<string, Schema>
  /** Texts by name, in the order of their first use. */
  readonly #texts = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor(components: Record<string, Schema>) {
    this.#components = components
  }

  texts(): string[] {
    return [...this.#texts.values()]
  }

  /** Returns the annotation of a schema; a class that it needs is named after `name`. */
  typeOf(schema: Schema, name: string, direction: Direction): string {
    if (schema.$ref !== undefined) return this.#component(schema.$ref.split('/').at(-1) ?? '')
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return union(choices.map((choice) => this.typeOf(choice, name, direction)))
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
    if (Array.isArray(schema.type))
      return union(schema.type.map((type) => this.typeOf({ ...schema, type }, name, direction)))
    if (schema.type === 'array') {
      const entry = this.typeOf(schema.items ?? {}, `${name}Item`, direction)
      return direction === 'input' ? `Sequence[${entry}]` : `list[${entry}]`
    }
    if (schema.properties !== undefined) return this.#object(name, schema, direction)
    if (schema.type === 'object') {
      const given = schema.additionalProperties
      const value = typeof given === 'object' ? this.typeOf(given, `${name}Value`, direction) : 'Any'
      return direction === 'input' ? `Mapping[str, ${value}]` : `dict[str, ${value}]`
    }
    return typeof schema.type === 'string' ? (SIMPLE[schema.type] ?? 'Any') : 'Any'
  }

  /** Adds a class with exactly this name. */
  addObject(name: string, { properties = {}, required = [] }: Schema, direction: Direction): void {
    if (this.#texts.has(name)) throw new Error(`two classes of the Python client would be called ${name}`)
    this.#texts.set(name, '') // reserves its place: the classes it needs come later, and it may contain itself
    const fields = Object.entries(properties).map(([field, schema]) => {
      const isCount = direction === 'output' && !MEASURES.has(field)
      const type = this.typeOf(isCount ? toWhole(schema) : schema, `${name}${pascalCase(field)}`, direction)
      const comment =
        schema.description === undefined ? '' : `    # ${schema.description.replaceAll('\n', ' ')}\n`
      return { field, comment, type: required.includes(field) ? type : `NotRequired[${type}]` }
    })
    this.#texts.set(
      name,
      fields.some(({ field }) => KEYWORDS.has(field)) ? asCall(name, fields) : asClass(name, fields),
    )
  }

  #object(name: string, schema: Schema, direction: Direction): string {
    const { description: _description, ...shape } = schema
    const form = `${direction} ${JSON.stringify(shape)}`
    const known = this.#names.get(form)
    if (known !== undefined) return known
    this.#names.set(form, name)
    this.addObject(name, schema, direction)
    return name
  }

  /** Returns `Any` for free JSON, which contains itself. */
  #component(name: string): string {
    const schema = this.#components[name]
    if (schema === undefined) throw new Error(`${name} is no schema of the OpenAPI document`)
    if (schema.properties === undefined) return 'Any'
    if (!this.#texts.has(name)) this.addObject(name, schema, 'output')
    return name
  }
}

type Field = { field: string; comment: string; type: string }

const asClass = (name: string, fields: readonly Field[]): string => {
  const lines = fields.map(({ field, comment, type }) => `${comment}    ${field}: ${type}`)
  return `class ${name}(TypedDict):\n${lines.length === 0 ? '    pass' : lines.join('\n')}`
}

/** Writes a TypedDict as a call, for fields that are Python keywords, which a class cannot have. */
const asCall = (name: string, fields: readonly Field[]): string => {
  const lines = fields.map(({ field, comment, type }) => `${comment}    "${field}": ${JSON.stringify(type)},`)
  return `${name} = TypedDict("${name}", {\n${lines.join('\n')}\n})`
}

const KEYWORDS: ReadonlySet<string> = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import
  in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
)

const literal = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const pascalCase = (name: string): string =>
  name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
