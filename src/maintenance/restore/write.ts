/** Compares records with the graph, and writes the new ones with statements that are generated from the model. */
import { projectOfKey } from '../../core/keys.ts'
import { readKeys } from '../../graph/decode.ts'
import { hasProjectFromKey, type Label, nodes } from '../../graph/model/nodes.ts'
import { describeKind, isInstant } from '../../graph/model/properties.ts'
import { type Graph, type Run, toStep, type Value } from '../../graph/port.ts'
import { generated, type Statement, statement } from '../../graph/statements.ts'
import { type NodeKind, readRecords } from '../export/read.ts'
import type { Kind, RecordOf } from '../export/records.ts'
import { type AnyRecord, findKey, type Ref, type StoredForm, storedForms } from '../export/stored-form.ts'
import { type Conflict, differing, missing } from './conflicts.ts'

/** Restore of one batch of records, in one transaction. */
export type Work = {
  graph: Graph
  run: Run
  token: string
  /** Keys of the nodes that this transaction created. They have no children yet, so they need no lookups. */
  made: Map<Label, Set<string>>
  /** Number of turns and attempts written into each world. */
  written: Map<string, { turn: number; attempt: number }>
  /** Keys of the tasks of the records. */
  tasks: Set<string>
}

/** Record with its position in the batch. */
export type Given<K extends Kind> = { index: number; record: RecordOf<K> }

/** Result of restoring the records of a kind: records that are neither created nor in conflict already existed. */
export type Restored = { created: number; conflicts: Conflict[] }

export type Compared<K extends Kind> = { fresh: Given<K>[]; conflicts: Conflict[] }

export const distinctKeys = <K extends Kind>(given: readonly Given<K>[]): string[] => [
  ...new Set(given.map(({ record }) => findKey(record))),
]

/** Separates new records from existing ones, and lists conflicts. */
export function compared<K extends Kind>(
  given: readonly Given<K>[],
  existing: readonly RecordOf<K>[],
  listFields: (given: RecordOf<K>, existing: RecordOf<K>) => string[] = differing,
): Compared<K> {
  const byKey = new Map(existing.map((record) => [findKey(record), record]))
  const fresh: Given<K>[] = []
  const conflicts: Conflict[] = []
  for (const { index, record } of given) {
    const key = findKey(record)
    const present = byKey.get(key)
    if (present === undefined) {
      fresh.push({ index, record })
      byKey.set(key, record) // a repeated line is one record
      continue
    }
    const fields = listFields(record, present)
    if (fields.length > 0) conflicts.push({ index, kind: record.kind, key, fields })
  }
  return { fresh, conflicts }
}

export const isMade = ({ made }: Work, { label, key }: Ref): boolean => made.get(label)?.has(key) ?? false

export function markMade(work: Work, label: Label, keys: readonly string[]): void {
  const known = work.made.get(label) ?? new Set()
  for (const key of keys) known.add(key)
  work.made.set(label, known)
}

export function findOwner(kind: NodeKind, record: AnyRecord): Ref | null {
  const { owner }: StoredForm = storedForms[kind]
  return owner === undefined ? null : { label: owner.label, key: String(record[owner.field]) }
}

/** Reads the given records that exist. Skips records whose owner this transaction created. */
export function readExisting<K extends NodeKind>(
  work: Work,
  kind: K,
  given: readonly Given<K>[],
): Promise<RecordOf<K>[]> {
  const others = given.filter(({ record }) => {
    const owner = findOwner(kind, record)
    return owner === null || !isMade(work, owner)
  })
  return readRecords(work.graph, kind, distinctKeys(others))
}

/** Writes the new records of a kind. */
export const writeNodes =
  <K extends NodeKind>(kind: K) =>
  async (work: Work, given: readonly Given<K>[]): Promise<Restored> => {
    const { fresh, conflicts } = compared(given, await readExisting(work, kind, given))
    await createNodes(work, kind, fresh)
    return { created: fresh.length, conflicts }
  }

/** @throws `invalid_request` if the owner of a record is missing */
export async function createNodes<K extends NodeKind>(
  work: Work,
  kind: K,
  fresh: readonly Given<K>[],
): Promise<void> {
  markMade(work, storedForms[kind].label, distinctKeys(fresh))
  await setNodes(work, kind, fresh)
}

/** Writes records whose nodes may exist already: unlike those of {@link createNodes}, they may have children. */
export async function setNodes<K extends NodeKind>(
  work: Work,
  kind: K,
  fresh: readonly Given<K>[],
): Promise<void> {
  const { label, within, fields, derive = (line) => line }: StoredForm = storedForms[kind]
  await refuseMissing(work, fresh, (record) => findReferences(kind, record))
  const writer = writers[kind]
  if (writer === null) return
  await writeRows(
    work,
    writer,
    fresh.map(({ record }) => {
      const line = derive(record)
      const node = within === undefined ? line : (line[within] as AnyRecord)
      const beside = Object.entries(fields).flatMap(
        ([name, { write, param = (value: unknown) => value as Value }]) =>
          write === undefined ? [] : [[name, param(line[name], line)]],
      )
      return {
        key: findKey(record),
        owner: findOwner(kind, line)?.key ?? null,
        ...split(label, node),
        ...Object.fromEntries(beside),
      }
    }),
  )
}

export function findReferences(kind: NodeKind, record: AnyRecord): Ref[] {
  const { fields }: StoredForm = storedForms[kind]
  const owner = findOwner(kind, record)
  return [
    ...(owner === null ? [] : [owner]),
    ...Object.entries(fields).flatMap(([name, { refs }]) => refs?.(record[name], record) ?? []),
  ]
}

type Values = { [name: string]: Value }

/** Splits the properties of a node for a statement: instants are separate, because `datetime()` converts each of them. */
export function split(label: Label, node: AnyRecord): { properties: Values; at: Values } {
  const properties: Values = {}
  const at: Values = {}
  for (const [name, property] of listProperties(label)) {
    const value = (node[name] ?? null) as Value
    if (isInstant(property)) at[name] = value
    else if (value !== null && name !== 'key') properties[name] = value
  }
  if (hasProjectFromKey(label)) properties.project = projectOfKey(String(node.key))
  return { properties, at }
}

const listProperties = (label: Label) => Object.entries(nodes[label].properties.shape)

/** Generates the statement that writes nodes with their additional fields. Uses MERGE: an earlier line may have created the node. */
function makeWriter(kind: NodeKind): Statement {
  const { label, owner, fields }: StoredForm = storedForms[kind]
  const own = listProperties(label)
  const instants = own.flatMap(([name, property]) =>
    isInstant(property) ? [`n.${name} = datetime(x.at.${name})`] : [],
  )
  const tokens = own.flatMap(([name, property]) => {
    const { kind: of, optional } = describeKind(property)
    return of === 'token' && !optional ? [`n.${name} = $token`] : []
  })
  // The records of a world are reported as changes when the world is complete (restore/standings).
  const changes =
    'changedAt' in nodes[label].properties.shape && owner?.label !== 'World'
      ? ['n.changedAt = timestamp()', 'n.changedIn = timestamp() / 60000']
      : []
  return generated(
    `restore/write-${kind}`,
    [
      `// params: $batch${tokens.length > 0 ? ' $token' : ''}`,
      'UNWIND $batch.rows AS x',
      ...(owner === undefined ? [] : [`MATCH (o:${owner.label} {key: x.owner})`]),
      `MERGE (n:${label} {key: x.key})`,
      `SET ${['n += x.properties', ...instants, ...tokens, ...changes].join(', ')}`,
      ...(owner === undefined ? [] : [`MERGE (o)-[:${owner.type}]->(n)`]),
      ...Object.values(fields).flatMap(({ write }) => write ?? []),
      'RETURN count(n) AS written',
    ].join('\n'),
  )
}

/** Kinds without a generated writer: the counters of a task and the revision of its criteria rise. Others use import statements. */
const BY_HAND: { [K in NodeKind]?: Statement | null } = {
  task: statement('restore/tasks'),
  criterion: statement('restore/criteria'),
  transcript_turn: null,
  desire: null,
}

const writers = Object.fromEntries(
  (Object.keys(storedForms) as NodeKind[]).map((kind) => [
    kind,
    kind in BY_HAND ? BY_HAND[kind] : makeWriter(kind),
  ]),
) as { [K in NodeKind]: Statement | null }

/** Writes rows. Passes them as one map, because Neo4j plans a statement again if a list parameter becomes empty. */
export async function writeRows({ run, token }: Work, to: Statement, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  const params = { batch: { rows }, ...(to.params.includes('token') && { token }) }
  const [answer] = await run(toStep(to, params))
  if (Number(answer?.written ?? 0) < rows.length) throw new Error(`${to.name} wrote less than it was given`)
}

const NOUNS = {
  Project: 'project',
  Feature: 'feature',
  Task: 'task',
  World: 'world',
  Criterion: 'criterion',
  Turn: 'turn',
  SupersededTurn: 'the record',
  TranscriptSession: 'session',
} as const satisfies { [L in Label]?: string }

const existing = Object.fromEntries(
  Object.keys(NOUNS).map((label) => [
    label,
    generated(
      `restore/existing-${label}`,
      `// params: $keys\nUNWIND $keys AS key\nMATCH (n:${label} {key: key})\nRETURN n.key AS key`,
    ),
  ]),
)

/** @throws `invalid_request` for the first record whose required record is missing */
export async function refuseMissing<K extends Kind>(
  work: Work,
  given: readonly Given<K>[],
  referencesIn: (record: RecordOf<K>) => readonly Ref[],
): Promise<void> {
  const missingByLabel = new Map<Label, Set<string>>()
  for (const { record } of given) {
    for (const ref of referencesIn(record)) {
      if (isMade(work, ref)) continue
      missingByLabel.set(ref.label, (missingByLabel.get(ref.label) ?? new Set()).add(ref.key))
    }
  }
  for (const [label, keys] of missingByLabel) {
    const from = existing[label]
    if (from === undefined) throw new Error(`nothing hangs on a ${label}`)
    for (const key of await readKeys(work.graph, from, { keys: [...keys] })) keys.delete(key)
  }
  for (const { index, record } of given) {
    const lost = referencesIn(record).find(({ label, key }) => missingByLabel.get(label)?.has(key))
    if (lost !== undefined)
      throw missing(index, record, `${NOUNS[lost.label as keyof typeof NOUNS]} ${lost.key}`)
  }
}
