/** Answers the analyses about stalls: the graph finds candidate worlds, and the rule of src/rules/stall.ts judges them. */

import * as z from 'zod'
import { inChunks } from '../core/group-by.ts'
import { turnKey } from '../core/keys.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { isWarned } from '../memory/criteria/views.ts'
import { analyseWorlds, type WorldStall } from '../memory/worlds/world-progress.ts'
import { compareCodeUnits } from '../rules/labels.ts'

/** Maximum number of worlds that are judged, the last active first. */
export const MAX_CANDIDATES = 5_000

const WORLDS_PER_STATEMENT = 200

const candidateRow = z.object({
  key: z.string(),
  last_gain_in: z.number().nullable(),
  contested: z.number().nullable(),
})
type Candidate = z.output<typeof candidateRow>
export type Row = Record<string, unknown>
/** Makes the rows of an analysis from the candidates that its statement found. */
export type Computed = (
  graph: Graph,
  candidates: readonly Row[],
  limit: number,
  /** Aborted if no caller waits for the answer anymore. */
  signal: AbortSignal,
) => Promise<Row[]>
type Judged = WorldStall & { candidate: Candidate }

const longestTurns = statement('stalls/longest-turns')

/** Functions by the name of the analysis. Each makes rows from the worlds that the statement found. */
export const STALL_ANALYSES: ReadonlyMap<string, Computed> = new Map([
  ['stalled-worlds', listStalledWorlds],
  ['longest-turns-before-stall', listLongestTurns],
])

async function listStalledWorlds(graph: Graph, candidates: readonly Row[], limit: number): Promise<Row[]> {
  const judged = await judge(graph, candidates)
  const order = [...judged].sort(
    (a, b) =>
      compareCodeUnits(b.stall.verdict, a.stall.verdict) ||
      b.world.currentTurn - a.world.currentTurn ||
      compareCodeUnits(a.world.featureId, b.world.featureId) ||
      compareCodeUnits(a.world.taskId, b.world.taskId) ||
      compareCodeUnits(a.world.worldSlug, b.world.worldSlug),
  )
  return order.slice(0, limit).map(({ world, stall, verified, criteria, candidate }) => ({
    feature: world.featureId,
    task: world.taskId,
    world: world.worldSlug,
    verdict: stall.verdict,
    should_stop: stall.shouldStop,
    since_turn: stall.sinceTurn,
    turns: world.currentTurn,
    last_gain_in: candidate.last_gain_in,
    verified,
    criteria,
    contested: candidate.contested,
  }))
}

async function listLongestTurns(graph: Graph, candidates: readonly Row[], limit: number): Promise<Row[]> {
  const stopped = (await judge(graph, candidates)).filter(({ stall: { verdict } }) =>
    ['stalled', 'blocked'].includes(verdict),
  )
  const keys = stopped.flatMap(({ key, stall }) => stall.signatures.map(({ turn }) => turnKey(key, turn)))
  return readRows(graph, longestTurns, { keys, limit }, z.record(z.string(), z.unknown()))
}

async function judge(graph: Graph, rows: readonly Row[]): Promise<Judged[]> {
  const candidates = new Map(rows.map((row) => candidateRow.parse(row)).map((row) => [row.key, row]))
  const judged: Judged[] = []
  for (const keys of inChunks([...candidates.keys()], WORLDS_PER_STATEMENT)) {
    for (const world of await analyseWorlds(graph, keys)) {
      const candidate = candidates.get(world.key)
      if (candidate !== undefined && isWarned(world.stall)) judged.push({ ...world, candidate })
    }
  }
  return judged
}
