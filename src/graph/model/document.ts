/** Writes the tables of nodes and relationships of the documentation from the model. */
import type * as z from 'zod'
import { LABELS, nodes } from './nodes.ts'
import { describeKind } from './properties.ts'
import { findOwners, relationships } from './relationships.ts'

/** A markdown table of all nodes, with what each hangs on and its properties; `?` marks one that a node may lack. */
export const nodesTable = (): string =>
  table(
    ['node', 'what it is', 'hangs on', 'properties'],
    LABELS.map((label) => [
      `\`${label}\``,
      nodes[label].says,
      findOwners(label)
        .flatMap(({ owners }) => owners.map((owner) => `\`${owner}\``))
        .join(' or '),
      listProperties(nodes[label].properties),
    ]),
  )

/** A markdown table of all relationships. */
export const relationshipsTable = (): string =>
  table(
    ['relationship', 'what it says', 'properties'],
    relationships.map(({ type, from, to, says, properties }) => [
      `\`(${from.join(' or ')})-[:${type}]->(${to.join(' or ')})\``,
      says,
      listProperties(properties),
    ]),
  )

/** The graph as a mermaid picture: the migrations aside. */
export function schemaPicture(): string {
  const edges = relationships
    .filter(({ type }) => type !== 'MIGRATED_TO')
    .flatMap(({ type, from, to }) =>
      from.flatMap((start) => to.map((end) => `  ${start} -->|${type}| ${end}`)),
    )
  return ['graph LR', ...edges].join('\n')
}

const listProperties = ({ shape }: z.ZodObject): string =>
  Object.entries(shape)
    .map(([name, property]) => {
      const { kind, optional } = describeKind(property as z.ZodType)
      return `\`${name}\`${optional ? '?' : ''} ${kind}`
    })
    .join('; ')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
