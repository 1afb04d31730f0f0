// Collects the JSON schemas of an OpenAPI document as components.
import * as z from 'zod'
import { errorBody, wireSchema } from '../core/wire-form.ts'
import { operations, SHARED_SCHEMAS } from '../operations/table.ts'

export type Json = { [key: string]: unknown }

const SHARED: readonly (readonly [string, z.ZodType])[] = [
  ['Error', errorBody],
  ...Object.entries(SHARED_SCHEMAS),
]

const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** Collects the JSON Schemas of a document under `#/components/schemas`. */
export class SchemaComponents {
  readonly schemas: Record<string, Json> = {}
  readonly #names = new Map<z.ZodType, string>()

  constructor() {
    for (const [name, schema] of SHARED) this.#name(schema, name)
    for (const [name, { input, output }] of Object.entries(operations)) {
      this.#name(input, `${pascalCase(name)}Request`)
      this.#name(output, `${pascalCase(name)}Answer`)
    }
  }

  /** A `$ref` to the schema's wire form, which stands in the components from now on. */
  refTo(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, $defs, ...rest } = this.#generate(schema, io)
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
      this.#add(componentName(name), definition)
    }
    return relocateRefs(rest)
  }

  /** A `$ref` to an input as the body of a request: what stands in the path does not stand in it too. */
  refToBody(input: z.ZodType, isInPath: (name: string) => boolean): Json {
    const ref = this.refTo(input, 'input')
    const schema = this.schemas[String(ref.$ref).split('/').at(-1) ?? '']
    if (schema === undefined) throw new Error('the input of an operation has no name')
    const properties = Object.entries((schema.properties ?? {}) as Json).filter(([name]) => !isInPath(name))
    schema.properties = Object.fromEntries(properties)
    if (schema.required !== undefined)
      schema.required = (schema.required as string[]).filter((name) => !isInPath(name))
    return ref
  }

  /** An operation's input, field by field, for parameters. */
  listFields(input: z.ZodType): { name: string; schema: Json; required: boolean }[] {
    const definition = this.#generate(input, 'input', { inline: true })
    const required = new Set((definition.required ?? []) as string[])
    return Object.entries((definition.properties ?? {}) as Record<string, Json>).map(([name, schema]) => ({
      name,
      schema: relocateRefs(schema),
      required: required.has(name),
    }))
  }

  #name(schema: z.ZodType, name: string): void {
    const form = wireSchema(schema)
    if (!this.#names.has(form)) this.#names.set(form, name)
  }

  #generate(schema: z.ZodType, io: 'input' | 'output', { inline = false } = {}): Json {
    const root = wireSchema(schema)
    const metadata = {
      get: (asked: z.ZodType) => {
        const id = inline && asked === root ? undefined : this.#names.get(asked)
        const meta = z.globalRegistry.get(asked)
        return id === undefined ? meta : { ...meta, id }
      },
    }
    return z.toJSONSchema(root, {
      io,
      unrepresentable: 'any',
      // zod asks a registry for nothing but `get`; ours answers names beside descriptions.
      metadata: metadata as unknown as z.core.$ZodRegistry<Record<string, unknown>>,
      // Answers may gain fields: a reader that refuses unknown ones would break then.
      override: ({ jsonSchema }) => {
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties
      },
    }) as Json
  }

  #add(name: string, definition: Json): void {
    const { id: _id, ...schema } = relocateRefs(definition)
    const before = this.schemas[name]
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
      throw new Error(`two schemas of the OpenAPI document would be called ${name}`)
    }
    this.schemas[name] = schema
  }
}

/** The only schema that holds itself is that of free JSON; zod numbers each place it stands at. */
const componentName = (name: string): string => (name.startsWith('__schema') ? 'JsonValue' : name)

const relocateRefs = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(
          /^#\/\$defs\/(.+)$/,
          (_all, name: string) => `#/components/schemas/${componentName(name)}`,
        )
      : value,
  )
