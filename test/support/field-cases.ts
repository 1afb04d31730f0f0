import * as z from 'zod'
import { snakeCase, toWire, wireSchema } from '../../src/core/wire-form.ts'
import { fieldRulesOf, scopesOf } from '../../src/operations/access.ts'
import {
  type FieldRule,
  type FieldRules,
  isPartRules,
  isValueRule,
} from '../../src/operations/field-rules.ts'
import { onlyReads, type Scope } from '../../src/operations/operation.ts'
import { type OperationName, operationNames, operations } from '../../src/operations/table.ts'

/** Input that sets one field of a write, generated from the schema of the operation, and the scopes that may send it. */
export type FieldCase = {
  operation: OperationName
  /** Path of the field on the wire. */
  field: string
  /** Input in the wire form. */
  wire: Record<string, unknown>
  /** Scopes that may call the operation. */
  callers: readonly Scope[]
  /** Scopes that may set the field. */
  setters: readonly Scope[]
}

type Json = { [key: string]: unknown }

/** Values of fields whose JSON schema does not show what they take. */
const WORDS: Record<string, unknown> = {
  playerDecision: 'implemented',
  coachDecision: 'approve',
  severity: 'blocking',
  entityType: 'turn_state',
  withContinuation: false,
  observation: { command: ['true'], exitCode: 0, startedAt: '2026-01-31T12:00:00Z' },
}

/** Builds a value that fits a JSON schema: only what is required, and one entry of each list and map. */
function sample(schema: Json, field = ''): unknown {
  if (field in WORDS) return WORDS[field]
  const [choice] = ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).filter(({ type }) => type !== 'null')
  if (choice !== undefined) return sample(choice, field)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.format === 'date-time') return '2026-01-31T12:00:00Z'
  if (schema.format === 'uuid' || field.endsWith('Id')) return '6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10'
  const [type] = [schema.type].flat().filter((each) => each !== 'null')
  if (type === 'string') return 'x'
  if (type === 'number' || type === 'integer') return Math.max(1, Number(schema.minimum ?? 1))
  if (type === 'boolean') return true
  if (type === 'array') return [sample((schema.items ?? {}) as Json)]
  if (type === 'object' && schema.properties === undefined)
    return { x: sample((schema.additionalProperties ?? {}) as Json) }
  return type === 'object' ? sampleObject(schema) : { x: 1 }
}

/** Builds an input of an operation with only its required fields. */
export const sampleInput = (operation: OperationName): Json =>
  sampleObject(schemaOf(operations[operation].input))

function sampleObject({ properties, required }: Json): Json {
  const names = (required ?? []) as string[]
  const fields = properties as Record<string, Json>
  return Object.fromEntries(names.map((name) => [name, sample(fields[name] ?? {}, name)]))
}

const schemaOf = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json

/** Lists a case for every field of every write, and for every value that a rule distinguishes. */
export const listFieldCases = (): FieldCase[] =>
  operationNames
    .filter((operation) => !onlyReads(operations[operation].scope))
    .flatMap((operation) => casesOf(operation))

function casesOf(operation: OperationName): FieldCase[] {
  const schema = schemaOf(operations[operation].input)
  const rules = fieldRulesOf(operation)
  const callers = scopesOf(operation)
  const toCase = ({ field, input, setters }: Part): FieldCase => ({
    operation,
    field,
    wire: toWire(operations[operation].input, input) as Record<string, unknown>,
    callers,
    setters: setters === null ? callers : [...setters, 'write'],
  })
  return partsOf(schema, rules, '').map(toCase)
}

type Part = { field: string; input: Json; setters: readonly Scope[] | null }

/** @throws if a field of a schema with rules has no rule */
function partsOf(schema: Json, rules: FieldRules | null, above: string): Part[] {
  const properties = (schema.properties ?? {}) as Record<string, Json>
  const base = sampleObject(schema)
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${snakeCase(name)}`
    if (rules === null)
      return [{ field: path, input: { ...base, [name]: sample(field, name) }, setters: null }]
    const rule = rules[name]
    if (rule === undefined) throw new Error(`${path} has no rule in field-rules.ts`)
    return partsWithRule(name, field, rule, path).map((part) => ({
      ...part,
      input: { ...base, ...part.input },
    }))
  })
}

function partsWithRule(name: string, field: Json, rule: FieldRule, path: string): Part[] {
  if (isPartRules(rule)) {
    const items = itemsIn(field)
    return partsOf(items, rule.each, `${path}[0].`).map((part) => ({
      ...part,
      // The source decides about a verification as a whole, so the other fields are tried with that of a Player.
      input: { [name]: [{ source: 'player', ...part.input }] },
    }))
  }
  if (!isValueRule(rule)) return [{ field: path, input: { [name]: sample(field, name) }, setters: rule }]
  const known = Object.entries(rule.values).map(([value, setters]) => ({
    field: path,
    input: { [name]: value === 'false' ? false : value },
    setters,
  }))
  const others = valuesIn(field).filter((value) => !(String(value) in rule.values))
  return [
    ...known,
    ...others.map((value) => ({ field: path, input: { [name]: value }, setters: rule.others })),
  ]
}

function itemsIn(field: Json): Json {
  const [choice] = ((field.anyOf ?? []) as Json[]).filter(({ type }) => type !== 'null')
  return (choice?.items ?? field.items ?? field) as Json
}

function valuesIn(field: Json): unknown[] {
  const [choice] = ((field.anyOf ?? []) as Json[]).filter(({ type }) => type !== 'null')
  const schema = choice ?? field
  return schema.type === 'boolean' ? [true, false] : ((schema.enum ?? []) as unknown[])
}

/** Checks that the generated input of a case fits the schema, so that a refusal comes from its scope. */
export const fitsSchema = ({ operation, wire }: FieldCase): boolean =>
  wireSchema(operations[operation].input).safeParse(wire).success
