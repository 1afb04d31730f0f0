import * as z from 'zod'
import { featureKey, labelOnlyCriterionKey, partsOfKey, projectKey, taskKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { finalKeys } from '../../memory/criteria/state.ts'
import type { Position } from './cursor.ts'
import { type Finding, Findings } from './finding.ts'
import { checkKey, checkRecord, type Held, heldMap, setOf } from './records.ts'
import { repairUnderLock } from './repair.ts'
import { tell, type Walk, type Walked, walkFrom } from './walked.ts'
import { checkWorld, type OfTask } from './worlds.ts'

const projectByKey = statement('doctor/project')
const features = statement('doctor/features')
const tasks = statement('doctor/tasks')
const criteriaOfTask = statement('doctor/criteria')
const worldsOfTask = statement('doctor/worlds')

const lockWorld = statement('doctor/lock-world')
const lockTask = statement('forget/hold-task')

const ROWS_AT_ONCE = 200

const row = z.object({ key: z.string(), held: heldMap })
const criterionRow = row.extend({ isNamed: z.boolean() })
const worldRow = z.object({ key: z.string(), ordinal: z.number().nullable() })

/** The tree of a project: its features, their tasks with their criteria, and their worlds. */
export async function walkTree(
  graph: Graph,
  project: string,
  from: Position,
  { isTime, repair }: Walk,
): Promise<Walked> {
  const { walked, place } = walkFrom(from)
  if (place.feature === '') await checkProject(graph, project, walked)
  for (;;) {
    // The feature in which it stopped, or the next one.
    const inFeature = place.task !== ''
    if (!inFeature) {
      const [next] = await readRows(
        graph,
        features,
        { projectKey: projectKey(project), after: place.feature, limit: 1 },
        row,
      )
      if (next === undefined) return { ...walked, next: null }
      checkFeature(project, next.key, next.held, walked)
      place.feature = next.key
    }
    if (!(await walkFeature(graph, project, place, walked, { isTime, repair }))) return walked
    place.task = ''
    if (!isTime()) return walked
  }
}

async function checkProject(graph: Graph, project: string, walked: Walked): Promise<void> {
  const params = { projectKey: projectKey(project) }
  for (const { held } of await readRows(graph, projectByKey, params, z.object({ held: heldMap }))) {
    const findings = new Findings()
    const key = String(held.key)
    if (checkRecord(findings, 'Project', key, held))
      checkKey(findings, 'Project', key, projectKey(String(held.name)))
    tell(walked, findings, 1)
  }
}

function checkFeature(project: string, key: string, held: Held, walked: Walked): void {
  const findings = new Findings()
  if (checkRecord(findings, 'Feature', key, held))
    checkKey(findings, 'Feature', key, featureKey(project, String(held.id)))
  tell(walked, findings, 1)
}

/** @returns whether it came to its end */
async function walkFeature(
  graph: Graph,
  project: string,
  place: Position,
  walked: Walked,
  { isTime, repair }: Walk,
): Promise<boolean> {
  // Where it stopped within a task, that one is not done: `after` is the one before it.
  for (;;) {
    const params = { featureKey: place.feature, after: place.after, limit: ROWS_AT_ONCE }
    const rows = await readRows(graph, tasks, params, row)
    for (const { key, held } of rows) {
      if (!isTime() && place.task !== key) return stopAt(place, key)
      const resumes = place.task === key
      place.task = key
      if (!(await walkTask(graph, project, { key, held }, place, walked, { isTime, repair, resumes })))
        return false
      place.after = key
      place.world = ''
      place.open = null
    }
    if (rows.length < ROWS_AT_ONCE) {
      place.after = ''
      return true
    }
  }
}

/** Goes on with a task that is not begun. */
function stopAt(place: Position, key: string): false {
  place.task = `${key}\n` // no task's key: it is examined from its beginning
  return false
}

async function walkTask(
  graph: Graph,
  project: string,
  { key, held }: { key: string; held: Held },
  place: Position,
  walked: Walked,
  { isTime, repair, resumes }: Walk & { resumes: boolean },
): Promise<boolean> {
  const findings = new Findings()
  const fits = checkRecord(findings, 'Task', key, held)
  const [, featureId = ''] = partsOfKey(place.feature)
  if (fits) checkKey(findings, 'Task', key, taskKey(project, featureId, String(held.id)))
  let task = await checkCriteria(graph, key, findings)
  if (!resumes && repair && findings.repairs.length > 0) {
    const others = findings.all.filter(({ label }) => label !== 'Criterion')
    const lock = { statement: lockTask, params: { taskKey: key } }
    const repaired = await repairUnderLock(graph, lock, async (locked) => {
      const again = new Findings()
      await checkCriteria(locked, key, again)
      return { findings: again.all, repairs: again.repairs }
    })
    task = await checkCriteria(graph, key, new Findings())
    findings.all.splice(0, findings.all.length, ...others, ...repaired)
  }
  if (!resumes) tell(walked, findings, 1 + task.criteria.size)
  const ordinals: number[] = []
  for (;;) {
    const params = { taskKey: key, after: place.world, limit: ROWS_AT_ONCE }
    const rows = await readRows(graph, worldsOfTask, params, worldRow)
    for (const world of rows) {
      do {
        const open = place.open?.key === world.key ? place.open : null
        const seen = await checkWorld(graph, world.key, task, open, isTime)
        walked.examined += seen.examined
        walked.findings.push(
          ...(repair && seen.findings.length > 0 ? await repairWorld(graph, world.key, task) : seen.findings),
        )
        place.open = seen.open
        if (seen.open !== null && !isTime()) return false
      } while (place.open !== null)
      place.world = world.key
      if (world.ordinal !== null) ordinals.push(world.ordinal)
      if (!isTime()) return false
    }
    if (rows.length < ROWS_AT_ONCE) break
  }
  return true
}

const repairWorld = (graph: Graph, worldKey: string, task: OfTask): Promise<Finding[]> =>
  repairUnderLock(graph, { statement: lockWorld, params: { worldKey } }, (locked) =>
    checkWorld(locked, worldKey, task, null, () => true),
  )

/** The criteria of a task: what they are merged into must be there, and come to an end. */
async function checkCriteria(graph: Graph, key: string, findings: Findings): Promise<OfTask> {
  const rows = await readRows(graph, criteriaOfTask, { taskKey: key }, criterionRow)
  const into = new Map(rows.map(({ key: of, held }) => [of, textOf(held.mergedInto)]))
  const targets = new Set([...into.values()])
  for (const { key: of, held, isNamed } of rows) {
    if (checkRecord(findings, 'Criterion', of, held)) checkCriterionKey(findings, key, of, held)
    if (!isNamed && !targets.has(of))
      findings.add('criterion_unnamed', 'Criterion', of, 'nothing speaks of it')
    const end = endOf(of, into)
    if (end !== null) findings.add('criterion_merge', 'Criterion', of, end, unmerge(of, into))
  }
  const sound = [...into].map(([of, target]) => ({
    key: of,
    mergedInto: endOf(of, into) === null ? target : null,
  }))
  return {
    key,
    criteria: new Set(into.keys()),
    keyOf: finalKeys(sound),
    isSound: findings.all.every(({ check }) => check !== 'criterion_merge'),
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function endOf(key: string, into: ReadonlyMap<string, string | null>): string | null {
  const passed = new Set<string>()
  for (let at: string | null = key; at !== null; at = into.get(at) ?? null) {
    if (!into.has(at)) return `is merged into ${at}, which the task does not have`
    if (passed.has(at)) return `is merged into ${[...passed].join(', then ')}, and so into itself`
    passed.add(at)
  }
  return null
}

/** The merge that cannot be is undone, and no other: the one into nothing, and one of those that go round. */
function unmerge(key: string, into: ReadonlyMap<string, string | null>): Step | null {
  const target = into.get(key) ?? null
  if (target === null) return null
  const round = [key]
  for (let at: string | null = target; at !== null && at !== key; at = into.get(at) ?? null) {
    if (round.includes(at)) return null // it leads into a round of others
    round.push(at)
  }
  const goesRound = into.get(round.at(-1) ?? '') === key
  const isOfRound = goesRound && round.toSorted()[0] === key
  return !into.has(target) || isOfRound ? setOf('Criterion', key, { mergedInto: null }) : null
}

/** One with a text is known by it; one that began as a label, by that and its world. */
function checkCriterionKey(findings: Findings, ofTask: string, key: string, held: Held): void {
  const form = key.startsWith(`${ofTask}/`)
    ? /^(text|label):[0-9a-f]{64}$/.exec(key.slice(ofTask.length + 1))
    : null
  const world = textOf(held.worldKey)
  const labels = Array.isArray(held.labels) ? held.labels.map(String) : []
  const isOfLabel =
    world === null || labels.some((label) => labelOnlyCriterionKey(ofTask, world, label) === key)
  if (form === null || !isOfLabel) findings.add('key_wrong', 'Criterion', key, `stands below ${ofTask}`)
}
