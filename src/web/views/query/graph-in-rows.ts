// Finds the nodes and relationships in the rows of a query. Pure.

export type GraphNode = {
  id: string
  labels: readonly string[]
  properties: Readonly<Record<string, unknown>>
}
export type GraphRelationship = { id: string; type: string; start: string; end: string }
export type Graph = { nodes: readonly GraphNode[]; relationships: readonly GraphRelationship[] }

/** Collects each node and relationship of the rows once, also from paths, lists and maps. */
export function graphIn(rows: readonly (readonly unknown[])[]): Graph {
  const nodes = new Map<string, GraphNode>()
  const relationships = new Map<string, GraphRelationship>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isNode(value)) nodes.set(value.id, value)
    else if (isRelationship(value)) relationships.set(value.id, value)
    else for (const inner of Object.values(value)) visit(inner)
  }
  for (const row of rows) visit(row)
  return joinGraphs({ nodes: [...nodes.values()], relationships: [...relationships.values()] })
}

/** Merges graphs. Leaves out a relationship if one of its ends is missing. */
export function joinGraphs(...graphs: readonly Graph[]): Graph {
  const nodes = new Map(graphs.flatMap((graph) => graph.nodes.map((node) => [node.id, node] as const)))
  const relationships = new Map(
    graphs.flatMap((graph) => graph.relationships.map((one) => [one.id, one] as const)),
  )
  return {
    nodes: [...nodes.values()],
    relationships: [...relationships.values()].filter(({ start, end }) => nodes.has(start) && nodes.has(end)),
  }
}

const isNode = (value: object): value is GraphNode =>
  'id' in value && 'labels' in value && 'properties' in value && Array.isArray(value.labels)

const isRelationship = (value: object): value is GraphRelationship =>
  'id' in value && 'type' in value && 'start' in value && 'end' in value

/** Chooses the display name of a node. */
export function nameNode({ labels, properties }: GraphNode): string {
  const found = ['slug', 'name', 'number', 'pattern', 'criterionId', 'id'].find(
    (name) => properties[name] != null,
  )
  const labelled = Array.isArray(properties.labels) ? properties.labels[0] : undefined
  const name = found === undefined ? labelled : properties[found]
  return name === undefined ? (labels[0] ?? '') : `${labels[0] === 'Turn' ? 'Turn ' : ''}${String(name)}`
}
