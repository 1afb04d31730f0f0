/** Reads the records of an export by their keys, and lists keys: a page at a time, in one order on every engine. */
import * as z from 'zod'
import { keysOfProject, projectKey } from '../../core/keys.ts'
import { readRows, untilWhole } from '../../graph/decode.ts'
import type { Label } from '../../graph/model/nodes.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import type { Graph, Params, Row } from '../../graph/port.ts'
import { generated, type Statement, statement } from '../../graph/statements.ts'
import { compareKeys, firstAfter, windowAfter } from './order.ts'
import { ADDED, type ExportRecord, type RecordOf, records } from './records.ts'
import { type Field, type StoredForm, storedForms } from './stored-form.ts'

/** The kinds of records that are one node each. */
export type NodeKind = keyof typeof storedForms

type Properties = Record<string, unknown>

/** A record, and all properties of its node. */
export type Found<K extends NodeKind> = { node: Properties; record: RecordOf<K> }

type Reader = {
  form: StoredForm
  statement: Statement
  fields: [name: string, field: Field][]
  /** The line with what it says beside its node. */
  lineOf: (node: Properties, beside: Properties) => Properties
}

const columnsOf = (name: string, { reads }: Field): string[] => reads.map((_, i) => `${name}${i}`)

function readerOf(kind: NodeKind): Reader {
  const form: StoredForm = storedForms[kind]
  const { label, owner, within } = form
  const fields = Object.entries(form.fields).filter(([, { reads }]) => reads.length > 0)
  const columns = fields.flatMap(([name, field]) =>
    columnsOf(name, field).map((as, i) => `${field.reads[i]} AS ${as}`),
  )
  if (owner !== undefined) columns.unshift('o.key AS owner')
  const statement = generated(
    `export/read-${kind}`,
    `// params: $keys
UNWIND $keys AS key
MATCH (n:${label} {key: key})${owner === undefined ? '' : `<-[:${owner.type}]-(o:${owner.label})`}
RETURN ${['properties(n) AS node', ...columns].join(',\n       ')}`,
  )
  const shape: z.ZodRawShape = records[kind].shape
  const inner = within === undefined ? [] : Object.keys((shape[within] as z.ZodObject).shape)
  const lineOf = (node: Properties, beside: Properties) => {
    const values: Properties = { ...node, kind, ...beside, ...(within && { [within]: pick(node, inner) }) }
    return pick(values, Object.keys(shape))
  }
  return { form, statement, fields, lineOf }
}

function pick(from: Properties, names: readonly string[]): Properties {
  const picked: Properties = {}
  for (const name of names) if (from[name] !== undefined) picked[name] = from[name]
  return picked
}

const readers = Object.fromEntries(
  (Object.keys(storedForms) as NodeKind[]).map((kind) => [kind, readerOf(kind)]),
) as { [K in NodeKind]: Reader }

const isWhole = ({ form, fields }: Reader, { node, ...row }: { node: Properties } & Row): boolean =>
  (form.beginsWith === undefined || node[form.beginsWith] != null) &&
  fields.every(([name, { countedBy, everyHasAnEnd = false }]) =>
    [0, everyHasAnEnd ? 1 : 0].every((column) => {
      const parts = row[`${name}${column}`]
      return countedBy === undefined || (Array.isArray(parts) && parts.length === node[countedBy])
    }),
  )

const nodeRow = z.looseObject({ node: z.record(z.string(), z.unknown()), owner: z.string().optional() })

/** Nodes by key, in the order of the keys, each read again until all of its parts are seen; what is gone is left out. */
export async function readNodes<K extends NodeKind>(
  graph: Graph,
  kind: K,
  keys: readonly string[],
): Promise<Found<K>[]> {
  if (keys.length === 0) return []
  const reader = readers[kind]
  const { form, statement, fields } = reader
  const rows = await untilWhole(
    () => readRows(graph, statement, { keys: [...keys] }, nodeRow),
    (found) => found.every((row) => isWhole(reader, row)),
  )
  const found = new Map<unknown, Found<K>>()
  for (const row of rows) {
    const node: Properties = storedProperties(form.label, row.node)
    const beside: Properties = form.owner === undefined ? {} : { [form.owner.field]: row.owner }
    for (const [name, field] of fields)
      beside[name] = field.decode.parse(columnsOf(name, field).map((column) => row[column]))
    // Its fields are those of its schema, which the compiler cannot see.
    found.set(node.key, { node, record: reader.lineOf(node, beside) as RecordOf<K> })
  }
  return keys.flatMap((key) => found.get(key) ?? [])
}

/** The record as it would be if its node had other properties; null where these make none. */
export function recordWith<K extends NodeKind>(kind: K, { node, record }: Found<K>, other: object) {
  const present = Object.entries({ ...node, ...other }).filter(([, value]) => value !== null)
  const line = readers[kind].lineOf(Object.fromEntries(present), record as Properties)
  return records[kind].safeParse(line).data as RecordOf<K> | undefined
}

/** Records by key. */
export const readRecords = async <K extends NodeKind>(
  graph: Graph,
  kind: K,
  keys: readonly string[],
): Promise<RecordOf<K>[]> => {
  const { isRecord = () => true } = readers[kind].form
  return (await readNodes(graph, kind, keys)).flatMap(({ node, record }) => (isRecord(node) ? [record] : []))
}

const keyRow = z.object({ key: z.string() })

export const readKeys = async (graph: Graph, from: Statement, params: Params): Promise<string[]> =>
  (await readRows(graph, from, params, keyRow)).map(({ key }) => key)

/** So many keys are listed at once. */
export const AT_ONCE = 100

/** The keys of a listing after one, page by page. */
async function* pagesOf(
  graph: Graph,
  listing: Statement,
  params: Params,
  from: string,
  atOnce: number,
): AsyncGenerator<string[]> {
  for (let after = from; ; ) {
    const found = await readKeys(graph, listing, { ...params, ...windowAfter(after, atOnce) })
    const keys = firstAfter(found, (key) => key, after, atOnce)
    if (keys.length > 0) yield keys
    if (keys.length < atOnce) return
    after = keys.at(-1) ?? ''
  }
}

/** A world moves when it is created, and when a turn of it is completed or recorded. */
const WORLD_MOVED = `(world.createdAt >= datetime($since) OR world.lastCompletedAt >= datetime($since)
    OR EXISTS { MATCH (world)-[:HAS_TURN]->(t:Turn) WHERE t.createdAt >= datetime($since) })`

type Step = readonly [type: string, label: Label]
const nameOf = (label: Label): string => label.charAt(0).toLowerCase() + label.slice(1)

/**
 * A listing of what hangs on a node, by key: a hub's children are walked, no label is scanned.
 *
 * @param way from the owner to the nodes, and on to the worlds where those alone are wanted that hold one which moved
 */
function below(owner: Label, way: readonly [Step, ...Step[]], moved: string | null): Statement {
  const node = nameOf(way[0][1])
  return generated(
    `export/list-${way[0][1]}${moved === null ? '' : '-since'}`,
    `// params: $owner $after $limit ${moved === null ? '' : '$since'}
MATCH (:${owner} {key: $owner})${way.map(([type, label]) => `-[:${type}]->(${nameOf(label)}:${label})`).join('')}
WHERE ${node}.key > $after${moved === null ? '' : `\n  AND ${moved}`}
${way.length > 1 ? `WITH DISTINCT ${node}\n` : ''}RETURN ${node}.key AS key
ORDER BY key
LIMIT $limit`,
  )
}

const FEATURE: Step = ['HAS_FEATURE', 'Feature']
const TASK: Step = ['HAS_TASK', 'Task']
const WORLD: Step = ['HAS_WORLD', 'World']

const belowOwners = {
  feature: [below('Project', [FEATURE], null), below('Project', [FEATURE, TASK, WORLD], WORLD_MOVED)],
  task: [below('Feature', [TASK], null), below('Feature', [TASK, WORLD], WORLD_MOVED)],
  world: [below('Task', [WORLD], null), below('Task', [WORLD], WORLD_MOVED)],
} as const

/** By their keys; the project by its name. */
export const place = z.strictObject({
  project: z.string(),
  feature: z.string().optional(),
  task: z.string().optional(),
  world: z.string().optional(),
})
export type Place = z.output<typeof place>

export const LEVELS = ['feature', 'task', 'world'] as const
export type Level = (typeof LEVELS)[number]

/** The keys of the features of a project, the tasks of a feature, or the worlds of a task: with `since` those that moved. */
export async function* keysBelow(
  graph: Graph,
  level: Level,
  owner: string,
  since: string | null,
  after: string,
): AsyncGenerator<string> {
  const [all, moved] = belowOwners[level]
  const pages =
    since === null
      ? pagesOf(graph, all, { owner }, after, AT_ONCE)
      : pagesOf(graph, moved, { owner, since }, after, AT_ONCE)
  for await (const keys of pages) yield* keys
}

const criteria = below('Task', [['HAS_CRITERION', 'Criterion']], null)

/** The criteria of a task after one. */
export async function* criteriaAfter(
  graph: Graph,
  task: string,
  after: string,
): AsyncGenerator<RecordOf<'criterion'>> {
  for await (const keys of pagesOf(graph, criteria, { owner: task }, after, AT_ONCE))
    yield* await readRecords(graph, 'criterion', keys)
}

const added = ADDED.map(({ kind, label, owner }) => {
  const form: StoredForm = storedForms[kind as NodeKind]
  const { type = '', label: above = label } = form.owner ?? {}
  return { kind: kind as NodeKind, owner, listing: below(above, [[type, label]], null) }
})

/** Records of kinds that the model alone declares, below a node of a kind, from the one after a key on. */
export async function* addedBelow(
  graph: Graph,
  owner: Place,
  from: { kind: string; after: string } | null,
): AsyncGenerator<ExportRecord> {
  const level = LEVELS.findLast((name) => owner[name] !== undefined) ?? 'project'
  const key = level === 'project' ? projectKey(owner.project) : (owner[level] ?? '')
  const some = added.filter((one) => one.owner === level)
  for (const { kind, listing } of some.slice(
    Math.max(
      0,
      some.findIndex((one) => one.kind === from?.kind),
    ),
  )) {
    const after = from?.kind === kind ? from.after : ''
    for await (const keys of pagesOf(graph, listing, { owner: key }, after, AT_ONCE))
      yield* await readRecords(graph, kind, keys)
  }
}

/** A listing of a project's nodes by key: on Neo4j a walk along its index; Grafeo scans the label, 25,000 in some 10 ms. */
const ofProject = (name: string, label: Label, where: string): Statement =>
  generated(
    `export/list-${name}`,
    `// params: $after $below $limit ${where.includes('$since') ? '$since' : ''}
MATCH (n:${label})
WHERE n.key > $after AND n.key < $below${where}
RETURN n.key AS key
ORDER BY key
LIMIT $limit`,
  )

/** A file's progress is of all its sessions. One path never walks a relationship twice, so `x` is another session of it. */
const SESSION_MOVED = `(n.endedAt >= datetime($since)
    OR EXISTS { MATCH (n)<-[:HOLDS]-(:TranscriptFile)-[:HOLDS]->(x:TranscriptSession) WHERE x.endedAt >= datetime($since) })`
const FILE_MOVED = 'EXISTS { MATCH (n)-[:HOLDS]->(x:TranscriptSession) WHERE x.endedAt >= datetime($since) }'
const TRANSCRIBED = '\n  AND n.isTranscribed = true'

const ofProjects = {
  transcript_session: [
    ofProject('sessions', 'TranscriptSession', TRANSCRIBED),
    ofProject('sessions-since', 'TranscriptSession', `${TRANSCRIBED}\n  AND ${SESSION_MOVED}`),
  ],
  transcript_file: [
    ofProject('files', 'TranscriptFile', ''),
    ofProject('files-since', 'TranscriptFile', `\n  AND ${FILE_MOVED}`),
  ],
  // Of all turns: a part of the transcripts has others.
  desire: [ofProject('desires', 'Desire', ''), null],
} as const

/** Keys of a project's sessions, files or desires after one, page by page. */
export async function* keysInProject(
  graph: Graph,
  kind: keyof typeof ofProjects,
  { project, since }: { project: string; since: string | null },
  from: string,
  atOnce: number,
): AsyncGenerator<string[]> {
  const [all, moved] = ofProjects[kind]
  const { after, below: end } = keysOfProject(project)
  const listing = since === null ? all : moved
  if (listing === null) return
  const params = { below: end, ...(since !== null && { since }) }
  for await (const keys of pagesOf(graph, listing, params, from || after, atOnce))
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

/** Which of some sessions are of a file that somebody was active in since an instant. */
export const readActive = (graph: Graph, keys: readonly string[], since: string): Promise<string[]> =>
  keys.length === 0 ? Promise.resolve([]) : readKeys(graph, activeSessions, { keys: [...keys], since })

const projects = statement('export/projects')
const transcriptProjects = statement('export/transcript-projects')
const nameRow = z.object({ name: z.string() })

/** The projects after one, by name; one may have transcripts alone. */
export async function projectsAfter(graph: Graph, after: string): Promise<string[]> {
  const params = { after: windowAfter(after, 1).after }
  const rows = [
    ...(await readRows(graph, projects, params, nameRow)),
    ...(await readRows(graph, transcriptProjects, params, nameRow)),
  ]
  const names = new Set(rows.map(({ name }) => name).filter((name) => compareKeys(name, after) > 0))
  return [...names].sort(compareKeys)
}
