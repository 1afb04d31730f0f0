import { type Label, nodes } from '../../graph/model/nodes.ts'
import { isInstant } from '../../graph/model/properties.ts'
import type { Value } from '../../graph/port.ts'

type Split = { properties: { [name: string]: Value }; at: { [name: string]: Value } }

const instantsOf = Object.fromEntries(
  Object.entries(nodes).map(([label, { properties }]) => [
    label,
    Object.entries(properties.shape).flatMap(([name, property]) => (isInstant(property) ? [name] : [])),
  ]),
) as Record<Label, string[]>

/** A node's properties as statements take them: instants apart, each with a value, since `datetime()` makes them. */
export function split(label: Label, held: Readonly<Record<string, unknown>>): Split {
  const { key: _, ...properties } = { ...held } as Split['properties']
  const at: Split['at'] = {}
  for (const name of instantsOf[label]) {
    at[name] = properties[name] ?? null
    delete properties[name]
  }
  return { properties, at }
}
