import * as z from 'zod'

/**
 * What a schema takes, without what it makes of it: LangChain has no JSON Schema for a transform in a map, nor for a
 * preprocessed value. Whoever shows this to a model parses what comes back with the schema itself.
 */
export function withoutTransforms(schema: z.ZodType): z.ZodType {
  const plain = rebuilt(schema)
  const meta = schema.meta()
  return plain === schema || meta === undefined ? plain : plain.meta(meta)
}

function rebuilt(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) {
    const { in: from, out } = schema.def
    // A preprocessed value is taken in many forms, of which the second half is the one that is meant.
    return withoutTransforms((from instanceof z.ZodTransform ? out : from) as z.ZodType)
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([key, field]) => [
      key,
      withoutTransforms(field as z.ZodType),
    ])
    return z.core.clone(schema, { ...schema.def, shape: Object.fromEntries(fields) })
  }
  if (schema instanceof z.ZodArray) {
    return z.core.clone(schema, { ...schema.def, element: withoutTransforms(schema.element as z.ZodType) })
  }
  if (schema instanceof z.ZodRecord) {
    return z.core.clone(schema, {
      ...schema.def,
      valueType: withoutTransforms(schema.valueType as z.ZodType),
    })
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option) => withoutTransforms(option as z.ZodType))
    return z.core.clone(schema, { ...schema.def, options })
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    const innerType = withoutTransforms(schema.def.innerType as z.ZodType)
    return z.core.clone(schema as z.ZodOptional, { ...(schema as z.ZodOptional).def, innerType })
  }
  return schema
}
