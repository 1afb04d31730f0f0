/** Checks that nodes and relationships of a graph fit the model. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { type Exported, type Label, listNotExported, nodes } from './nodes.ts'

/** A node as an engine returns it, with its labels and properties. */
type NodeRow = { labels: readonly string[]; properties: Readonly<Record<string, unknown>> }

/** Returns the label of a node; null for several labels, and for one that is not in the model. */
export function findLabel(labels: readonly string[]): Label | null {
  const [label] = labels
  return labels.length === 1 && label !== undefined && Object.hasOwn(nodes, label) ? (label as Label) : null
}

/**
 * Decodes a node's properties by the model, with instants in canonical form. Absent properties stay absent.
 * Properties that an export leaves out are left out here, too.
 *
 * @throws `internal` if they do not fit, with the node's key and each problem
 * @example storedProperties('Gate', { name: 'tests', status: 'passed', position: 0 })
 */
export function storedProperties<L extends Label>(
  label: L,
  properties: Readonly<Record<string, unknown>>,
): Exported<L> {
  const given = withoutNulls(properties)
  for (const name of listNotExported(label)) delete given[name]
  const result = exportedSchema(label).safeParse(given)
  if (result.success) return result.data as Exported<L>
  const node = typeof properties.key === 'string' ? `${label} ${properties.key}` : `A ${label}`
  const problems = problemsIn(`(:${label})`, result.error).join('; ')
  throw new TurngraphError('internal', `${node} of the graph does not fit: ${problems}.`, {
    hint: '`turngraph doctor` lists all problems, each with its remedy.',
    cause: result.error,
  })
}

/** Returns a text for each problem of a node; empty if the node fits the model. */
export function findNodeProblems({ labels, properties }: NodeRow): string[] {
  const label = findLabel(labels)
  if (label === null) return [`(:${labels.join(':')}) is no node of the table`]
  const { error } = nodes[label].properties.safeParse(withoutNulls(properties))
  return error === undefined ? [] : problemsIn(`(:${label})`, error)
}

const exportedSchemas = new Map<Label, z.ZodObject>()

/** Returns the schema of the exported properties. Each is made once: that takes longer than checking a node. */
function exportedSchema(label: Label): z.ZodObject {
  const made = exportedSchemas.get(label) ?? omit(nodes[label].properties, listNotExported(label))
  exportedSchemas.set(label, made)
  return made
}

const omit = ({ shape }: z.ZodObject, names: readonly string[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name))))

const problemsIn = (what: string, { issues }: z.ZodError): string[] =>
  issues.map((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : issue.path
    return `${what} ${names.join('.')}: ${issue.message}`
  })

/** Drops null properties: Grafeo keeps a property that was set to null, Neo4j does not. */
const withoutNulls = (properties: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null && value !== undefined))
