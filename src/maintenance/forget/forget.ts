import type { Graph } from '../../graph/port.ts'
import { requireNames, requireProject } from '../../memory/worlds/missing-name.ts'
import { unknownWorld, worldAtWork } from '../../memory/worlds/world-errors.ts'
import { forgetCriteria } from './criteria.ts'
import { countWorlds } from './dry-run.ts'
import type { ForgetAnswer, ForgetRequest, SkippedWorld } from './record.ts'
import { FIRST, isBusy, type Position, type Scope, scopeOf, skippedWorld, worldsThatGo } from './scope.ts'
import { Tally } from './tally.ts'
import { countTranscripts, forgetTranscripts } from './transcripts.ts'
import { forgetWorld, type GoingWorld } from './world.ts'

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

/**
 * Forgets a world, the worlds of a task, or a whole project: really, unlike `deleteWorld`, which marks. One piece of
 * it: call it until it is `done`. Killed anywhere, it goes on from there when it is called again; what is gone already
 * is no error, and its slug can be captured into again. Without `dryRun: false` it counts what would go, and refuses a name
 * that stands for nothing.
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
  options: ForgetOptions,
): Promise<ForgetAnswer> {
  const scope = scopeOf(request)
  const ends = performance.now() + WORK_MS
  const piece = { tally: new Tally(), isTime: () => performance.now() < ends }
  return request.dryRun ? dryRun(graph, scope, request, piece) : really(graph, scope, request, piece, options)
}

type Piece = { tally: Tally; isTime: () => boolean }

async function dryRun(
  graph: Graph,
  scope: Scope,
  request: ForgetRequest,
  piece: Piece,
): Promise<ForgetAnswer> {
  const { nextCursor, worlds, skipped } = await countWorlds(graph, scope, request.cursor ?? null, piece)
  const done = nextCursor === null
  if (done && scope.isProject) await countTranscripts(graph, scope, piece.tally)
  const counts = piece.tally.counts()
  const isNothing = Object.keys(counts).length === 0 && skipped.length === 0
  if (isNothing && done && request.cursor == null) await requireScope(graph, scope, request)
  return { dryRun: true, done, nextCursor, counts, worlds, skipped }
}

/** Of what is misspelt, "nothing would go" would look like good news. A world that `before` spares is there. */
async function requireScope(
  graph: Graph,
  scope: Scope,
  { project, worldSlug, featureId, taskId }: ForgetRequest,
): Promise<void> {
  if (scope.isProject) return requireProject(graph, project)
  if (worldSlug == null) return requireNames(graph, { project, featureId, taskId })
  const { worlds } = await worldsThatGo(graph, { ...scope, before: null }, FIRST)
  if (worlds.length === 0) throw unknownWorld(project, worldSlug)
}

async function really(
  graph: Graph,
  scope: Scope,
  request: ForgetRequest,
  piece: Piece,
  { threshold, log }: ForgetOptions,
): Promise<ForgetAnswer> {
  const worlds: string[] = []
  const skipped: SkippedWorld[] = []
  try {
    const done =
      (await forgetWorlds(graph, scope, { ...piece, worlds, skipped })) &&
      (!scope.isProject || (await forgetTranscripts(graph, scope, { ...piece, threshold })))
    const counts = piece.tally.counts()
    return { dryRun: false, done, nextCursor: null, counts, worlds, skipped: done ? skipped : [] }
  } finally {
    const counts = piece.tally.counts() // also of a piece that failed in the middle: this much is gone
    if (Object.keys(counts).length > 0) log?.(`forgot ${shown(request)}`, { forgot: counts, worlds })
  }
}

type Going = Piece & { worlds: string[]; skipped: SkippedWorld[] }

async function forgetWorlds(graph: Graph, scope: Scope, going: Going): Promise<boolean> {
  const { tally, isTime } = going
  let again = false
  for (let position: Position | null = FIRST; position !== null; ) {
    const page: Awaited<ReturnType<typeof worldsThatGo>> = await worldsThatGo(graph, scope, position)
    const free = page.worlds.filter((world) => !isBusy(world))
    going.skipped.push(...page.worlds.filter(isBusy).map((world) => refusedOrSkipped(world, scope)))
    for (const [i, world] of free.entries()) {
      if (!isTime()) return false
      const isLastOfItsTask = free[i + 1]?.taskKey !== world.taskKey
      const outcome = await forgetWorld(graph, world, { isLastOfItsTask, tally, isTime })
      if (outcome === 'more') return false
      if (outcome === 'gone') going.worlds.push(world.slug)
      // Somebody began to work there meanwhile, or forgot it before us: those before it of its task are gone.
      else if (isLastOfItsTask && !(await forgetCriteria(graph, world.taskKey, tally, isTime))) return false
      again ||= outcome === 'busy'
    }
    position = page.next
  }
  return !again
}

/** The one world that was named is refused; among many, one that is at work stays, and the answer says so. */
function refusedOrSkipped(world: GoingWorld, { only }: Scope): SkippedWorld {
  if (only.onlyWorld === '') return skippedWorld(world)
  const { activeRunId = null, activeAttemptId = null } = world
  throw worldAtWork(world.slug, { activeRunId, activeAttemptId })
}

function shown({ project, worldSlug, featureId, taskId, before }: ForgetRequest): string {
  const ofProject = `project ${project}`
  const what =
    worldSlug != null
      ? `world ${worldSlug}, ${ofProject}`
      : taskId != null
        ? `task ${taskId}, feature ${featureId}, ${ofProject}`
        : ofProject
  return before == null ? what : `${what}, before ${before}`
}
