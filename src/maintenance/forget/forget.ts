/** Forgets a world, the worlds of a task, a session of transcripts or a whole project, or says how much that would be. */
import { cursorAt, textCursor } from '../../core/pages.ts'
import { keyRow, readPages } from '../../graph/decode.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { refillTopics } from '../../memory/elsewhere/refill-topics.ts'
import { requireNames, requireProject } from '../../memory/worlds/missing-name.ts'
import { unknownWorld, worldAtWork } from '../../memory/worlds/world-errors.ts'
import { requireSession } from '../../transcripts/require-session.ts'
import { forgetCriteria } from './criteria.ts'
import { addCounts, type Counts, deleteEmpty, inOnePiece, type Progress } from './delete-nodes.ts'
import type { ForgetAnswer, ForgetRequest } from './record.ts'
import { requireOneScope, skippedWorld, toScope, worldsToForget } from './scope.ts'
import { type ConversationScope, conversationsToForget, forgetTranscripts } from './transcripts.ts'
import { forgetWorld } from './world.ts'

/**
 * One answer comes well within the deadline of a request: no piece begins later than this. Each statement has a
 * deadline of its own: a Neo4j that has just started plans each of them first.
 */
const WORK_MS = 2_000

export type ForgetOptions = {
  /** Turns of transcripts with more calls are long. */
  threshold: number
  /** Is told what went. */
  log?: ((message: string, fields?: Record<string, unknown>) => void) | undefined
}

type Going = Progress & Pick<ForgetAnswer, 'worlds' | 'skipped'>

/**
 * Forgets a world, the worlds of a task, a session of transcripts, or a whole project: really, unlike `deleteWorld`, which marks. One piece of
 * it: call it until it is `done`. Killed anywhere, it goes on from there when it is called again; what is gone already
 * is no error, and its slug can be captured into again. Without `dryRun: false` it counts the worlds, their turns,
 * the transcript sessions and the tasks without a world that would go, and refuses a name that stands for nothing.
 *
 * @throws `busy` where a run or an attempt is active in the one world that was named, `invalid_request`; of a dry run
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
  const going: Going = { counts: {}, worlds: [], skipped: [], isTime: () => performance.now() < ends }
  if (dryRun) return toAnswer(true, going, await countAll(graph, request, going))
  try {
    const done = await forgetPiece(graph, request, going, threshold)
    return { ...toAnswer(false, going, null), done, skipped: done ? going.skipped : [] }
  } finally {
    const { counts: forgot, worlds } = toAnswer(false, going, null) // also of a piece that failed in the middle
    if (Object.keys(forgot).length > 0) log?.(`forgot ${shown(request)}`, { forgot, worlds })
  }
}

/** @returns whether nothing is left to go */
async function forgetPiece(
  graph: Graph,
  request: ForgetRequest,
  going: Going,
  threshold: number,
): Promise<boolean> {
  const { project, sessionId, wholeProject, before = null } = request
  const transcripts = { project, before, sessionId: sessionId ?? null }
  if (sessionId != null) return forgetTranscripts(graph, transcripts, going, threshold)
  const done =
    (await forgetWorlds(graph, request, going)) &&
    (await forgetTasksWithoutWorlds(graph, request, going)) &&
    (wholeProject !== true || (await forgetTranscripts(graph, transcripts, going, threshold)))
  if (done) addCounts(going.counts, { Topic: await refillTopics(graph, project) })
  return done
}

const toAnswer = (dryRun: boolean, going: Going, nextCursor: string | null): ForgetAnswer => ({
  dryRun,
  done: nextCursor === null,
  nextCursor,
  counts: Object.fromEntries(Object.entries(going.counts).sort(([a], [b]) => (a < b ? -1 : 1))),
  worlds: going.worlds,
  skipped: going.skipped,
})

/** @returns where to go on, if there was no time for all */
async function countAll(graph: Graph, request: ForgetRequest, going: Going): Promise<string | null> {
  const { counts, worlds, skipped, isTime } = going
  const { project, sessionId, wholeProject, before = null } = request
  if (sessionId != null) {
    await countTranscripts(graph, { project, before, sessionId }, counts)
    if (Object.keys(counts).length === 0) await requireSession(graph, project, sessionId)
    return null
  }
  const [afterTask, afterWorld] = textCursor(request.cursor)?.split('\n') ?? []
  const from = afterTask === undefined || afterWorld === undefined ? undefined : { afterTask, afterWorld }
  for await (const page of worldsToForget(graph, toScope(request), from)) {
    for (const world of page.worlds) {
      const active = skippedWorld(world)
      if (active !== null) skipped.push(active)
      else {
        worlds.push(world.slug)
        addCounts(counts, { World: 1, Turn: world.turnCount })
      }
    }
    if (page.next !== null && !isTime()) return cursorAt(`${page.next.afterTask}\n${page.next.afterWorld}`)
  }
  if (wholeProject === true) await countTranscripts(graph, { project, before, sessionId: null }, counts)
  for await (const keys of tasksWithoutWorlds(graph, request)) addCounts(counts, { Task: keys.length })
  const isNothing = Object.keys(counts).length === 0 && skipped.length === 0
  if (isNothing && from === undefined) await requireScope(graph, request)
  return null
}

async function countTranscripts(graph: Graph, of: ConversationScope, counts: Counts): Promise<void> {
  for await (const { sessionKeys } of conversationsToForget(graph, of))
    addCounts(counts, { TranscriptSession: sessionKeys.length })
}

/** Refuses what is misspelt: "nothing would go" would look like good news. A world that `before` spares is there. */
async function requireScope(graph: Graph, request: ForgetRequest): Promise<void> {
  const { project, worldSlug, featureId, taskId, wholeProject } = request
  if (wholeProject === true) return requireProject(graph, project)
  if (worldSlug == null) return requireNames(graph, { project, featureId, taskId })
  for await (const { worlds } of worldsToForget(graph, toScope({ ...request, before: null })))
    if (worlds.length > 0) return
  throw unknownWorld(project, worldSlug)
}

async function forgetWorlds(graph: Graph, request: ForgetRequest, going: Going): Promise<boolean> {
  let isDone = true
  for await (const page of worldsToForget(graph, toScope(request))) {
    const free = page.worlds.filter((world) => {
      const active = skippedWorld(world)
      // The one world that was named is refused; among many, one that is at work stays, and the answer says so.
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
      // A run began there meanwhile, or another process forgot it first: those before it of its task are gone.
      else if (isLastOfItsTask && !(await forgetCriteria(graph, world.taskKey, going))) return false
      if (outcome === 'busy') isDone = false
    }
  }
  return isDone
}

async function forgetTasksWithoutWorlds(
  graph: Graph,
  request: ForgetRequest,
  going: Going,
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

/** Pages of keys: a task may declare what must hold and never have had a world. */
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
