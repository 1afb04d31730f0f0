import * as z from 'zod'

/** Columns and properties as statements return them: what is absent in the graph is null, a list is empty. */

export const optionalText = z.string().nullable().default(null)

export const optionalNumber = z.number().nullable().default(null)

export const textList = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])
