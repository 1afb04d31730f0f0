/** Checks whether nodes and relationships of a graph fit the model. */
import type * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { type Label, nodes, type Stored } from './nodes.ts'
import { relationships } from './relationships.ts'

/** A node as an engine gives it: its labels, and its properties. */
export type NodeRow = { labels: readonly string[]; properties: Readonly<Record<string, unknown>> }
export type RelationshipRow = {
  from: readonly string[]
  type: string
  to: readonly string[]
  properties: Readonly<Record<string, unknown>>
}

/** The label that says most of a node: a failed step is a step too. Null where its labels are none of ours. */
export function findLabel(labels: readonly string[]): Label | null {
  if (labels.length === 2)
    return labels.includes('Step') && labels.includes('FailedStep') ? 'FailedStep' : null
  const [label] = labels
  return label !== undefined && label !== 'FailedStep' && Object.hasOwn(nodes, label)
    ? (label as Label)
    : null
}

/**
 * A node's properties as the table has them, instants in the one form; what is absent stays absent.
 *
 * @throws `internal` where they do not fit, with the node's key and each problem
 * @example storedProperties('Gate', { name: 'tests', status: 'passed', position: 0 })
 */
export function storedProperties<L extends Label>(
  label: L,
  properties: Readonly<Record<string, unknown>>,
): Stored<L> {
  const result = nodes[label].properties.safeParse(withoutNulls(properties))
  if (result.success) return result.data as Stored<L>
  const node = typeof properties.key === 'string' ? `${label} ${properties.key}` : `A ${label}`
  const problems = problemsIn(`(:${label})`, result.error).join('; ')
  throw new TurngraphError('internal', `${node} of the graph does not fit: ${problems}.`, {
    hint: '`turngraph doctor` lists all that does not fit, each with its remedy.',
    cause: result.error,
  })
}

/** Each a text that says what does not fit; empty where all does. */
export function findNodeProblems({ labels, properties }: NodeRow): string[] {
  const label = findLabel(labels)
  if (label === null) return [`(:${labels.join(':')}) is no node of the table`]
  return findProblems(`(:${label})`, nodes[label].properties, properties)
}

export function findRelationshipProblems({ from, type, to, properties }: RelationshipRow): string[] {
  const row = relationships.find(
    (known) => known.type === type && goes(known.from, from) && goes(known.to, to),
  )
  const shown = `(:${from.join(':')})-[:${type}]->(:${to.join(':')})`
  return row === undefined
    ? [`${shown} is no relationship of the table`]
    : findProblems(shown, row.properties, properties)
}

const goes = (known: readonly Label[], labels: readonly string[]): boolean =>
  known.some((label) => labels.includes(label))

function findProblems(
  what: string,
  schema: z.ZodObject,
  properties: Readonly<Record<string, unknown>>,
): string[] {
  const result = schema.safeParse(withoutNulls(properties))
  return result.success ? [] : problemsIn(what, result.error)
}

const problemsIn = (what: string, { issues }: z.ZodError): string[] =>
  issues.map((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : issue.path
    return `${what} ${names.join('.')}: ${issue.message}`
  })

/** Grafeo keeps a property that was set to null, Neo4j does not. */
const withoutNulls = (properties: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null && value !== undefined))
