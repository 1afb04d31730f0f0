import * as z from 'zod'
import { readRows } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { readCriteria, readTasks, stored } from '../export/read.ts'
import type { RecordOf } from '../export/records.ts'
import { differing, missing } from './conflicts.ts'
import type { Given, Restored, Work } from './work.ts'
import { compared, keysOf, writeRows } from './write.ts'

/** What worlds hang on: projects, features, tasks and their criteria. */

const projectRecord = statement('export/project')
const featureRecords = statement('export/feature-records')
const projects = statement('restore/projects')
const features = statement('restore/features')
const tasks = statement('restore/tasks')
const criteria = statement('restore/criteria')

export async function writeProjects(work: Work, given: readonly Given<'project'>[]): Promise<Restored> {
  const standing: RecordOf<'project'>[] = []
  for (const key of keysOf(given)) {
    const rows = await readRows(work.graph, projectRecord, { key }, z.object({ project: stored('Project') }))
    standing.push(...rows.map(({ project }) => ({ kind: 'project' as const, ...project })))
  }
  const { fresh, conflicts } = compared(given, standing)
  await writeRows(
    work,
    projects,
    fresh.map(({ record: { key, name } }) => ({ key, name })),
  )
  return { created: fresh.length, conflicts }
}

async function readFeatures(graph: Graph, keys: readonly string[]): Promise<RecordOf<'feature'>[]> {
  const row = z.object({ feature: stored('Feature'), project: z.string() })
  const rows = await readRows(graph, featureRecords, { keys: [...keys] }, row)
  return rows.map(({ feature, project }) => ({ kind: 'feature', project, ...feature }))
}

export async function writeFeatures(work: Work, given: readonly Given<'feature'>[]): Promise<Restored> {
  const { fresh, conflicts } = compared(given, await readFeatures(work.graph, keysOf(given)))
  const written = await writeRows(
    work,
    features,
    fresh.map(({ record: { key, id, project } }) => ({ key, id, project })),
  )
  if (written < fresh.length)
    refuse(fresh, await readFeatures(work.graph, keysOf(fresh)), ({ project }) => `project ${project}`)
  return { created: fresh.length, conflicts }
}

/** A task's counters only rise: both graphs' worlds and criteria count. */
export async function writeTasks(work: Work, given: readonly Given<'task'>[]): Promise<Restored> {
  const standing = await readTasks(work.graph, keysOf(given))
  const { fresh, conflicts } = compared(given, standing, (record, known) =>
    differing({ ...record, ...COUNTERS }, { ...known, ...COUNTERS }),
  )
  const behind = given.filter(({ record }) => {
    const known = standing.find(({ key }) => key === record.key)
    return (
      known !== undefined && (known.criteriaRev < record.criteriaRev || known.worldCount < record.worldCount)
    )
  })
  const rows = [...fresh, ...behind].map(({ record: { kind: _, ...task } }) => task)
  const written = await writeRows(work, tasks, rows)
  for (const { record } of fresh) work.made.tasks.add(record.key)
  if (written < rows.length)
    refuse(fresh, await readTasks(work.graph, keysOf(fresh)), ({ feature }) => `feature ${feature}`)
  return { created: fresh.length, conflicts }
}

const COUNTERS = { criteriaRev: 0, worldCount: 0 }

/**
 * Criteria only grow: whoever knows more texts and labels, and begins with those of the other, is a later state of the
 * same. An export that raced a capture tells one twice.
 */
export async function writeCriteria(work: Work, given: readonly Given<'criterion'>[]): Promise<Restored> {
  const known = keysOf(given.filter(({ record }) => !work.made.tasks.has(record.task)))
  const standing = new Map(
    known.length === 0 ? [] : (await readCriteria(work.graph, known)).map((record) => [record.key, record]),
  )
  const rows = new Map<string, Given<'criterion'>>()
  const conflicts: Restored['conflicts'] = []
  let created = 0
  for (const { index, record } of given) {
    const there = rows.get(record.key)?.record ?? standing.get(record.key)
    if (there === undefined) created++
    else if (growsInto(record, there)) continue
    else if (!growsInto(there, record)) {
      const fields = differing(record, there)
      conflicts.push({ index, kind: 'criterion', key: record.key, fields })
      continue
    }
    rows.set(record.key, { index, record })
  }
  const fresh = [...rows.values()]
  const written = await writeRows(
    work,
    criteria,
    fresh.map(({ record: { kind: _, task, key, ...properties } }) => ({ task, key, properties })),
  )
  if (written < fresh.length)
    refuse(fresh, await readCriteria(work.graph, keysOf(fresh)), ({ task }) => `task ${task}`)
  for (const { record } of fresh) work.made.criteria.add(record.key)
  return { created, conflicts }
}

type Criterion = RecordOf<'criterion'>

function growsInto(earlier: Criterion, later: Criterion): boolean {
  const begins = (some: readonly string[], with_: readonly string[]) =>
    with_.every((held, i) => some[i] === held)
  return (
    earlier.task === later.task &&
    earlier.worldKey === later.worldKey &&
    (earlier.mergedInto === undefined || earlier.mergedInto === later.mergedInto) &&
    begins(later.texts, earlier.texts) &&
    begins(later.textSources, earlier.textSources) &&
    begins(later.labels, earlier.labels) &&
    begins(later.labelSources, earlier.labelSources)
  )
}

function refuse<K extends 'feature' | 'task' | 'criterion'>(
  given: readonly Given<K>[],
  there: readonly { key: string }[],
  parentOf: (record: RecordOf<K>) => string,
): never {
  const keys = new Set(there.map(({ key }) => key))
  const lost = given.find(({ record }) => !keys.has(record.key))
  if (lost === undefined) throw new Error('a record was not written, and yet is there')
  throw missing(lost.index, lost.record, parentOf(lost.record))
}
