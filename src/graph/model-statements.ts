/** Generates, from the model, the statements that work for any kind of node. */
import type * as z from 'zod'
import { type Label, nodes } from './model/nodes.ts'
import { isInstant } from './model/properties.ts'
import { findOwners, type Ownership, ownedBy, relationships } from './model/relationships.ts'
import { type Step, toStep } from './port.ts'
import { generated, type Statement } from './statements.ts'

/** Returns a pattern from a node to its owner: `(x)<-[:HAS_TASK]-(:Feature)`. */
export const pathToOwner = (x: string, { type, owner, owners }: Ownership, named = ''): string =>
  path(x, type, owner === 'from', owners.length === 1 ? `(${named}:${owners[0]})` : `(${named})`)

/** Returns a pattern from a node to the nodes that it owns: `(x)-[:HAS_TASK]->(:Task)`. */
export const pathToOwned = (x: string, { type, owner, of }: Ownership, named = ''): string =>
  path(x, type, owner === 'to', `(${named}:${of})`)

const path = (x: string, type: string, isInward: boolean, end: string): string =>
  isInward ? `(${x})<-[:${type}]-${end}` : `(${x})-[:${type}]->${end}`

export const requiredBelow = (label: Label): Ownership[] =>
  ownedBy(label).filter(({ isRequired }) => isRequired)

/** Selects nodes without an owner or a required owned node; null if nodes of this label need neither. Scans the label. */
export function selectUnattached(label: Label): Statement | null {
  const isAlone = findOwners(label).map((row) => `NOT EXISTS { MATCH ${pathToOwner('x', row)} }`)
  const suffices = ownedBy(label).filter((row) => row.suffices)
  const lacks = requiredBelow(label).map((row) =>
    [row, ...suffices].map((each) => `NOT EXISTS { MATCH ${pathToOwned('x', each)} }`).join(' AND '),
  )
  const wrong = [isAlone.join(' AND '), ...lacks].filter((condition) => condition !== '')
  if (wrong.length === 0) return null
  // A restore that is not finished may still write the missing nodes. Another finding reports it.
  const isWhole = Object.hasOwn(nodes[label].properties.shape, 'restoring') ? ' AND x.restoring IS NULL' : ''
  return generated(
    `model/unattached-${label}`,
    `// params: $limit
MATCH (x:${label})
WHERE (${wrong.map((condition) => `(${condition})`).join(' OR ')})${isWhole}
RETURN x.${nodes[label].name} AS key
LIMIT $limit`,
  )
}

/** Selects a page of the keys between two keys. Neo4j uses an index; Grafeo scans the label (25,000 in 10 ms). */
export const selectPage = (label: Label): Statement =>
  generated(
    `model/page-${label}`,
    `// params: $after $below $limit
MATCH (x:${label})
WHERE x.key > $after AND x.key < $below
RETURN x.key AS key
ORDER BY key
LIMIT $limit`,
  )

/** Selects the projects that have nodes of a label. Scans the label. */
export const selectProjects = (label: Label): Statement =>
  generated(
    `model/projects-${label}`,
    `// params:
MATCH (x:${label})
WHERE x.key IS NOT NULL
RETURN DISTINCT ${projectExpression('x')} AS project`,
  )

const projectExpression = (x: string): string => `split(${x}.key, '/')[0]`

/** Columns for `selectNodes` with all owners. */
export const allOwners = (label: Label): Record<string, string> =>
  Object.fromEntries(
    findOwners(label).map((row) => [`owners${row.type}`, `[${pathToOwner('x', row, 'o')} | o.key]`]),
  )

/** Columns for `selectNodes` with the owners in another project. They are empty in a correct graph. */
export const foreignOwners = (label: Label): Record<string, string> =>
  Object.fromEntries(
    findOwners(label).map((row) => {
      const foreign = `${pathToOwner('x', row, 'o')} WHERE ${projectExpression('o')} <> ${projectExpression('x')}`
      return [`foreign${row.type}`, `[${foreign} | o.key]`]
    }),
  )

/**
 * Selects nodes by their keys, with their properties as `properties` and with `isAttached`: whether the node
 * has an owner.
 *
 * @param columns further columns, each an expression about `x`: `[(x)-[:NEXT]->(n) | n.key]`
 * @param by another unique property
 */
export function selectNodes(
  label: Label,
  columns: Readonly<Record<string, string>> = {},
  by = 'key',
): Statement {
  const owned = findOwners(label).map((row) => `EXISTS { MATCH ${pathToOwner('x', row)} }`)
  const isAttached = owned.length === 0 ? 'true' : owned.join(' OR ')
  return generated(
    `model/nodes-${label}${by === 'key' ? '' : `-by-${by}`}${listNames(columns)}`,
    `// params: $keys
UNWIND $keys AS key
MATCH (x:${label} {${by}: key})
RETURN key, properties(x) AS properties, ${isAttached} AS isAttached${listColumns(columns)}`,
  )
}

/** Selects the parts of nodes, each with the type of its relationship and further columns about the part `x`. */
export function selectParts(label: Label, columns: Readonly<Record<string, string>>): Statement {
  const types = ownedBy(label).flatMap(({ parts, type }) => (parts === null ? [] : [type]))
  return generated(
    `model/parts-${label}${listNames(columns)}`,
    `// params: $keys
UNWIND $keys AS key
MATCH (t:${label} {key: key})-[r:${types.join('|')}]->(x)
RETURN key, type(r) AS type, labels(x) AS labels, properties(x) AS properties${listColumns(columns)}`,
  )
}

const listNames = (columns: Readonly<Record<string, string>>): string =>
  Object.keys(columns)
    .map((name) => `-${name}`)
    .join('')

const listColumns = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, expression]) => `,\n       ${expression} AS ${name}`)
    .join('')

export const deleteByKeys = (label: Label): Statement =>
  generated(
    `model/delete-${label}`,
    `// params: $keys
UNWIND $keys AS key
MATCH (x:${label} {key: key})
DETACH DELETE x
RETURN count(*) AS gone`,
  )

/** Locks nodes by writing `rev`, in the order of the keys. Other writers of these nodes wait. */
export const lockNodes = (label: Label): Statement =>
  generated(
    `model/lock-${label}`,
    `// params: $keys $token
UNWIND $keys AS key
MATCH (x:${label} {key: key})
SET x.rev = $token
RETURN x.key AS key`,
  )

/** Sets properties, including instants; null removes one. Returns null if nodes of the label are not found by a key. */
export function setProperties(
  label: Label,
  key: string | null,
  properties: Readonly<Record<string, unknown>>,
): Step | null {
  if (key === null || nodes[label].name !== 'key') return null
  const { shape } = nodes[label].properties
  const instants = Object.keys(shape).filter((name) => isInstant(shape[name as never] as z.ZodType))
  const to = generated(
    `model/set-${label}`,
    `// params: ${['key', 'properties', ...instants].map((name) => `$${name}`).join(' ')}
MATCH (x:${label} {key: $key})
SET x += $properties
${instants.map((name) => `FOREACH (at IN $${name} | SET x.${name} = datetime(at))\n`).join('')}RETURN x.key AS key`,
  )
  const given = Object.entries(properties)
  const isSet = ([name, value]: [string, unknown]) => instants.includes(name) && value !== null
  return toStep(to, {
    key,
    properties: Object.fromEntries(given.filter((each) => !isSet(each))),
    ...Object.fromEntries(instants.map((name) => [name, [properties[name] ?? []].flat()])),
  })
}

export function setProjectOfParts(label: Label, key: string, project: string): Step {
  const types = ownedBy(label).flatMap(({ parts, type }) => (parts === null ? [] : [type]))
  const to = generated(
    `model/set-project-of-parts-${label}`,
    `// params: $key $project
MATCH (t:${label} {key: $key})-[:${types.join('|')}]->(x)
SET x.project = $project
RETURN x.project AS project`,
  )
  return toStep(to, { key, project })
}

/** Sets properties of parts of a node, such as the issues of a turn. Each item of `parts` names its node by `position`. */
export function setParts<T extends { position: number }>(
  label: Label,
  key: string,
  type: string,
  parts: readonly T[],
): Step {
  const [first] = parts
  const names = Object.keys(first ?? {}).filter((name) => name !== 'position')
  const to = generated(
    `model/set-parts-${label}-${type}-${names.join('-')}`,
    `// params: $key $parts
UNWIND $parts AS part
MATCH (t:${label} {key: $key})-[:${type}]->(x)
WHERE x.position = part.position
SET ${names.map((name) => `x.${name} = part.${name}`).join(', ')}
RETURN x.position AS position`,
  )
  return toStep(to, { key, parts: [...parts] })
}

/** Links two nodes. `alone` names the ends whose other relationships of this type are removed. */
export function relink(
  [from, fromKey]: readonly [Label, string],
  type: string,
  [to, toKey]: readonly [Label, string],
  alone: 'from' | 'to' | 'both',
): Step {
  const row = relationships.find((each) => each.type === type && each.from.includes(from))
  const start = row?.from.length === 1 ? `:${from}` : ''
  const cut = {
    from: `CALL (a) { MATCH (a)-[r:${type}]->() DELETE r }\n`,
    to: `CALL (b) { MATCH (b)<-[r:${type}]-(${start}) DELETE r }\n`,
  }
  const relinked = generated(
    `model/relink-${from}-${type}-${to}-${alone}`,
    `// params: $from $to
MATCH (a:${from} {key: $from})
MATCH (b:${to} {key: $to})
${alone === 'both' ? cut.from + cut.to : cut[alone]}CREATE (a)-[:${type}]->(b)
RETURN b.key AS key`,
  )
  return toStep(relinked, { from: fromKey, to: toKey })
}

/** Returns a clause that links the agents of a list, with the fields of `AgentNode`, to a turn or a replaced record. */
export const linkAgents = (record: string, list: string): string =>
  `FOREACH (a IN ${list} | MERGE (y:Agent {key: a.key}) ON CREATE SET y.name = a.name, y.model = a.model, y.project = a.project
  FOREACH (_ IN a.judged | MERGE (${record})<-[:JUDGED]-(y))
  FOREACH (_ IN a.played | MERGE (${record})<-[:PLAYED]-(y)))`

/** Deletes all relationships of a type that lead to a node or from it. The nodes stay. */
export function unlink(label: Label, key: string, type: string): Step {
  const unlinked = generated(
    `model/unlink-${label}-${type}`,
    `// params: $key
MATCH (x:${label} {key: $key})
CALL (x) { MATCH (x)-[r:${type}]-() DELETE r }
RETURN x.key AS key`,
  )
  return toStep(unlinked, { key })
}
