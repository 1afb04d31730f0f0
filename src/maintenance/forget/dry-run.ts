import * as z from 'zod'
import { worldOfTurn } from '../../core/keys.ts'
import { textCursor } from '../../core/pages.ts'
import { readRows } from '../../graph/decode.ts'
import { optionalText } from '../../graph/model/values.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { keptKeys } from './kept-keys.ts'
import type { SkippedWorld } from './record.ts'
import {
  beforeOf,
  FIRST,
  isBusy,
  type Position,
  positionOf,
  type Scope,
  skippedWorld,
  worldsThatGo,
} from './scope.ts'
import type { Tally } from './tally.ts'
import type { GoingWorld } from './world.ts'

const worldContents = statement('forget/world-contents')
const worldSessions = statement('forget/world-sessions')
const stayingInTask = statement('forget/staying-in-task')
const stayingInFeature = statement('forget/staying-in-feature')
const stayingInProject = statement('forget/staying-in-project')
const stayingAmong = statement('forget/staying-among')
const criteriaOfTask = statement('forget/criteria')
const whoNames = statement('forget/who-names')

type Counted = { nextCursor: string | null; worlds: string[]; skipped: SkippedWorld[] }

/** What would go of worlds and of what is above them; with the cursor it goes on after the last world. */
export async function countWorlds(
  graph: Graph,
  scope: Scope,
  cursor: string | null,
  { tally, isTime }: { tally: Tally; isTime: () => boolean },
): Promise<Counted> {
  const counted: Counted = { nextCursor: null, worlds: [], skipped: [] }
  const [afterTask, afterWorld] = textCursor(cursor)?.split('\n') ?? []
  let at: Position | null =
    afterTask === undefined || afterWorld === undefined ? null : { afterTask, afterWorld }
  for (let from: Position | null = at ?? FIRST; from !== null; ) {
    const page: Awaited<ReturnType<typeof worldsThatGo>> = await worldsThatGo(graph, scope, from)
    for (const world of page.worlds) {
      if (!isTime()) return { ...counted, nextCursor: at === null ? null : cursorOf(at) }
      await countEnds(graph, scope, at?.afterTask ?? null, world.taskKey, tally)
      if (isBusy(world)) counted.skipped.push(skippedWorld(world))
      else await countWorld(graph, scope, world, tally)
      if (!isBusy(world)) counted.worlds.push(world.slug)
      at = positionOf(world)
    }
    from = page.next
  }
  await countEnds(graph, scope, at?.afterTask ?? null, null, tally)
  return counted
}

const cursorOf = ({ afterTask, afterWorld }: Position): string =>
  Buffer.from(`${afterTask}\n${afterWorld}`).toString('base64url')

const contentsRow = z.object({
  turns: z.number(),
  superseded: z.number(),
  verifications: z.number(),
  promises: z.number(),
  issues: z.number(),
  gates: z.number(),
  attempts: z.number(),
  runs: z.number(),
})
const sessionsRow = z.object({ key: z.string(), others: z.array(z.string()) })

async function countWorld(graph: Graph, scope: Scope, { key }: GoingWorld, tally: Tally): Promise<void> {
  const [found] = await readRows(graph, worldContents, { worldKey: key }, contentsRow)
  if (found === undefined) return
  tally.add({
    World: 1,
    Turn: found.turns,
    SupersededTurn: found.superseded,
    Verification: found.verifications,
    Promise: found.promises,
    Issue: found.issues,
    Gate: found.gates,
    TurnRun: found.runs,
    Attempt: found.attempts,
    TranscriptSession: await countSessions(graph, scope, key),
  })
}

/** Sessions that nobody imported go with the last turn that names them: counted with the first world of those. */
async function countSessions(graph: Graph, scope: Scope, worldKey: string): Promise<number> {
  const sessions = await readRows(graph, worldSessions, { worldKey }, sessionsRow)
  let count = 0
  for (const { others } of sessions) {
    const worldKeys = [...new Set(others.map(worldOfTurn))]
    if (worldKeys.some((key) => key < worldKey)) continue
    const params = { ...scope.only, before: beforeOf(scope), worldKeys }
    const [found] = worldKeys.length === 0 ? [] : await readRows(graph, stayingAmong, params, stayingRow)
    if ((found?.staying ?? 0) === 0) count++
  }
  return count
}

const above = (key: string): string => key.slice(0, key.lastIndexOf('/'))

/** Where the worlds of a task, a feature or a project come to their end: whether it goes with them. */
async function countEnds(
  graph: Graph,
  scope: Scope,
  ended: string | null,
  next: string | null,
  tally: Tally,
): Promise<void> {
  if (ended === null || ended === next) return
  if (!(await countTask(graph, scope, ended, tally))) return
  const featureKey = above(ended)
  if (next !== null && above(next) === featureKey) return
  const params = { ...scope.only, before: beforeOf(scope) }
  const inFeature = await readRows(graph, stayingInFeature, { ...params, featureKey }, stayingRow)
  if ((inFeature[0]?.staying ?? 0) > 0) return
  tally.add({ Feature: 1 })
  const projectKey = above(featureKey)
  if (next !== null) return
  const inProject = await readRows(graph, stayingInProject, { ...params, projectKey }, stayingRow)
  if ((inProject[0]?.staying ?? 0) === 0) tally.add({ Project: 1 })
}

const stayingRow = z.object({ staying: z.number() })
const keyRow = z.object({ key: z.string() })
const criterionRow = z.object({ key: z.string(), mergedInto: optionalText })
const namedRow = z.object({ key: z.string(), worldKey: z.string() })

/** @returns whether the task goes */
async function countTask(graph: Graph, scope: Scope, taskKey: string, tally: Tally): Promise<boolean> {
  const params = { ...scope.only, before: beforeOf(scope), taskKey }
  const staying = new Set((await readRows(graph, stayingInTask, params, keyRow)).map(({ key }) => key))
  const criteria = await readRows(graph, criteriaOfTask, { taskKey }, criterionRow)
  if (staying.size === 0) {
    tally.add({ Task: 1, Criterion: criteria.length })
    return true
  }
  const named = await readRows(graph, whoNames, { taskKey }, namedRow)
  const kept = keptKeys(
    criteria,
    named.flatMap(({ key, worldKey }) => (staying.has(worldKey) ? [key] : [])),
  )
  tally.add({ Criterion: criteria.filter(({ key }) => !kept.has(key)).length })
  return false
}
