import * as z from 'zod'
import { instantOf } from '../../core/instants.ts'
import { featureKey, projectKey } from '../../core/keys.ts'
import { decodeRow, readRows } from '../../graph/decode.ts'
import type { Graph, Params, Run } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { forgetCriteria } from './criteria.ts'
import { goneOf, inOnePiece, NODES_AT_ONCE, takeAll } from './piece.ts'
import type { Counts, Tally } from './tally.ts'

const beginWorld = statement('forget/begin-world')
const turnsLeft = statement('forget/turns')
const supersededLeft = statement('forget/superseded')
const turnsGo = statement('forget/turns-go')
const supersededGo = statement('forget/superseded-go')
const namedSessions = statement('forget/named-sessions')
const namedBySuperseded = statement('forget/named-sessions-of-superseded')
const sessionsUnnamed = statement('forget/sessions-unnamed')
const attemptsGo = statement('forget/attempts-go')
const runsGo = statement('forget/runs-go')
const labelsGo = statement('forget/labels-go')
const progressGoes = statement('forget/progress-goes')
const worldGoes = statement('forget/world-goes')
const taskGoes = statement('forget/task-goes')

/** A hub above a task: whether nothing hangs on it any more, how it goes, and how its lock is left again. */
const HUBS = [
  {
    label: 'Feature',
    isEmpty: statement('forget/feature-is-empty'),
    goes: statement('forget/feature-goes'),
    stays: statement('forget/feature-stays'),
  },
  {
    label: 'Project',
    isEmpty: statement('forget/project-is-empty'),
    goes: statement('forget/project-goes'),
    stays: statement('forget/project-stays'),
  },
] as const

/** A world that is to go. */
export const goingWorld = z.object({
  key: z.string(),
  slug: z.string(),
  taskKey: z.string(),
  project: z.string(),
  featureId: z.string(),
  activeRunId: z.string().nullish(),
  activeAttemptId: z.string().nullish(),
})
export type GoingWorld = z.output<typeof goingWorld>

/** `busy`: a run or an attempt is active in it. */
export type WorldForgotten = 'gone' | 'busy' | 'more'

/**
 * Takes a world with all that hangs on it, a piece at a time: out of sight first, the world itself last, so that
 * whoever was killed in between finds it again.
 *
 * @param isLastOfItsTask whether no other world of its task is about to go: what only those that went had said of the
 *   task's criteria goes before it
 * @param isTime whether there is time for another piece
 */
export async function forgetWorld(
  graph: Graph,
  world: GoingWorld,
  { isLastOfItsTask, tally, isTime }: { isLastOfItsTask: boolean; tally: Tally; isTime: () => boolean },
): Promise<WorldForgotten> {
  const ofWorld = { worldKey: world.key }
  const now = instantOf(new Date())
  const begun = await graph.write([{ statement: beginWorld, params: { ...ofWorld, ...fresh(), now } }])
  if (begun === null) return 'busy'
  const allGone =
    (await forgetTurns(graph, world.key, tally, isTime)) &&
    (await takeAll(graph, attemptsGo, ofWorld, 'Attempt', tally, isTime)) &&
    (await takeAll(graph, runsGo, ofWorld, 'TurnRun', tally, isTime)) &&
    (await takeAll(graph, labelsGo, ofWorld, null, tally, isTime)) &&
    (await takeAll(graph, progressGoes, ofWorld, null, tally, isTime)) &&
    (!isLastOfItsTask || (await forgetCriteria(graph, world.taskKey, tally, isTime)))
  if (!allGone) return 'more'
  await inOnePiece(graph, tally, (run) => lastPiece(run, world))
  return 'gone'
}

const fresh = (): Params => ({ token: crypto.randomUUID() })

const turnRow = z.object({ key: z.string(), revision: z.number(), parts: z.number() })
type TurnRow = z.output<typeof turnRow>

async function forgetTurns(
  graph: Graph,
  worldKey: string,
  tally: Tally,
  isTime: () => boolean,
): Promise<boolean> {
  while (isTime()) {
    const rows = await readRows(graph, turnsLeft, { worldKey, limit: NODES_AT_ONCE }, turnRow)
    if (rows.length === 0) return true
    for (const { key, revision } of rows) {
      if (revision === 1) continue
      if (!(await forgetSuperseded(graph, key, tally, isTime))) return false
    }
    for (const keys of inPieces(rows)) {
      if (!isTime()) return false
      await inOnePiece(graph, tally, (run) => turnsPiece(run, keys, turnsGo, namedSessions, 'Turn'))
    }
  }
  return false
}

async function forgetSuperseded(
  graph: Graph,
  turnKey: string,
  tally: Tally,
  isTime: () => boolean,
): Promise<boolean> {
  while (isTime()) {
    const rows = await readRows(graph, supersededLeft, { turnKey, limit: NODES_AT_ONCE }, turnRow)
    if (rows.length === 0) return true
    for (const keys of inPieces(rows)) {
      if (!isTime()) return false
      await inOnePiece(graph, tally, (run) =>
        turnsPiece(run, keys, supersededGo, namedBySuperseded, 'SupersededTurn'),
      )
    }
  }
  return false
}

/** So many turns at a time that their parts fit into one transaction; one turn's do, since one capture wrote them. */
function inPieces(rows: readonly TurnRow[]): string[][] {
  const pieces: string[][] = []
  let left = 0
  for (const { key, parts } of rows) {
    if (left < parts + 1 || pieces.length === 0) {
      pieces.push([])
      left = NODES_AT_ONCE
    }
    pieces.at(-1)?.push(key)
    left -= parts + 1
  }
  return pieces
}

const partsRow = z.object({
  turns: z.number(),
  verifications: z.number(),
  promises: z.number(),
  issues: z.number(),
  gates: z.number(),
})

async function turnsPiece(
  run: Run,
  keys: string[],
  go: Statement,
  named: Statement,
  label: 'Turn' | 'SupersededTurn',
): Promise<Counts> {
  const sessions = (await run({ statement: named, params: { keys } })).map(({ key }) => String(key))
  const [row] = await run({ statement: go, params: { keys } })
  const parts = row === undefined ? null : decodeRow(go, partsRow, row)
  const unnamed = sessions.length === 0 ? 0 : await sessionsGo(run, sessions)
  return {
    [label]: parts?.turns ?? 0,
    Verification: parts?.verifications ?? 0,
    Promise: parts?.promises ?? 0,
    Issue: parts?.issues ?? 0,
    Gate: parts?.gates ?? 0,
    TranscriptSession: unnamed,
  }
}

async function sessionsGo(run: Run, keys: string[]): Promise<number> {
  const [row] = await run({ statement: sessionsUnnamed, params: { keys: keys.sort() } })
  return Number(row?.sessions ?? 0)
}

/** The world, and what is above it and now empty. */
async function lastPiece(run: Run, { key, taskKey, project, featureId }: GoingWorld): Promise<Counts | null> {
  const token = crypto.randomUUID()
  const worlds = goneOf(worldGoes, await run({ statement: worldGoes, params: { worldKey: key, token } }))
  if (worlds === 0) return null
  return { World: worlds, ...(await forgetEmpty(run, { taskKey, project, featureId }, token)) }
}

/** What is above a world, where nothing hangs on it any more. */
async function forgetEmpty(
  run: Run,
  { taskKey, project, featureId }: { taskKey: string; project: string; featureId: string },
  token: string,
): Promise<Counts> {
  const tasks = goneOf(taskGoes, await run({ statement: taskGoes, params: { taskKey, token } }))
  const counts: Counts = { Task: tasks }
  const keys = { Feature: featureKey(project, featureId), Project: projectKey(project) }
  for (const { label, isEmpty, goes, stays } of tasks === 0 ? [] : HUBS) {
    const params: Params = { [label === 'Feature' ? 'featureKey' : 'projectKey']: keys[label] }
    if ((await run({ statement: isEmpty, params })).length === 0) break
    const gone = goneOf(goes, await run({ statement: goes, params: { ...params, token } }))
    counts[label] = gone
    if (gone > 0) continue
    await run({ statement: stays, params })
    break
  }
  return counts
}
