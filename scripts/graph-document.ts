/** Writes the tables of nodes and relationships of the documentation from the model. */
import type * as z from 'zod'
import { LABELS, nodes } from '../src/graph/model/nodes.ts'
import { describeProperties } from '../src/graph/model/properties.ts'
import { listOwnerLabels, relationships, type StoredRelationship } from '../src/graph/model/relationships.ts'

/** Returns a markdown table of all nodes, each with its owners. */
export const nodesTable = (): string =>
  table(
    ['node', 'what it is', 'hangs on'],
    LABELS.map((label) => [
      `\`${label}\``,
      nodes[label].meaning,
      listOwnerLabels(label)
        .map((owner) => `\`${owner}\``)
        .join(' or '),
    ]),
  )

/** Returns a markdown table of all relationships. */
export const relationshipsTable = (): string =>
  table(
    ['relationship', 'what it says'],
    relationships.map((relationship) => [toPattern(relationship), relationship.meaning]),
  )

/** Returns a markdown section for each node with its properties; `?` marks an optional property. */
export const nodeSections = (): string =>
  LABELS.map((label) => section(`\`${label}\``, nodes[label].properties)).join('\n\n')

/** Returns a markdown section for each relationship with properties. */
export const relationshipSections = (): string =>
  relationships
    .filter(({ properties }) => Object.keys(properties.shape).length > 0)
    .map((relationship) => section(toPattern(relationship), relationship.properties))
    .join('\n\n')

/** Returns the graph as a mermaid diagram, without the migrations. */
export function schemaPicture(): string {
  const edges = relationships
    .filter(({ type }) => type !== 'MIGRATED_TO')
    .flatMap(({ type, from, to }) =>
      from.flatMap((start) => to.map((end) => `  ${start} -->|${type}| ${end}`)),
    )
  return ['graph LR', ...edges].join('\n')
}

const toPattern = ({ type, from, to }: StoredRelationship): string =>
  `\`(${from.join(' or ')})-[:${type}]->(${to.join(' or ')})\``

const section = (heading: string, properties: z.ZodObject): string =>
  `### ${heading}\n\n${table(
    ['property', 'type', 'meaning'],
    describeProperties(properties).map(({ name, type, optional, meaning }) => [
      `\`${name}\`${optional ? '?' : ''}`,
      type,
      meaning,
    ]),
  )}`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
