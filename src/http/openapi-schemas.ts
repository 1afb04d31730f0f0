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

  /** Returns a `$ref` to the schema's wire form, and adds the schema to the components. */
  refTo(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, $defs, ...rest } = this.#generate(schema, io)
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
      this.#add(componentName(name), definition)
    }
    return relocateRefs(rest)
  }

  /** Returns a `$ref` to an input as the body of a request. Removes the fields of the path from the schema. */
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

  /** Lists the fields of an operation's input as parameters. */
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
      get: (zodType: z.ZodType) => {
        const id = inline && zodType === root ? undefined : this.#names.get(zodType)
        const meta = z.globalRegistry.get(zodType)
        return id === undefined ? meta : { ...meta, id }
      },
    }
    return z.toJSONSchema(root, {
      io,
      unrepresentable: 'any',
      // zod calls only `get` of a registry. This registry also returns names.
      metadata: metadata as unknown as z.core.$ZodRegistry<Record<string, unknown>>,
      // Answers may gain fields in a later version, so readers must accept unknown ones.
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

/** Names a component. Free JSON is the only recursive schema; zod numbers each place where it occurs. */
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
