import { type Label, nodes } from './model/nodes.ts'
import { type Ownership, ownedBy, ownersOf } from './model/relationships.ts'
import { generated, type Statement } from './statements.ts'

/** Generates from the model the statements that serve any kind of node: a kind that is added there has them. */

/** A pattern that leads from a node to what it hangs on: `(x)<-[:HAS_TASK]-(:Feature)`. */
export const pathToOwner = (x: string, { type, owner, owners }: Ownership, named = ''): string =>
  path(x, type, owner === 'from', `(${named}${owners.length === 1 ? `:${owners[0]}` : ''})`)

/** A pattern that leads from a node to what hangs on it: `(x)-[:HAS_TASK]->(:Task)`. */
export const pathToOwned = (x: string, { type, owner, of }: Ownership, named = ''): string =>
  path(x, type, owner === 'to', `(${named}:${of})`)

const path = (x: string, type: string, isInward: boolean, end: string): string =>
  isInward ? `(${x})<-[:${type}]-${end}` : `(${x})-[:${type}]->${end}`

/**
 * Nodes that hang on nothing, or lack what must hang on them, each by its name. It scans the label.
 *
 * @returns null where no kind of node owns this one, and nothing must hang on it
 */
export function unattachedOf(label: Label): Statement | null {
  const isAlone = ownersOf(label).map((row) => `NOT EXISTS { MATCH ${pathToOwner('x', row)} }`)
  const lacks = requiredBelow(label).map((row) => `NOT EXISTS { MATCH ${pathToOwned('x', row)} }`)
  const wrong = [isAlone.join(' AND '), ...lacks].filter((condition) => condition !== '')
  if (wrong.length === 0) return null
  return generated(
    `model/unattached-${label}`,
    `// params: $limit
MATCH (x:${label})
WHERE ${wrong.join(' OR ')}
RETURN x.${nodes[label].name} AS key
LIMIT $limit`,
  )
}

/** What must hang on a node of a label. */
export const requiredBelow = (label: Label): Ownership[] =>
  ownedBy(label).filter(({ isRequired }) => isRequired)
