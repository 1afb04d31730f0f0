/** Describes the graph for authors of queries: its nodes, its relationships and their properties. */
import * as z from 'zod'
import { LABELS, nodes } from '../graph/model/nodes.ts'
import { describeProperties } from '../graph/model/properties.ts'
import { relationships } from '../graph/model/relationships.ts'
import type { GraphNames } from './query/unknown-names.ts'

const property = z.object({
  name: z.string(),
  type: z.string(),
  optional: z.boolean().describe('true: a node or a relationship of its kind may lack it'),
  meaning: z.string(),
})

export const graphSchema = z.object({
  nodes: z.array(z.object({ label: z.string(), meaning: z.string(), properties: z.array(property) })),
  relationships: z.array(
    z.object({
      type: z.string(),
      from: z.array(z.string()).describe('the labels that it may begin at'),
      to: z.array(z.string()).describe('the labels that it may lead to'),
      meaning: z.string(),
      properties: z.array(property),
    }),
  ),
})

export const describeGraph = (): z.output<typeof graphSchema> => ({
  nodes: LABELS.map((label) => ({
    label,
    meaning: nodes[label].meaning,
    properties: describeProperties(nodes[label].properties),
  })),
  relationships: relationships.map(({ type, from, to, meaning, properties }) => ({
    type,
    from: [...from],
    to: [...to],
    meaning,
    properties: describeProperties(properties),
  })),
})

const propertiesOf = ({ properties }: { properties: z.ZodObject }): string[] => Object.keys(properties.shape)

/** Every name that a query may use. */
export const GRAPH_NAMES: GraphNames = {
  labelsAndTypes: new Set([...LABELS, ...relationships.map(({ type }) => type)]),
  properties: new Set([
    ...LABELS.flatMap((label) => propertiesOf(nodes[label])),
    ...relationships.flatMap(propertiesOf),
  ]),
}
