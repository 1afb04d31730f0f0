/** Deletes nodes with their children in small transactions, with statements that are generated from the model. */

import * as z from 'zod'
import { inChunks } from '../../core/group-by.ts'
import { featureKey, partsOfKey, projectKey } from '../../core/keys.ts'
import { decodeRow, readRows } from '../../graph/decode.ts'
import type { Label } from '../../graph/model/nodes.ts'
import { type Ownership, ownedBy, relationships } from '../../graph/model/relationships.ts'
import { pathToOwned } from '../../graph/model-statements.ts'
import type { Graph, Params, Run, Step } from '../../graph/port.ts'
import { generated, type Statement } from '../../graph/statements.ts'

/** Number of nodes that a transaction deletes: about 100 ms on either engine. A node with more parts is deleted in one transaction, too. */
const NODES_AT_ONCE = 2_000

export type Counts = Partial<Record<Label, number>>

/** Number of nodes deleted so far, and a test for remaining time. */
export type Progress = { counts: Counts; isTime: () => boolean }

export function addCounts(to: Counts, more: Counts): void {
  for (const [label, count] of Object.entries(more) as [Label, number][])
    if (count > 0) to[label] = (to[label] ?? 0) + count
}

/**
 * Runs one piece of forgetting. Each piece is a transaction that finds the remaining nodes on its own, so that a killed
 * operation continues at the next call. Counts deleted nodes once, even if the engine runs the transaction again.
 *
 * @returns false if `work` returned null, so that nothing was stored
 */
export async function inOnePiece(
  graph: Graph,
  { counts }: Progress,
  work: (run: Run) => Promise<Counts | null>,
): Promise<boolean> {
  const gone = await graph.transact(work)
  addCounts(counts, gone ?? {})
  return gone !== null
}

/** Shared nodes: deleted together with the last relationship of these types. Patterns come before tools. */
const SHARED: { [label in Label]?: { by: readonly string[]; where?: string; isStart?: true } } = {
  TurnPattern: { by: ['FOLLOWS'] },
  File: { by: ['TOUCHED'] },
  Agent: { by: ['JUDGED', 'PLAYED'], isStart: true },
  Tool: { by: ['CALLED', 'STARTS_WITH'] },
  // A session without an import exists because turns name it or because it is the parent of an agent.
  TranscriptSession: { by: ['TRANSCRIBED_IN', 'AGENT_OF'], where: 'x.isTranscribed IS NULL' },
  Criterion: { by: ['OF', 'TO_MEET', 'ABOUT', 'LISTS', 'RETIRES'] },
}

/** Writes the clauses that delete each `x` with its parts, and that return their number by label and the linked keys. */
const deleting = (label: Label, parts: readonly Ownership[], links: readonly Link[] = []): string => {
  const columns = [
    ...parts.map((part) => [`size([${pathToOwned('x', part, 'y')} | 1])`, part.of]),
    ...links.map(({ path, to }) => [`[${path} | y.key]`, `linked${to}`]),
  ]
  return `
WITH ${['x', ...columns.map(([value, name]) => `${value} AS ${name}`)].join(',\n     ')}
${parts.map((part) => `CALL (x) { MATCH ${pathToOwned('x', part, 'y')} DETACH DELETE y }\n`).join('')}DETACH DELETE x
RETURN ${[`1 AS ${label}`, ...columns.map(([, name]) => name)].join(', ')}`
}

type Link = { path: string; to: Label }

/** Lists the paths from a node to the shared nodes that may lose their last relationship with it. */
const listLinks = (label: Label): Link[] => [
  ...relationships.flatMap(({ type, from, to }) =>
    from.includes(label)
      ? to.filter((each) => SHARED[each]).map((each) => ({ path: `(x)-[:${type}]->(y:${each})`, to: each }))
      : [],
  ),
  ...(Object.keys(SHARED) as Label[]).flatMap((each) => {
    const { by = [], isStart } = SHARED[each] ?? {}
    const ends = relationships.filter(({ type, to }) => by.includes(type) && to.includes(label))
    return isStart === true && ends.length > 0
      ? [{ path: `(x)<-[:${ends.map(({ type }) => type).join('|')}]-(y:${each})`, to: each }]
      : []
  }),
]

export type Linked = { [label in Label]?: string[] }

const deletedRow = z.record(z.string(), z.union([z.number(), z.array(z.string())]))

async function deleteBy(
  run: Run,
  statement: Statement,
  params: Params,
): Promise<{ counts: Counts; linked: Linked }> {
  const counts: { [label: string]: number } = {}
  const linked: { [label: string]: string[] } = {}
  for (const row of await run({ statement, params }))
    for (const [name, found] of Object.entries(decodeRow(statement, deletedRow, row))) {
      if (typeof found === 'number') counts[name] = (counts[name] ?? 0) + found
      else {
        const keys = linked[name.replace('linked', '')]
        if (keys === undefined) linked[name.replace('linked', '')] = found
        else keys.push(...found)
      }
    }
  return { counts, linked }
}

/** Kind of node that exists only with its owner. */
export type OwnedKind = {
  label: Label
  listing: Statement
  /** Deletes nodes together with their parts. */
  deletion: Statement
  owned: readonly OwnedKind[]
}

export const kindsOwnedBy = (owner: Label): OwnedKind[] =>
  ownedBy(owner)
    .filter(({ parts, of }) => parts === null && SHARED[of] === undefined)
    .map((owned) => {
      const label = owned.of
      const parts = ownedBy(label).filter((part) => part.parts !== null)
      return {
        label,
        listing: selectOwned(owner, owned, parts),
        deletion: generated(
          `forget/delete-${label}`,
          `// params: $keys\nUNWIND $keys AS key\nMATCH (x:${label} {key: key})${deleting(label, parts, listLinks(label))}`,
        ),
        // The listing follows a chain to its end, so the kind is not listed below itself.
        owned: label === owner ? [] : kindsOwnedBy(label).filter((kind) => kind.label !== label),
      }
    })

/** Lists some nodes of a kind with their number of parts. Starts at the end of a chain, so that the rest stays reachable. */
function selectOwned(owner: Label, owned: Ownership, parts: readonly Ownership[]): Statement {
  const found = pathToOwned(`:${owner} {key: key}`, owned, 'x')
  const isChain = owned.owners.includes(owned.of)
  const sizes = parts.map((part) => `coalesce(x.${part.parts?.count}, 0)`)
  return generated(
    `forget/list-${owned.of}-of-${owner}`,
    `// params: $keys $limit
UNWIND $keys AS key
MATCH ${isChain ? found.replace(`:${owned.type}`, `links:${owned.type}*1..`) : found}
WITH ${isChain ? 'x, size(links) AS depth\nORDER BY depth DESC' : 'DISTINCT x'}
LIMIT $limit
RETURN x.key AS key, ${['0', ...sizes].join(' + ')} AS parts`,
  )
}

const listedRow = z.object({ key: z.string(), parts: z.number() })
export type Listed = z.output<typeof listedRow>

/** Deletes some nodes of a kind, within the transaction of `run`. Returns null if their owner no longer exists. */
export type DeletePiece = (run: Run, kind: OwnedKind, nodes: readonly Listed[]) => Promise<Counts | null>

/** Deletes all nodes below others, the deepest first. @returns true if nothing is left */
export async function deleteOwned(
  graph: Graph,
  kinds: readonly OwnedKind[],
  ownerKeys: readonly string[],
  progress: Progress,
  deletePiece: DeletePiece,
): Promise<boolean> {
  for (const kind of kinds) {
    for (let isLeft = true; isLeft; ) {
      if (!progress.isTime()) return false
      const params = { keys: [...ownerKeys], limit: NODES_AT_ONCE }
      const listed = await readRows(graph, kind.listing, params, listedRow)
      const keys = listed.map(({ key }) => key)
      if (keys.length > 0 && !(await deleteOwned(graph, kind.owned, keys, progress, deletePiece)))
        return false
      for (const nodes of inChunks(listed, NODES_AT_ONCE, ({ parts }) => parts + 1)) {
        if (!progress.isTime()) return false
        nodes.sort((a, b) => (a.key < b.key ? -1 : 1)) // the order of locks
        if (!(await inOnePiece(graph, progress, (run) => deletePiece(run, kind, nodes)))) return true
      }
      isLeft = listed.length === NODES_AT_ONCE
    }
  }
  return true
}

/** Deletes nodes with their parts, and the shared nodes without a remaining reference. */
export async function deleteNodes(
  run: Run,
  { deletion }: OwnedKind,
  nodes: readonly Listed[],
): Promise<Counts> {
  const { counts, linked } = await deleteBy(run, deletion, { keys: nodes.map(({ key }) => key) })
  addCounts(counts, await deleteUnused(run, linked))
  return counts
}

const unusedDeletions = (Object.entries(SHARED) as [Label, NonNullable<(typeof SHARED)[Label]>][]).map(
  ([label, { by, where, isStart }]) => {
    const parts = ownedBy(label).filter(({ of }) => SHARED[of] === undefined && label !== 'TranscriptSession')
    // Computes one value: with three separate subqueries as conditions, Grafeo takes 34 ms for 8 criteria instead of 0.4 ms.
    const isUsed = by
      .map((type) => `EXISTS { MATCH (x)${isStart ? '' : '<'}-[:${type}]-${isStart ? '>' : ''}() }`)
      .join(' OR ')
    const deletion = generated(
      `forget/delete-unused-${label}`,
      `// params: $keys
UNWIND $keys AS key
MATCH (x:${label} {key: key})
WITH x, ${isUsed} AS isUsed
WHERE NOT isUsed${where === undefined ? '' : ` AND ${where}`}${deleting(label, parts)}`,
    )
    return { label, deletion }
  },
)

/** Deletes shared nodes without a remaining reference. */
export async function deleteUnused(run: Run, linked: Linked): Promise<Counts> {
  const counts: Counts = {}
  for (const { label, deletion } of unusedDeletions) {
    const keys = [...new Set(linked[label])].sort()
    if (keys.length > 0) addCounts(counts, (await deleteBy(run, deletion, { keys })).counts)
  }
  return counts
}

/** Makes a function that deletes a node if it is empty. */
const deletionOfEmpty = (label: Label) => {
  const [needed, rest] = [true, false].map((is) => ownedBy(label).filter((row) => row.isRequired === is))
  const isEmpty = (needed ?? []).map((row) => `NOT EXISTS { MATCH ${pathToOwned('x', row)} }`)
  const deletion = generated(
    `forget/delete-empty-${label}`,
    // Setting the unchanged key locks the node and has no other effect. The lock comes before the check: on Neo4j, deleting a
    // child does not lock its hub (measured on 5.26), so two transactions that delete the last two children of a hub would each
    // see the other child and leave an empty hub. Captures meet the lock only if they create a child.
    `// params: $key
MATCH (x:${label} {key: $key})
SET x.key = $key
WITH x
WHERE ${isEmpty.join(' AND ')}${deleting(label, rest ?? [])}`,
  )
  return async (run: Run, key: string): Promise<Counts> => (await deleteBy(run, deletion, { key })).counts
}
const deleteEmptyTask = deletionOfEmpty('Task')
const deleteEmptyFeature = deletionOfEmpty('Feature')

export const deleteEmptyProject = deletionOfEmpty('Project')

/** Deletes a task, its feature and its project if empty. A capture that adds a child locks them first, or creates them again. */
export async function deleteEmpty(run: Run, ofTask: string): Promise<Counts> {
  const [project = '', featureId = ''] = partsOfKey(ofTask)
  const counts = await deleteEmptyTask(run, ofTask)
  if (counts.Task !== undefined)
    addCounts(counts, await deleteEmptyFeature(run, featureKey(project, featureId)))
  if (counts.Feature !== undefined) addCounts(counts, await deleteEmptyProject(run, projectKey(project)))
  return counts
}

/** Deletes in batches until none is left. A smaller batch may not be the last one, because a node may be in use again. */
export async function deleteAll(
  graph: Graph,
  statement: Statement,
  params: { [name: string]: string },
  label: Label | null,
  progress: Progress,
  lock?: Step,
): Promise<boolean> {
  for (let gone = 1; gone > 0; ) {
    if (!progress.isTime()) return false
    const deletion = { statement, params: { ...params, limit: NODES_AT_ONCE } }
    const rows = await graph.write(lock === undefined ? [deletion] : [lock, deletion])
    gone = Number(rows?.at(-1)?.[0]?.gone ?? 0)
    if (label !== null) addCounts(progress.counts, { [label]: gone })
  }
  return true
}
