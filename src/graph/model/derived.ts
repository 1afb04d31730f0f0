/** Derives, from the declaration of a node, the fields that callers receive and the decoding of its rows. */
import * as z from 'zod'
import { textList } from '../../rules/values.ts'
import { describeKind } from './properties.ts'

type Plain<T> = T extends z.ZodEnum | z.ZodArray | z.ZodBoolean | z.ZodNumber ? T : z.ZodString

type RecordShape<S> = {
  [K in keyof S]: S[K] extends z.ZodOptional<infer U> ? z.ZodNullable<Plain<U>> : Plain<S[K]>
}

/** Returns the fields of a record. Every field is present, and null if the node lacks the property. */
export const recordShape = <const S extends z.ZodRawShape>(shape: S): RecordShape<S> =>
  eachProperty(shape, (property) => {
    const { optional } = describeKind(property)
    return optional ? plain((property as z.ZodOptional<z.ZodType>).unwrap()).nullable() : plain(property)
  }) as RecordShape<S>

/** Drops details that apply only to the stored form: the documents show the record as it is sent. */
function plain(property: z.ZodType): z.ZodType {
  if (property instanceof z.ZodEnum) return z.enum(property.def.entries)
  if (property instanceof z.ZodNumber) return z.number()
  if (property instanceof z.ZodBoolean) return z.boolean()
  return property instanceof z.ZodArray ? z.array(z.string()) : z.string()
}

type RowShape<S> = {
  [K in keyof S]: z.ZodType<S[K] extends z.ZodOptional<infer U> ? z.output<U> | null : z.output<S[K]>>
}

/** Returns the columns of a row with properties of the node. An absent value becomes null, an absent list is empty. */
export const rowShape = <const S extends z.ZodRawShape>(shape: S): RowShape<S> =>
  eachProperty(shape, (property) => {
    if (property instanceof z.ZodArray) return textList
    if (!(property instanceof z.ZodOptional)) return property
    return (property.unwrap() as z.ZodType).nullable().default(null)
  }) as RowShape<S>

const eachProperty = (shape: z.ZodRawShape, derive: (property: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(shape).map(([name, property]) => [name, derive(property as z.ZodType)]))
