/** Restores records of an export: writes missing records, and compares the others. */
import { isCriterionKey, partsOfKey, supersededKey, turnKey, turnOfSuperseded } from '../../core/keys.ts'
import { markerOfProject } from '../../graph/mask-key.ts'
import type { Graph, Run } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { within } from '../../memory/worlds/read-at-one-revision.ts'
import type { NodeKind } from '../export/read.ts'
import {
  DERIVED_FIELDS,
  type ExportRecord,
  KINDS,
  type Kind,
  type RecordOf,
  records,
} from '../export/records.ts'
import type { AnyRecord } from '../export/stored-form.ts'
import { type Conflict, refuseConflicts, unfit } from './conflicts.ts'
import { findWrongKeys } from './derived-keys.ts'
import { writeCriteria, writeProjects, writeTasks } from './scope.ts'
import { scrubRecords } from './scrub-records.ts'
import { writeDesires, writeTranscriptTurns } from './transcripts.ts'
import { writeIntoWorlds, writeStandings, writeWorlds } from './worlds.ts'
import { type Given, type Restored, type Work, writeNodes, writeRows } from './write.ts'

const mark = statement('restore/mark-tasks')
const versions = statement('restore/versions')

/** Writers of kinds that span several nodes: each compares records with the graph, and writes the new ones. */
const writers: { [K in Kind]?: (work: Work, given: readonly Given<K>[]) => Promise<Restored> } = {
  project: writeProjects,
  task: writeTasks,
  criterion: writeCriteria,
  world: writeWorlds,
  turn: writeIntoWorlds('turn'),
  superseded_turn: writeIntoWorlds('superseded_turn'),
  attempt: writeIntoWorlds('attempt'),
  turn_run: writeIntoWorlds('turn_run'),
  standing: writeStandings,
  transcript_turn: writeTranscriptTurns,
  desire: writeDesires,
}

export type RestoreReport = Partial<Record<Kind, { created: number; existing: number }>>

/**
 * Restores lines of an export in their order, all or none. Skips records that already exist with the same content, so a call can
 * be repeated. Rejects all lines if one record differs.
 *
 * @param options.continuesTask key of the task whose lines continue in the next call; other writes to the task fail until then
 * @throws `restore_conflict`, `invalid_request` if the owner of a record is missing, `store_unavailable`, `timeout`
 * @example
 * const lines = text.trimEnd().split('\n').slice(1, -1) // without header and trailer
 * await restoreRecords(graph, lines.map((line) => JSON.parse(line)))
 */
export async function restoreRecords(
  graph: Graph,
  given: readonly unknown[],
  { continuesTask = null }: { continuesTask?: string | null | undefined } = {},
): Promise<{ records: RestoreReport; redactions: number }> {
  const { records: parsed, redactions } = await scrubRecords(given.map(parseRecord), (project) =>
    markerOfProject(graph, project),
  )
  const report = await graph.transact((run) => restoreWithin(graph, run, parsed, continuesTask))
  return { records: report ?? {}, redactions }
}

async function restoreWithin(
  graph: Graph,
  run: Run,
  all: readonly ExportRecord[],
  continuesTask: string | null,
): Promise<RestoreReport> {
  const token = crypto.randomUUID()
  const work: Work = {
    graph: within(graph, run),
    run,
    token,
    made: new Map(),
    written: new Map(),
    tasks: new Set(),
  }
  const report: RestoreReport = {}
  const conflicts: Conflict[] = []
  for (const kind of KINDS) {
    const some = ofKind(all, kind)
    if (some.length === 0) continue
    const restored = await write(kind, work, some)
    report[kind] = {
      created: restored.created,
      existing: some.length - restored.created - restored.conflicts.length,
    }
    conflicts.push(...restored.conflicts)
  }
  refuseConflicts(conflicts)
  await raiseVersions(work, all)
  await markTasks(work, all, continuesTask)
  return report
}

async function raiseVersions(work: Work, all: readonly AnyRecord[]): Promise<void> {
  const tasks = all.flatMap(({ kind, task }) => (kind === 'specification' ? [String(task)] : []))
  const rows = [...new Set(tasks)].sort().map((key) => ({ key }))
  await writeRows(work, versions, rows)
}

/** Marks the task whose lines continue as incomplete, so that captures and declarations reject it, and the others as complete. */
async function markTasks(
  work: Work,
  all: readonly ExportRecord[],
  continuesTask: string | null,
): Promise<void> {
  for (const record of all) if ('task' in record) work.tasks.add(record.task)
  for (const { key } of all.filter(({ kind }) => kind === 'task') as RecordOf<'task'>[]) work.tasks.add(key)
  const rows = [...work.tasks].sort().map((key) => ({ key, continues: key === continuesTask }))
  await writeRows(work, mark, rows)
}

/** Returns the writer of a kind, which takes the records of that kind; the compiler cannot infer this. */
const write = <K extends Kind>(kind: K, work: Work, some: readonly Given<K>[]): Promise<Restored> =>
  (
    (writers[kind] ?? writeNodes(kind as NodeKind)) as (
      work: Work,
      some: readonly Given<K>[],
    ) => Promise<Restored>
  )(work, some)

function ofKind<K extends Kind>(all: readonly ExportRecord[], kind: K): Given<K>[] {
  return all.flatMap((record, index) =>
    record.kind === kind ? [{ index, record: record as RecordOf<K> }] : [],
  )
}

/** @throws `invalid_request` with every field that does not match the schema */
export function parseRecord(given: unknown, index: number): ExportRecord {
  const kind = typeof given === 'object' && given !== null && 'kind' in given ? given.kind : undefined
  if (typeof kind !== 'string' || !Object.hasOwn(records, kind)) {
    throw unfit(index, [{ path: 'kind', message: `is none of ${KINDS.join(', ')}` }])
  }
  const result = records[kind as Kind].safeParse(withoutDerived(kind, given))
  if (result.success) {
    const record: ExportRecord = result.data
    const wrongKey = (of: string, path = 'key') => {
      const message = `is not the key of ${of}; restore the file as it was exported`
      return unfit(index, [{ path, message }])
    }
    if (record.kind === 'criterion' && !isCriterionKey(record.task, record.key))
      throw wrongKey(`a criterion of the task ${record.task}`)
    if (record.kind === 'turn' && record.turn.key !== turnKey(record.world, record.turn.number))
      throw wrongKey(`turn ${record.turn.number} of the world ${record.world}`, 'turn.key')
    if (record.kind === 'superseded_turn' && record.turn.key !== supersededKeyOf(record))
      throw wrongKey(`revision ${record.turn.revision} of the turn below ${record.supersededBy}`, 'turn.key')
    const problems = findWrongKeys(record)
    if (problems.length > 0) throw unfit(index, problems)
    return record
  }
  throw unfit(
    index,
    result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  )
}

/** Builds the key of a superseded record from its number and revision, and the record or the world that has it. */
function supersededKeyOf({ supersededBy, turn: { number, revision } }: RecordOf<'superseded_turn'>): string {
  const isWithdrawn = partsOfKey(supersededBy).length === 2
  return supersededKey(isWithdrawn ? turnKey(supersededBy, number) : turnOfSuperseded(supersededBy), revision)
}

/** Removes the derived fields of earlier versions from a line and its parts, `depth` levels below it. */
export function withoutDerived(kind: string, given: unknown, depth = 2): unknown {
  if (typeof given !== 'object' || given === null || depth < 0) return given
  if (Array.isArray(given)) return given.map((each) => withoutDerived(kind, each, depth - 1))
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      DERIVED_FIELDS[kind]?.includes(name) ? [] : [[name, withoutDerived(kind, value, depth - 1)]],
    ),
  )
}
