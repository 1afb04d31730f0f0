// Derives the input schema that a token may use from the rules of fields, for the tools that MCP offers to it.
import * as z from 'zod'
import { fieldRulesOf, readsOnlyAsPlayer } from './access.ts'
import { type FieldRules, isPartRules, isValueRule, mayWrite, type ValueRule } from './field-rules.ts'
import type { Scope } from './operation.ts'
import type { OperationName } from './table.ts'

/** Returns the input without the fields that these scopes may not set. For display: a call is parsed with the whole schema. */
export function restrictInput(
  operation: OperationName,
  input: z.ZodObject,
  scopes: ReadonlySet<Scope>,
): z.ZodObject {
  const rules = fieldRulesOf(operation)
  const ofRole = readsOnlyAsPlayer(operation, scopes) ? input.omit({ role: true }) : input
  return rules === null ? ofRole : restrictObject(ofRole, rules, scopes)
}

function restrictObject(object: z.ZodObject, rules: FieldRules, scopes: ReadonlySet<Scope>): z.ZodObject {
  const fields = Object.entries(object.shape).flatMap(([name, schema]) => {
    const restricted = restrictField(schema as z.ZodType, rules[name], scopes)
    return restricted === null ? [] : [[name, restricted] as const]
  })
  return z.strictObject(Object.fromEntries(fields))
}

function restrictField(
  schema: z.ZodType,
  rule: FieldRules[string] | undefined,
  scopes: ReadonlySet<Scope>,
): z.ZodType | null {
  if (rule === undefined) return schema
  if (isPartRules(rule)) return restrictParts(schema, rule.each, scopes)
  if (isValueRule(rule)) return restrictValue(schema, rule, scopes)
  return mayWrite(scopes, rule) ? schema : null
}

function restrictParts(schema: z.ZodType, rules: FieldRules, scopes: ReadonlySet<Scope>): z.ZodType {
  if (schema instanceof z.ZodOptional)
    return restrictParts(schema.unwrap() as z.ZodType, rules, scopes).optional()
  if (schema instanceof z.ZodNullable)
    return restrictParts(schema.unwrap() as z.ZodType, rules, scopes).nullable()
  if (schema instanceof z.ZodArray)
    return z
      .array(restrictParts(schema.element as z.ZodType, rules, scopes))
      .describe(schema.description ?? '')
  return schema instanceof z.ZodObject ? restrictObject(schema, rules, scopes) : schema
}

function restrictValue(
  schema: z.ZodType,
  { values, others, absent }: ValueRule,
  scopes: ReadonlySet<Scope>,
): z.ZodType | null {
  if (mayWrite(scopes, others)) return schema
  const permitted = Object.keys(values).filter((value) => mayWrite(scopes, values[value] ?? others))
  if (permitted.every((value) => value === absent)) return null
  const choice = z.enum(permitted).describe(schema.description ?? '')
  return permitted.includes(absent) ? choice.optional() : choice
}
