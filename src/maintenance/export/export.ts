/** Exports a graph as records, each with the position after it, from which an interrupted export continues. */
import * as z from 'zod'
import { projectKey } from '../../core/keys.ts'
import type { Graph } from '../../graph/port.ts'
import { addedBelow, criteriaAfter, type Exported, isAt, place, placesBelow, projectsFrom } from './list.ts'
import type { ExportedLine } from './page.ts'
import { readNodes, readRecords } from './read.ts'
import { type ExportRecord, FORMAT, type Header, VERSION } from './records.ts'
import { type AnyRecord, findKey } from './stored-form.ts'
import { exportTranscripts, transcriptPosition } from './transcripts.ts'
import { exportWorld, halfRestored, worldPosition } from './world.ts'

export const exportPosition = place.extend({
  /** Exported criteria: their revision, the key of the last one, and the number of declared versions when the export began. */
  criteria: z
    .strictObject({ rev: z.number(), after: z.string().optional(), version: z.number().optional() })
    .optional(),
  /** Exported part of the world: null for nothing yet, absent for the whole world. */
  ofWorld: worldPosition.nullable().optional(),
  /** Last record of a kind that only the model declares, below the place. */
  added: z.strictObject({ kind: z.string(), after: z.string() }).optional(),
  transcripts: transcriptPosition.optional(),
})
export type ExportPosition = z.output<typeof exportPosition>

type Entry = { record: ExportRecord; at: ExportPosition }

export const headerLine = (exported: Exported): string =>
  JSON.stringify({ format: FORMAT, version: VERSION, ...exported } satisfies Header)

export async function* walkLines(
  graph: Graph,
  exported: Exported,
  from: ExportPosition | null,
): AsyncGenerator<ExportedLine<ExportPosition>> {
  for await (const { record, at } of exportRecords(graph, exported, from))
    yield { line: JSON.stringify(record), at }
}

async function* exportRecords(
  graph: Graph,
  exported: Exported,
  from: ExportPosition | null,
): AsyncGenerator<Entry> {
  for (const project of await projectsFrom(graph, exported, from)) {
    const own = from?.project === project ? from : null
    if (own?.transcripts === undefined) yield* exportWork(graph, project, exported.since, own)
    for await (const { record, at } of exportTranscripts(graph, project, exported.since, own?.transcripts))
      yield { record, at: { project, transcripts: at } }
  }
}

/** Exports the features of a project, their tasks with the criteria, and the worlds of each task. */
async function* exportWork(
  graph: Graph,
  project: string,
  since: string | null,
  from: ExportPosition | null,
): AsyncGenerator<Entry> {
  const [record] = await readRecords(graph, 'project', [projectKey(project)])
  if (record === undefined) return
  // With `since`, exports the project together with its first exported record.
  let isPending = from === null
  if (isPending && since === null) {
    yield { record, at: { project } }
    isPending = false
  }
  async function* exportAdded(at: ExportPosition): AsyncGenerator<Entry> {
    const resumed = isAt(at, from) ? (from?.added ?? null) : null
    for await (const record of addedBelow(graph, at, resumed))
      if (isDeclaredBy(record, at))
        yield { record, at: { ...at, added: { kind: record.kind, after: findKey(record) } } }
  }
  if (from === null || isAt({ project }, from)) yield* exportAdded({ project })
  let criteria = from?.criteria
  async function* exportCriteriaOf(task: string, at: ExportPosition): AsyncGenerator<Entry> {
    for await (const entry of exportCriteria(graph, task, at)) {
      criteria = entry.at.criteria
      yield entry
    }
    if (criteria !== undefined) criteria = { rev: criteria.rev, version: criteria.version }
  }
  for await (const at of placesBelow(graph, { project }, since, from)) {
    if (isPending) yield { record, at: { project } }
    isPending = false
    const { feature, task, world } = at
    if (world !== undefined && task !== undefined) {
      const resumed = world === from?.world
      let ofWorld = (resumed && from.ofWorld) || null
      const chunks = resumed && from.ofWorld === undefined ? [] : exportWorld(graph, world, ofWorld)
      for await (const chunk of chunks) {
        // Reads criteria after the turns that name them, and exports them again if a capture has added to them.
        yield* exportCriteriaOf(task, { ...at, criteria, ofWorld })
        for (const { record, at: done } of chunk) {
          ofWorld = done
          yield {
            record: asDeclared(record, criteria),
            at: { ...at, criteria, ...(done !== null && { ofWorld: done }) },
          }
        }
      }
      yield* exportAdded({ ...at, ...(criteria && { criteria }) })
    } else if (task !== undefined) {
      const resumed = task === from?.task
      if (!resumed) criteria = undefined
      if (!resumed || criteria?.after !== undefined) yield* exportCriteriaOf(task, resumed ? from : at)
      if (!resumed || isAt(at, from)) yield* exportAdded({ ...at, ...(criteria && { criteria }) })
    } else if (feature !== undefined) {
      const resumed = feature === from?.feature
      for (const record of resumed ? [] : await readRecords(graph, 'feature', [feature])) yield { record, at }
      if (!resumed || isAt(at, from)) yield* exportAdded(at)
    }
  }
}

async function* exportCriteria(graph: Graph, key: string, from: ExportPosition): AsyncGenerator<Entry> {
  let { rev, after, version } = from.criteria ?? {}
  if (after === undefined) {
    const [found] = await readNodes(graph, 'task', [key])
    if (found === undefined) return
    const { node, record: task } = found
    if (node.restoring === true) throw halfRestored(`Task ${key}`, { task_key: key })
    if (task.criteriaRev === rev) return
    rev = task.criteriaRev
    version ??= task.specificationVersion ?? 0
    yield { record: asDeclared(task, { version }), at: { ...from, criteria: { rev, after: '', version } } }
  }
  for await (const record of criteriaAfter(graph, key, after ?? ''))
    yield { record, at: { ...from, criteria: { rev: rev ?? 0, after: record.key, version } } }
}

/** False for a version that was declared during the export: its criteria are missing, so a restore would reject it. */
function isDeclaredBy({ kind, version }: AnyRecord, { criteria }: ExportPosition): boolean {
  return kind !== 'specification' || Number(version) <= (criteria?.version ?? Number.POSITIVE_INFINITY)
}

/** Reduces a task or a world to the versions that the task had declared when its export began. */
function asDeclared(record: ExportRecord, { version }: { version?: number | undefined } = {}): ExportRecord {
  if (version === undefined) return record
  if (record.kind === 'task' && (record.specificationVersion ?? 0) > version) {
    const { specificationVersion, ...task } = record
    return version === 0 ? task : { ...task, specificationVersion: version }
  }
  if (record.kind === 'world' && (record.specifiedAfter?.length ?? 0) > version) {
    const { specifiedAfter = [], ...world } = record
    return version === 0 ? world : { ...world, specifiedAfter: specifiedAfter.slice(0, version) }
  }
  return record
}
