// Draws the properties of a node of the graph.
import { Table } from '../../components/table.tsx'
import { describeValue } from '../analyses/values.ts'
import type { GraphNode } from './graph-in-rows.ts'

export function NodeFacts({ node: { labels, properties } }: { node: GraphNode }) {
  return (
    <Table
      label={`Properties of ${labels.join(', ')}`}
      records={Object.entries(properties)}
      toKey={([name]) => name}
      columns={[
        { head: 'Property', isName: true, cell: ([name]) => <code>{name}</code> },
        { head: 'Value', cell: ([, value]) => <span class="said clamped">{describeValue(value)}</span> },
      ]}
    />
  )
}
