/** Lists the nodes of an export, each kind by key: projects, their features, tasks and worlds, and their transcripts. */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { keysOfProject, projectKey } from '../../core/keys.ts'
import { OVERLAP_MS, readClock } from '../../events/read-changes.ts'
import { readKeys, readRows } from '../../graph/decode.ts'
import type { Label } from '../../graph/model/nodes.ts'
import { findOwners } from '../../graph/model/relationships.ts'
import { selectPage } from '../../graph/model-statements.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { generated, type Statement } from '../../graph/statements.ts'
import { listProjects } from '../whole-graph.ts'
import { compareKeys, firstAfter, windowAfter } from './order.ts'
import { type NodeKind, readRecords } from './read.ts'
import { ADDED, type ExportRecord, type RecordOf } from './records.ts'

export const AT_ONCE = 100

/** Statements that list all nodes, or the nodes that changed since an instant. Several statements cover several kinds of change. */
type Listing = { all: Statement; moved: readonly Statement[] }

/** Yields the keys of a listing after a key, page by page. */
async function* listKeys(
  graph: Graph,
  { all, moved }: Listing,
  since: string | null,
  params: Params & { after: string },
  atOnce = AT_ONCE,
): AsyncGenerator<string[]> {
  const listings = since === null ? [all] : moved
  for (let { after } = params; ; ) {
    const window = { ...params, ...(since !== null && { since }), ...windowAfter(after, atOnce) }
    const found = await Promise.all(listings.map((listing) => readKeys(graph, listing, window)))
    const sorted = [...new Set(found.flat())].sort(compareKeys)
    const keys = firstAfter(sorted, (key) => key, after, atOnce)
    if (keys.length > 0) yield keys
    if (keys.length < atOnce) return
    after = keys.at(-1) ?? ''
  }
}

/** Condition: the world was created, or a turn of it was completed or recorded. */
const WORLD_MOVED = `(world.createdAt >= datetime($since) OR world.lastCompletedAt >= datetime($since)
    OR EXISTS { MATCH (world)-[:HAS_TURN]->(t:Turn) WHERE t.createdAt >= datetime($since) })`

const variableName = (label: Label): string => label.charAt(0).toLowerCase() + label.slice(1)

/** Condition: the task declared a version of its specification. */
const DECLARED = 'specification.declaredAt >= datetime($since)'

/** Lists the children of a node without a scan. `movedBy`: the labels down to nodes that may have changed, and the condition. */
function below(label: Label, movedBy: { way: readonly Label[]; when: string } | null = null): Statement {
  const { way = [], when = null } = movedBy ?? {}
  const path = [label, ...way].map((to) => `-[:${findOwners(to)[0]?.type}]->(${variableName(to)}:${to})`)
  return generated(
    `export/list-${label}${movedBy === null ? '' : `-since-${way.at(-1) ?? label}`}`,
    `// params: $owner $after $limit ${when === null ? '' : '$since'}
MATCH (:${findOwners(label)[0]?.owners[0]} {key: $owner})${path.join('')}
WHERE ${variableName(label)}.key > $after${when === null ? '' : `\n  AND ${when}`}
WITH DISTINCT ${variableName(label)} AS x
RETURN x.key AS key
ORDER BY key
LIMIT $limit`,
  )
}

/** Place in the hierarchy: the name of the project, and keys below it. */
export const place = z.strictObject({
  project: z.string(),
  feature: z.string().optional(),
  task: z.string().optional(),
  world: z.string().optional(),
})
export type Place = z.output<typeof place>

const belowOwners = {
  feature: {
    all: below('Feature'),
    moved: [
      below('Feature', { way: ['Task', 'World'], when: WORLD_MOVED }),
      below('Feature', { way: ['Task', 'Specification'], when: DECLARED }),
    ],
  },
  task: {
    all: below('Task'),
    moved: [
      below('Task', { way: ['World'], when: WORLD_MOVED }),
      below('Task', { way: ['Specification'], when: DECLARED }),
    ],
  },
  world: { all: below('World'), moved: [below('World', { way: [], when: WORLD_MOVED })] },
}
const LEVELS = Object.keys(belowOwners) as (keyof typeof belowOwners)[]

/** Scope of an export: one project or all; with `since` only records that changed after an instant. */
export type Exported = { project: string | null; since: string | null }

/** Lists the given project, or all projects from a place on. */
export const projectsFrom = async (
  graph: Graph,
  { project }: Exported,
  from: Place | null,
): Promise<string[]> => (project === null ? listProjects(graph, from?.project ?? null) : [project])

/** Yields all places below a place. With `from` it begins with the places that lead to it. */
export async function* placesBelow(
  graph: Graph,
  above: Place,
  since: string | null,
  from: Place | null,
): AsyncGenerator<Place> {
  const level = LEVELS.find((name) => above[name] === undefined)
  if (level === undefined) return
  const owner = above.task ?? above.feature ?? projectKey(above.project)
  const first = from?.[level]
  if (first !== undefined) yield* withThoseBelow(graph, { ...above, [level]: first }, since, from)
  const after = first ?? ''
  for await (const keys of listKeys(graph, belowOwners[level], since, { owner, after })) {
    for (const key of keys) yield* withThoseBelow(graph, { ...above, [level]: key }, since, null)
  }
}

async function* withThoseBelow(
  graph: Graph,
  at: Place,
  since: string | null,
  from: Place | null,
): AsyncGenerator<Place> {
  yield at
  yield* placesBelow(graph, at, since, from)
}

/** True if two places are equal. */
export const isAt = (a: Place, b: Place | null): boolean =>
  b !== null && a.project === b.project && LEVELS.every((level) => a[level] === b[level])

async function* recordsBelow<K extends NodeKind>(
  graph: Graph,
  kind: K,
  all: Statement,
  params: { owner: string; after: string },
): AsyncGenerator<RecordOf<K>> {
  for await (const keys of listKeys(graph, { all, moved: [] }, null, params))
    yield* await readRecords(graph, kind, keys)
}

const criteria = below('Criterion')

export const criteriaAfter = (graph: Graph, owner: string, after: string) =>
  recordsBelow(graph, 'criterion', criteria, { owner, after })

const added = ADDED.map(({ kind, label, owner }) => ({
  kind: kind as NodeKind,
  owner,
  listing: below(label),
}))

/** Yields the records of kinds that only the model declares, below a place and after a key. */
export async function* addedBelow(
  graph: Graph,
  at: Place,
  from: { kind: string; after: string } | null,
): AsyncGenerator<ExportRecord> {
  const level = LEVELS.findLast((name) => at[name] !== undefined) ?? 'project'
  const owner = level === 'project' ? projectKey(at.project) : (at[level] ?? '')
  const some = added.filter((one) => one.owner === level)
  const first = some.findIndex(({ kind }) => kind === from?.kind)
  for (const { kind, listing } of some.slice(Math.max(0, first)))
    yield* recordsBelow(graph, kind, listing, { owner, after: from?.kind === kind ? from.after : '' })
}

/** A file belongs to several sessions. A path contains a relationship once, so `x` is always another session. */
const SESSION_MOVED = `(n.endedAt >= datetime($since)
    OR EXISTS { MATCH (n)<-[:HOLDS]-(:TranscriptFile)-[:HOLDS]->(x:TranscriptSession) WHERE x.endedAt >= datetime($since) })`
const FILE_MOVED = 'EXISTS { MATCH (n)-[:HOLDS]->(x:TranscriptSession) WHERE x.endedAt >= datetime($since) }'

const selectMoved = (label: Label, moved: string): Statement =>
  generated(
    `export/list-${label}-since`,
    `// params: $after $below $since $limit
MATCH (n:${label})
WHERE n.key > $after AND n.key < $below AND ${moved}
RETURN n.key AS key
ORDER BY key
LIMIT $limit`,
  )

const inProject = {
  transcript_session: {
    all: selectPage('TranscriptSession'),
    moved: [selectMoved('TranscriptSession', SESSION_MOVED)],
  },
  transcript_file: { all: selectPage('TranscriptFile'), moved: [selectMoved('TranscriptFile', FILE_MOVED)] },
  // Desires depend on all turns: a part of the transcripts has other desires.
  desire: { all: selectPage('Desire'), moved: [] },
} satisfies { [kind: string]: Listing }

/** Yields the keys of a project's sessions, files or desires after a key, page by page. */
export async function* keysInProject(
  graph: Graph,
  kind: keyof typeof inProject,
  { project, since }: { project: string; since: string | null },
  from: string,
  atOnce: number,
): AsyncGenerator<string[]> {
  const { after, below: end } = keysOfProject(project)
  const params = { below: end, after: from || after }
  for await (const keys of listKeys(graph, inProject[kind], since, params, atOnce))
    yield keys.filter((key) => key.startsWith(after))
}

const activeSessions = generated(
  'export/active-sessions',
  `// params: $keys $since
UNWIND $keys AS key
MATCH (n:TranscriptSession {key: key})
WHERE n.key = key AND ${SESSION_MOVED}
RETURN n.key AS key`,
)

export const readActive = (graph: Graph, keys: readonly string[], since: string): Promise<string[]> =>
  keys.length === 0 ? Promise.resolve([]) : readKeys(graph, activeSessions, { keys: [...keys], since })

const unchangedSessions = generated(
  'export/unchanged-sessions',
  `// params: $keys $until
UNWIND $keys AS key
MATCH (n:TranscriptSession {key: key})<-[:HOLDS]-(f:TranscriptFile)
WHERE coalesce(f.changedAt, 0) <= $until
RETURN DISTINCT n.key AS key`,
)

export const readUnchanged = (graph: Graph, keys: readonly string[], until: number): Promise<string[]> =>
  keys.length === 0 ? Promise.resolve([]) : readKeys(graph, unchangedSessions, { keys: [...keys], until })

/** Imports of a project at the time when the export of its transcripts began. Times are those of the database's clock. */
export const importsBefore = z.strictObject({
  newest: z.number(),
  /** Time until which all imports were committed, at most `newest`. */
  settled: z.number(),
  /** Hash of the imports after `settled`. */
  recent: z.string(),
})
type ImportsBefore = z.output<typeof importsBefore>

const newestImport = generated(
  'export/newest-import',
  `// params: $after $below
MATCH (f:TranscriptFile)
WHERE f.key > $after AND f.key < $below
RETURN coalesce(max(f.changedAt), 0) AS changedAt`,
)
const recentImports = generated(
  'export/recent-imports',
  `// params: $after $below $settled $newest
MATCH (f:TranscriptFile)
WHERE f.key > $after AND f.key < $below AND f.changedAt > $settled AND f.changedAt <= $newest
RETURN f.key AS key, f.changedAt AS changedAt
ORDER BY key`,
)
const importRow = z.object({ changedAt: z.number() })

export async function readImportsBefore(graph: Graph, project: string): Promise<ImportsBefore> {
  const now = await readClock(graph)
  const [row] = await readRows(graph, newestImport, keysOfProject(project), importRow)
  const newest = row?.changedAt ?? 0
  const settled = Math.min(newest, now - OVERLAP_MS)
  return { newest, settled, recent: await hashImports(graph, project, { settled, newest }) }
}

/** Returns the time of the newest import, or an earlier one if an import was committed since. Call it after the data is read. */
export async function readUntil(graph: Graph, project: string, before: ImportsBefore): Promise<number> {
  const { newest, settled, recent } = before
  return newest === settled || (await hashImports(graph, project, before)) === recent ? newest : settled
}

async function hashImports(
  graph: Graph,
  project: string,
  { settled, newest }: Omit<ImportsBefore, 'recent'>,
): Promise<string> {
  const params = { ...keysOfProject(project), settled, newest }
  const rows = await readRows(graph, recentImports, params, importRow.extend({ key: z.string() }))
  return createHash('sha256').update(JSON.stringify(rows)).digest('base64url')
}
