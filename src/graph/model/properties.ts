/** Declares the kinds of node properties, each with its name in the documentation. */
import * as z from 'zod'
import { canonicalInstant } from '../../core/instants.ts'
import { parseJson } from '../../core/parse-json.ts'

declare module 'zod' {
  interface GlobalMeta {
    /** The kind of a stored property, with its name in the documents. */
    stored?: string
  }
}

const kind = <S extends z.ZodType>(schema: S, stored: string): S => schema.meta({ stored })

export const text = kind(z.string(), 'text')
/** Synthetic: the parts of the scope, percent-encoded and joined by `/` (src/core/keys.ts). */
export const key = kind(z.string().min(1), 'key')
export const whole = kind(z.number().int(), 'whole number')
export const wholes = kind(z.array(z.number().int()), 'list of whole numbers')
export const count = kind(z.number().int().min(0), 'count')
export const counts = kind(z.array(z.number().int().min(0)), 'list of counts')
export const number = kind(z.number(), 'number')
export const flag = kind(z.boolean(), 'true or false')
export const texts = kind(z.array(z.string()), 'list of texts')
/** Epoch milliseconds. The times of a lease are by the database's clock. */
export const epochMs = kind(z.number(), 'epoch milliseconds')

/** Stored as a native datetime. The engines print different numbers of zeros, so the output is made canonical. */
export const instant = kind(
  z.string().transform((given, context) => {
    const canonical = canonicalInstant(given)
    if (canonical !== null) return canonical
    context.addIssue({ code: 'custom', message: 'is no instant' })
    return z.NEVER
  }),
  'datetime',
)

/** JSON as one text, for values that no query looks into. */
export const json = kind(
  z.string().refine((text) => parseJson(text) !== undefined, 'is no JSON'),
  'JSON text',
)

/** A value that is new at each write and has no meaning later: a lock, or the identity of a write. Not exported. */
export const token = kind(z.string(), 'token')

export const oneOf = <const W extends readonly [string, ...string[]]>(words: W) =>
  kind(z.enum(words), words.join(', '))

export const eachOneOf = <const W extends readonly [string, ...string[]]>(words: W) =>
  kind(z.array(z.enum(words)), 'list of texts')

/** Returns the kind of a property, and whether a node may lack it. */
export function describeKind(property: z.ZodType): { kind: string; optional: boolean } {
  const { stored } = withoutOptional(property).meta() ?? {}
  if (stored === undefined) throw new Error('a stored property has no kind')
  return { kind: stored, optional: property instanceof z.ZodOptional }
}

/** A property in the form that documents show. */
export type DescribedProperty = { name: string; type: string; optional: boolean; meaning: string }

/** @throws if a property has no meaning in its declaration */
export const describeProperties = ({ shape }: z.ZodObject): DescribedProperty[] =>
  Object.entries(shape as Record<string, z.ZodType>).map(([name, property]) => {
    const { kind, optional } = describeKind(property)
    const meaning = withoutOptional(property).description
    if (meaning === undefined) throw new Error(`the stored property ${name} has no meaning`)
    return { name, type: kind, optional, meaning }
  })

const withoutOptional = (property: z.ZodType): z.ZodType =>
  property instanceof z.ZodOptional ? (property.unwrap() as z.ZodType) : property

export const isInstant = (property: z.ZodType): boolean => describeKind(property).kind === 'datetime'
