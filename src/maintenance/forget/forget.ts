/** Forgets a world, the worlds of a task, a transcript session or a whole project, or counts what would be deleted. */
import { parseCursor, toCursor } from '../../core/cursor.ts'
import { projectKey } from '../../core/keys.ts'
import { keyRow, readPages } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { requireNames, requireProject } from '../../memory/scope/missing-name.ts'
import { unknownWorld, worldAtWork } from '../../memory/scope/world-errors.ts'
import { requireSession } from '../../transcripts/require-session.ts'
import { forgetCriteria } from './criteria.ts'
import {
  addCounts,
  type Counts,
  deleteEmpty,
  deleteEmptyProject,
  inOnePiece,
  type Progress,
} from './delete-nodes.ts'
import type { ForgetAnswer, ForgetRequest } from './record.ts'
import { requireOneScope, skippedWorld, toScope, worldPosition, worldsToForget } from './scope.ts'
import { type ConversationScope, conversationsToForget, forgetTranscripts } from './transcripts.ts'
import { forgetWorld } from './world.ts'

/**
 * Working time of one answer: no further piece begins after it. Each statement has its own deadline, because a Neo4j that has just
 * started plans it first.
 */
const WORK_MS = 2_000

export type ForgetOptions = {
  /** Transcript turns with more calls are long. */
  threshold: number
  /** Receives the counts of deleted nodes. */
  log?: ((message: string, fields?: Record<string, unknown>) => void) | undefined
}

type ForgetRun = Progress & Pick<ForgetAnswer, 'worlds' | 'skipped'>

/**
 * Deletes a world, the worlds of a task, a transcript session, or a whole project for good, unlike `deleteWorld`, which marks
 * a world as deleted. A call deletes one piece: call it until it returns `done`. A killed operation continues at the next
 * call. A world that is already gone is no error, and its slug can be captured into again. Without `dryRun: false` it counts the
 * worlds, their turns, the transcript sessions and the tasks without a world in scope, and rejects unknown names.
 *
 * @throws `busy` if a run or an attempt is active in the one named world, `invalid_request`; a dry run also throws
 * `unknown_world` and `not_found`
 * @example
 * let answer
 * do answer = await forget(graph, { project: 'shop', worldSlug: 'TASK-1', dryRun: false }, { threshold: 5 })
 * while (!answer.done)
 */
export async function forget(
  graph: Graph,
  request: ForgetRequest,
  { threshold, log }: ForgetOptions,
): Promise<ForgetAnswer> {
  const { dryRun } = request
  requireOneScope(request)
  const ends = performance.now() + WORK_MS
  const counts: Counts = {}
  // Each call deletes at least one piece, even if its search takes all of its time.
  const isTime = () => performance.now() < ends || (!dryRun && Object.keys(counts).length === 0)
  const going: ForgetRun = { counts, worlds: [], skipped: [], isTime }
  if (dryRun) return toAnswer(true, going, await countAll(graph, request, going))
  try {
    const done = await forgetPiece(graph, request, going, threshold)
    return { ...toAnswer(false, going, null), done, skipped: done ? going.skipped : [] }
  } finally {
    const { counts: forgot, worlds } = toAnswer(false, going, null) // also of a piece that failed in the middle
    if (Object.keys(forgot).length > 0) log?.(`forgot ${shown(request)}`, { forgot, worlds })
  }
}

/** @returns true if nothing is left to delete */
async function forgetPiece(
  graph: Graph,
  request: ForgetRequest,
  going: ForgetRun,
  threshold: number,
): Promise<boolean> {
  const { project, sessionId, wholeProject, before = null } = request
  const transcripts = { project, before, sessionId: sessionId ?? null }
  if (sessionId != null) return forgetTranscripts(graph, transcripts, going, threshold)
  const isAllGone =
    (await forgetWorlds(graph, request, going)) &&
    (await forgetTasksWithoutWorlds(graph, request, going)) &&
    (wholeProject !== true || (await forgetTranscripts(graph, transcripts, going, threshold)))
  // A project without a feature is not deleted with its last task.
  if (isAllGone && wholeProject === true && before === null)
    await inOnePiece(graph, going, (run) => deleteEmptyProject(run, projectKey(project)))
  return isAllGone
}

const toAnswer = (dryRun: boolean, going: ForgetRun, nextCursor: string | null): ForgetAnswer => ({
  dryRun,
  done: nextCursor === null,
  nextCursor,
  counts: Object.fromEntries(Object.entries(going.counts).sort(([a], [b]) => (a < b ? -1 : 1))),
  worlds: going.worlds,
  skipped: going.skipped,
})

/** @returns the cursor of the remaining worlds, if time ran out */
async function countAll(graph: Graph, request: ForgetRequest, going: ForgetRun): Promise<string | null> {
  const { counts, worlds, skipped, isTime } = going
  const { project, sessionId, wholeProject, before = null } = request
  if (sessionId != null) {
    await countTranscripts(graph, { project, before, sessionId }, counts)
    if (Object.keys(counts).length === 0) await requireSession(graph, project, sessionId)
    return null
  }
  const from = parseCursor(worldPosition, request.cursor)
  for await (const page of worldsToForget(graph, toScope(request), from ?? undefined)) {
    for (const world of page.worlds) {
      const active = skippedWorld(world)
      if (active !== null) skipped.push(active)
      else {
        worlds.push(world.slug)
        addCounts(counts, { World: 1, Turn: world.turnCount })
      }
    }
    if (page.next !== null && !isTime()) return toCursor(page.next)
  }
  if (wholeProject === true) await countTranscripts(graph, { project, before, sessionId: null }, counts)
  for await (const keys of tasksWithoutWorlds(graph, request)) addCounts(counts, { Task: keys.length })
  const isNothing = Object.keys(counts).length === 0 && skipped.length === 0
  if (isNothing && from === null) await requireScope(graph, request)
  return null
}

async function countTranscripts(graph: Graph, of: ConversationScope, counts: Counts): Promise<void> {
  for await (const { sessionKeys } of conversationsToForget(graph, of))
    addCounts(counts, { TranscriptSession: sessionKeys.length })
}

/** Rejects misspelled names: a count of zero would look like success. A world that `before` spares exists. */
async function requireScope(graph: Graph, request: ForgetRequest): Promise<void> {
  const { project, worldSlug, featureId, taskId, wholeProject } = request
  if (wholeProject === true) return requireProject(graph, project)
  if (worldSlug == null) return requireNames(graph, { project, featureId, taskId })
  for await (const { worlds } of worldsToForget(graph, toScope({ ...request, before: null })))
    if (worlds.length > 0) return
  throw unknownWorld(project, worldSlug)
}

async function forgetWorlds(graph: Graph, request: ForgetRequest, going: ForgetRun): Promise<boolean> {
  let isDone = true
  for await (const page of worldsToForget(graph, toScope(request))) {
    const free = page.worlds.filter((world) => {
      const active = skippedWorld(world)
      // A named world with an active run is an error. In a larger scope such a world stays, and the answer lists it.
      if (active !== null && request.worldSlug != null) throw worldAtWork(world.slug, world)
      if (active !== null) going.skipped.push(active)
      return active === null
    })
    for (const [i, world] of free.entries()) {
      if (!going.isTime()) return false
      const isLastOfItsTask = free[i + 1]?.taskKey !== world.taskKey
      const outcome = await forgetWorld(graph, world, isLastOfItsTask, going)
      if (outcome === 'more') return false
      if (outcome === 'gone') going.worlds.push(world.slug)
      // A run has begun in the world, or another process forgot it first. The earlier worlds of its task are gone.
      else if (isLastOfItsTask && !(await forgetCriteria(graph, world.taskKey, going))) return false
      if (outcome === 'busy') isDone = false
    }
  }
  return isDone
}

async function forgetTasksWithoutWorlds(
  graph: Graph,
  request: ForgetRequest,
  going: ForgetRun,
): Promise<boolean> {
  for await (const keys of tasksWithoutWorlds(graph, request)) {
    for (const key of keys) {
      if (!going.isTime()) return false
      await inOnePiece(graph, going, (run) => deleteEmpty(run, key))
    }
  }
  return true
}

const tasksOfTask = statement('forget/tasks-without-worlds', 'task')
const tasksOfProject = statement('forget/tasks-without-worlds', 'project')
const TASKS_AT_ONCE = 200

/** Yields pages of task keys: a task may have a specification and no world. */
async function* tasksWithoutWorlds(graph: Graph, request: ForgetRequest): AsyncGenerator<string[]> {
  const { worldSlug, taskId, before } = request
  if (worldSlug != null || before != null) return
  const from = taskId == null ? tasksOfProject : tasksOfTask
  for await (const tasks of readPages(graph, from, { key: toScope(request).key }, keyRow, TASKS_AT_ONCE))
    yield tasks.map(({ key }) => key)
}

function shown({ project, worldSlug, featureId, taskId, sessionId, before }: ForgetRequest): string {
  if (sessionId != null) return `transcript session ${sessionId}, project ${project}`
  const task = taskId == null ? '' : `task ${taskId}, feature ${featureId}, `
  const what = worldSlug == null ? task : `world ${worldSlug}, `
  return `${what}project ${project}${before == null ? '' : `, before ${before}`}`
}
