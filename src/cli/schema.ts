/** `turngraph schema` prints every node, relationship and property that a query may use, with its meaning. It opens no graph. */
import { TurngraphError } from '../core/errors.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'
import { action, JSON_FORM } from './command.ts'
import { printJson } from './output.ts'

export const addSchema = action(
  {
    name: 'schema',
    description: 'print the nodes, relationships and properties of the graph, with their meanings',
    arguments: { name: ['[name]', 'only this label or relationship type'] },
    options: JSON_FORM,
    help: `Examples:
  turngraph schema
  turngraph schema Turn
  turngraph schema --json | jq -r '.nodes[].label'`,
  },
  async ({ name, json }) => {
    const { describeGraph, graphSchema } = await import('../analysis/graph-schema.ts')
    const { toWire } = await import('../core/wire-form.ts')
    const all = describeGraph()
    const nodes = all.nodes.filter(({ label }) => name === undefined || label === name)
    const relationships = all.relationships.filter(({ type }) => name === undefined || type === name)
    if (name !== undefined && nodes.length + relationships.length === 0) {
      const near = nearNames(name, [
        ...all.nodes.map(({ label }) => label),
        ...all.relationships.map(({ type }) => type),
      ])
      throw new TurngraphError(
        'not_found',
        `The graph has no label or relationship type ${name}.${didYouMean(near)}`,
        { hint: '`turngraph schema` lists them.', details: { near } },
      )
    }
    if (json) return printJson(toWire(graphSchema, { nodes, relationships }))
    const { printTable } = await import('./table.ts')
    const described = [
      ...nodes.map(({ label, ...node }) => ({ name: label, ...node })),
      ...relationships.map(({ type, from, to, ...relationship }) => ({
        name: `(${from.join(' or ')})-[:${type}]->(${to.join(' or ')})`,
        ...relationship,
      })),
    ]
    const rows = described.flatMap(({ name, meaning, properties }) => [
      [name, null, null, meaning],
      ...properties.map((property) => [
        name,
        `${property.name}${property.optional ? '?' : ''}`,
        property.type,
        property.meaning,
      ]),
    ])
    printTable(['name', 'property', 'type', 'meaning'], rows)
  },
)
