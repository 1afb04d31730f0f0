/** Makes the state of a reader that has read nothing yet. */
import * as z from 'zod'

/** Sets each field to its default. Without a default, it is null if allowed, otherwise an empty list, false or 0. */
export const emptyState = <S extends z.ZodObject>(schema: S): z.output<S> =>
  Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [name, emptyValue(field)]),
  ) as z.output<S>

function emptyValue(field: unknown): unknown {
  if (field instanceof z.ZodDefault) return field.parse(undefined)
  if (field instanceof z.ZodNullable) return null
  if (field instanceof z.ZodArray) return []
  return field instanceof z.ZodBoolean ? false : 0
}
