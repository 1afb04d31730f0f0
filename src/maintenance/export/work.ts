import * as z from 'zod'
import { projectKey } from '../../core/keys.ts'
import { readRows, untilWhole } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { AT_ONCE, featuresAfter, tasksAfter, worldsAfter } from './listing.ts'
import { firstAfter, windowAfter } from './order.ts'
import { criterionRow, readTasks, stored, toCriterion } from './read.ts'
import type { ExportRecord, RecordOf } from './records.ts'
import { tellWorld, type WorldPosition, worldPosition } from './world.ts'

/**
 * The work of a project, depth first: its features, their tasks with the criteria, and the worlds of each. A hub's
 * children are walked, in the order of their keys; no page scans a label.
 */

const projectRecord = statement('export/project')
const criteriaOfTask = statement('export/criteria-of-task')

/** Where the work of a project was left. */
export const workPosition = z.strictObject({
  feature: z.string(),
  task: z
    .strictObject({
      key: z.string(),
      /** The revision of its criteria that was told, and the last of them where some are left. */
      criteriaRev: z.number(),
      criterion: z.string().optional(),
      world: worldPosition.optional(),
      /** The last world that was told to its end. */
      after: z.string().optional(),
    })
    .optional(),
  /** The last task that was told to its end. */
  after: z.string().optional(),
})
export type WorkPosition = z.output<typeof workPosition>

type TaskPosition = NonNullable<WorkPosition['task']>
export type Told<P> = { record: ExportRecord; at: P }

/** @param from null: from the project's own record on */
export async function* tellWork(
  graph: Graph,
  project: string,
  since: string | null,
  from: WorkPosition | null,
): AsyncGenerator<Told<WorkPosition>> {
  const [found] = await readRows(
    graph,
    projectRecord,
    { key: projectKey(project) },
    z.object({ project: stored('Project') }),
  )
  if (found === undefined) return
  const ofProject: ExportRecord = { kind: 'project', ...found.project }
  // With `since` a parent is told once a child of it is.
  let untold: ExportRecord[] = from === null ? [ofProject] : []
  let after = from?.feature ?? ''
  if (from === null && since === null) {
    yield { record: ofProject, at: { feature: '' } }
    untold = []
  }
  if (from !== null && from.feature !== '') yield* tellFeature(graph, from.feature, since, from, [])
  for (;;) {
    const some = await featuresAfter(graph, project, after)
    for (const feature of some) {
      const record: ExportRecord = { kind: 'feature', project: found.project.key, ...feature }
      if (since === null) {
        yield { record, at: { feature: feature.key } }
        yield* tellFeature(graph, feature.key, since, null, [])
        continue
      }
      const parents = [...untold, record]
      for await (const told of tellFeature(graph, feature.key, since, null, parents)) {
        untold = []
        yield told
      }
    }
    after = some.at(-1)?.key ?? ''
    if (some.length < AT_ONCE) return
  }
}

/** @param parents what is to be told before the first task */
async function* tellFeature(
  graph: Graph,
  feature: string,
  since: string | null,
  position: WorkPosition | null,
  parents: readonly ExportRecord[],
): AsyncGenerator<Told<WorkPosition>> {
  let untold = parents
  let after = position?.after ?? ''
  if (position?.task !== undefined) {
    const task = position.task
    for await (const { record, at } of tellTask(graph, task.key, since, task)) {
      yield { record, at: { feature, after, task: at } }
    }
    after = task.key
  }
  for (;;) {
    const keys = await tasksAfter(graph, feature, since, after)
    for (const key of keys) {
      for await (const { record, at } of tellTask(graph, key, since, null)) {
        // Where a page ends after the project's record, the next one looks for the feature again.
        for (const parent of untold) {
          yield { record: parent, at: parent.kind === 'project' ? { feature: '' } : { feature, after } }
        }
        untold = []
        yield { record, at: { feature, after, task: at } }
      }
      after = key
    }
    if (keys.length < AT_ONCE) return
  }
}

/**
 * A task with its criteria and worlds. What a turn says of criteria is told after them: they are read once the turn was,
 * and told anew where a capture has added to them since they were told.
 */
async function* tellTask(
  graph: Graph,
  key: string,
  since: string | null,
  position: TaskPosition | null,
): AsyncGenerator<Told<TaskPosition>> {
  let at: TaskPosition = position ?? { key, criteriaRev: NOT_TOLD }
  async function* tellCriteria(world: WorldPosition | undefined): AsyncGenerator<Told<TaskPosition>> {
    const { world: _, criterion, ...place } = at
    const resumed = criterion !== undefined
    if (!resumed) {
      const [task] = await readTasks(graph, [key])
      if (task === undefined || task.criteriaRev === at.criteriaRev) return
      at = { ...place, criteriaRev: task.criteriaRev, criterion: '', ...(world !== undefined && { world }) }
      yield { record: task, at }
    }
    for await (const record of criteriaAfter(graph, key, at.criterion ?? '')) {
      at = { ...at, criterion: record.key }
      yield { record, at }
    }
    const { criterion: __, ...told } = at
    at = told
  }
  if (at.criterion !== undefined) yield* tellCriteria(at.world)
  const tellOne = async function* (worldKey: string, world: WorldPosition | null) {
    let place = world
    for await (const chunk of tellWorld(graph, worldKey, world)) {
      yield* tellCriteria(place ?? undefined)
      for (const told of chunk) {
        place = told.at
        const { world: _, ...rest } = at
        at = told.at === null ? { ...rest, after: worldKey } : { ...rest, world: told.at }
        yield { record: told.record, at }
      }
    }
    const { world: _, ...rest } = at
    at = { ...rest, after: worldKey }
  }
  if (at.world !== undefined) yield* tellOne(at.world.key, at.world)
  for (;;) {
    const keys = await worldsAfter(graph, key, since, at.after ?? '')
    for (const worldKey of keys) yield* tellOne(worldKey, null)
    if (keys.length < AT_ONCE) break
  }
  // One without worlds is told all the same.
  if (at.criteriaRev === NOT_TOLD && since === null) yield* tellCriteria(undefined)
}

const NOT_TOLD = -1

async function* criteriaAfter(
  graph: Graph,
  taskKey: string,
  from: string,
): AsyncGenerator<RecordOf<'criterion'>> {
  for (let after = from; ; ) {
    // A criterion that is seen before its texts is half of a commit, which fails to decode.
    const found = await untilWhole(
      () => readRows(graph, criteriaOfTask, { taskKey, ...windowAfter(after, AT_ONCE) }, halfCriterionRow),
      (rows) => rows.every(({ criterion }) => criterion.texts !== undefined),
    )
    const rows = firstAfter(found, ({ criterion }) => criterion.key, after, AT_ONCE)
    for (const row of rows) yield toCriterion(criterionRow.parse(row))
    after = rows.at(-1)?.criterion.key ?? ''
    if (rows.length < AT_ONCE) return
  }
}

const halfCriterionRow = z.object({
  criterion: z.looseObject({ key: z.string(), texts: z.array(z.string()).optional() }),
  task: z.string(),
})
