/** Reads worlds with their progress: the last decision, the number of proven criteria, and the stall verdict. */
import * as z from 'zod'
import { hasCode } from '../../core/errors.ts'
import { partsOfKey, specificationKey, worldKey } from '../../core/keys.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import { isHalfOfACommit, readRows, readWholeRow, retryTornRead } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import type { Attention } from '../../rules/attention.ts'
import { isRequired } from '../../rules/criterion-states.ts'
import { countCriteria } from '../../rules/notes.ts'
import { DAMAGED, decideOutcome, type SessionFacts } from '../../rules/session-outcome.ts'
import { COACH_DECISIONS } from '../../rules/values.ts'
import { UNREADABLE_STATE } from '../../rules/world-state.ts'
import { readStates } from '../criteria/read-states.ts'
import { isStateWhole, newestSnapshot, snapshotColumns } from '../criteria/snapshot.ts'
import { stallAfter } from '../criteria/stall-analysis.ts'
import { type CriterionState, criterionCounts, type Stall, VERDICTS } from '../criteria/views.ts'
import { instantRow } from '../record/rows.ts'
import { unknownWorld } from '../scope/world-errors.ts'
import { readSpecifications } from '../specification/read-specification.ts'
import type { Specification } from '../specification/specification.ts'
import { endColumns, type NewestState, toSessionFacts } from './session-facts.ts'
import { refuseDeleted, toWorld, type World, world, worldColumns } from './worlds.ts'

export const worldProgress = world.extend({
  lastDecision: z
    .enum(COACH_DECISIONS)
    .nullable()
    .describe("the Coach's decision in the newest turn; null before the first"),
  ...criterionCounts,
  criteria: z.number().describe('how many criteria count'),
  verdict: z.enum(VERDICTS).describe('that of stall analysis'),
  outcome: z
    .string()
    .describe(
      'in words: running, approved, approved with gaps, regressed, blocked by GATE, stalled, stopped by REASON, superseded by WORLD, abandoned, or damaged with the remedy',
    ),
  lastActivity: z
    .string()
    .describe('when its latest turn was completed; before the first, when it was created'),
})

export type WorldProgress = z.output<typeof worldProgress>

const byKeys = statement('worlds/by-keys')

const soundRow = z.object({
  shown: worldColumns,
  newestTurn: z.array(z.tuple([z.enum(COACH_DECISIONS), z.string()])),
  lastActivity: instantRow,
  ...endColumns,
  ...snapshotColumns,
})

/** Decodes each column of a world separately. Replaces a value that does not have the declared type by an empty value. */
const fittingColumns = z.record(z.string(), z.unknown()).transform((stored) => {
  const columns = Object.entries(worldColumns.shape).map(([name, column]) => {
    const decoded = [stored[name], null, '', 0].map((value) => column.safeParse(value))
    return [name, decoded.find(({ success }) => success)?.data]
  })
  return Object.fromEntries(columns) as z.output<typeof worldColumns>
})

/** Row of a world with a damaged value. The world counts as one with an unreadable state. */
const damagedRow = z
  .object({
    world: z.object({ key: z.string().catch('') }),
    shown: fittingColumns,
    lastActivity: instantRow.catch(null),
  })
  .transform(({ world: { key }, shown: stored, lastActivity }): z.output<typeof soundRow> => {
    const [project = '', slug = ''] = partsOfKey(key)
    const shown = { ...stored, project: stored.project || project, slug: stored.slug || slug }
    const { taskKey, currentTurn, deletedAt } = shown
    return {
      ...{ shown, lastActivity, newestTurn: [], newer: [], endedRuns: [], namedCriteria: [] },
      world: {
        ...{ slug: shown.slug, key, taskKey, currentTurn, turnCount: 0, state: UNREADABLE_STATE },
        ...{ specifiedAfter: null, hasProofFiles: null, deleted: deletedAt !== null },
      },
    }
  })

const progressRow = soundRow
  .catch(({ value }) => damagedRow.parse(value))
  .transform((row) => ({
    ...row,
    /** True if the state of the row does not match its other values, or cannot be read. */
    isDamaged: !row.world.deleted && (row.world.state === UNREADABLE_STATE || !isConsistent(row)),
  }))

type ProgressRow = z.output<typeof progressRow>

/** Lists worlds by their keys, including worlds marked as deleted. Leaves out worlds that do not exist. */
export async function listWorldsByKeys(store: Graph, keys: readonly string[]): Promise<WorldProgress[]> {
  const { worlds } = await readProgress(withOneDeadline(store), byKeys, { keys: [...keys] })
  return worlds
}

/** Reads the worlds of a statement that includes `worlds/_progress`. `rows` also counts worlds that were deleted since. */
export async function readProgress(
  graph: Graph,
  from: Statement,
  params: Params,
): Promise<{ worlds: WorldProgress[]; rows: number }> {
  const worlds: WorldProgress[] = []
  const { rows, specifications } = await readRowsWithSpecifications(graph, from, params)
  const now = new Date()
  for (const row of rows) {
    try {
      worlds.push(await readNewestProgress(graph, row, now, specifications))
    } catch (error) {
      // Leaves out a world that was deleted since the page was read.
      if (!hasCode(error, 'world_deleted', 'unknown_world')) throw error
    }
  }
  return { worlds, rows: rows.length }
}

export type WorldStall = { key: string; world: World; stall: Stall; verified: number; criteria: number }

/** Analyzes worlds by their keys. Skips deleted and damaged worlds. */
export async function analyseWorlds(store: Graph, keys: readonly string[]): Promise<WorldStall[]> {
  const graph = withOneDeadline(store)
  const analysed: WorldStall[] = []
  for (const { world, snapshot, states, isSuperseded } of await readNewestStates(graph, keys)) {
    const required = states.filter(isRequired)
    analysed.push({
      key: snapshot.worldKey,
      world,
      stall: await stallAfter(graph, { ...world, policy: 'sticky' }, snapshot, states, isSuperseded),
      verified: required.filter(({ state }) => state === 'verified').length,
      criteria: required.length,
    })
  }
  return analysed
}

/** Reads the states of worlds by their keys. Skips deleted and damaged worlds. */
export async function readNewestStates(
  store: Graph,
  keys: readonly string[],
): Promise<(NewestState & { isSuperseded: boolean })[]> {
  const graph = withOneDeadline(store)
  const { rows, specifications } = await readRowsWithSpecifications(graph, byKeys, { keys: [...keys] })
  const states: (NewestState & { isSuperseded: boolean })[] = []
  for (const row of rows) {
    if (row.world.deleted || row.isDamaged) continue
    states.push({ ...(await readState(graph, row, specifications)), isSuperseded: row.newer.length > 0 })
  }
  return states
}

/** @throws `unknown_world`, `world_deleted` */
export async function getWorldProgress(
  store: Graph,
  project: string,
  worldSlug: string,
): Promise<WorldProgress> {
  const graph = withOneDeadline(store)
  return readNewestProgress(graph, await readProgressRow(graph, project, worldSlug), new Date())
}

/** @throws `unknown_world`, `world_deleted` */
export async function readNewestState(
  store: Graph,
  project: string,
  worldSlug: string,
): Promise<NewestState> {
  const graph = withOneDeadline(store)
  return readState(graph, await readProgressRow(graph, project, worldSlug))
}

async function readProgressRow(graph: Graph, project: string, worldSlug: string): Promise<ProgressRow> {
  const params = { keys: [worldKey(project, worldSlug)] }
  const row = await readWholeRow(graph, byKeys, params, progressRow, isConsistent)
  if (row === null) throw unknownWorld(project, worldSlug)
  refuseDeleted(row.shown)
  return row
}

/** True if the newest turn and the progress come from the same commit. */
const isConsistent = (row: z.output<typeof soundRow>): boolean =>
  row.world.deleted ||
  (isStateWhole(row) && (row.world.currentTurn === 0 || row.newestTurn[0]?.[1] === row.world.state.digest))

/** Lists the version of the specification that applies to a world; empty without a specification. */
function versionsIn({ world: { taskKey, specifiedAfter, deleted } }: ProgressRow): string[] {
  const version = specifiedAfter?.length ?? 0
  return deleted || version === 0 ? [] : [specificationKey(taskKey, version)]
}

async function readState(
  graph: Graph,
  row: ProgressRow,
  specifications: ReadonlyMap<string, Specification> = new Map(),
): Promise<NewestState> {
  const snapshot = newestSnapshot(row, null)
  return {
    world: toWorld(row.shown),
    lastDecision: row.newestTurn[0]?.[0] ?? null,
    snapshot,
    states: await readStates(graph, snapshot, 'sticky', { specifications }),
  }
}

async function readNewestProgress(
  graph: Graph,
  row: ProgressRow,
  now: Date,
  specifications?: ReadonlyMap<string, Specification>,
): Promise<WorldProgress> {
  const lastActivity = row.lastActivity ?? ''
  // A deletion removes the parts of a world in several transactions.
  if (row.world.deleted || row.isDamaged) {
    const { counts } = countsOf([])
    const outcome = row.world.deleted ? 'abandoned' : DAMAGED
    const nothing = { ...counts, criteria: 0, verdict: 'insufficient_data' as const, outcome }
    return { ...toWorld(row.shown), lastDecision: row.newestTurn[0]?.[0] ?? null, lastActivity, ...nothing }
  }
  const { facts, state, verdict } = await readFacts(graph, row, specifications)
  const { counts, total } = countsOf(state.states)
  return {
    ...state.world,
    lastDecision: state.lastDecision,
    ...counts,
    criteria: total,
    verdict,
    outcome: decideOutcome(facts, now),
    lastActivity,
  }
}

/** The facts of a session, the state from which they follow, and the verdict that the lists show. */
export type ReadFacts = { facts: SessionFacts; state: NewestState; verdict: Stall['verdict'] }

async function readFacts(
  graph: Graph,
  row: ProgressRow,
  specifications?: ReadonlyMap<string, Specification>,
): Promise<ReadFacts> {
  const state = await readState(graph, row, specifications)
  const { world, snapshot, states } = state
  const analyse = (isSuperseded: boolean) =>
    stallAfter(graph, { ...world, policy: 'sticky' }, snapshot, states, isSuperseded)
  const stall = await analyse(false)
  const facts = toSessionFacts(state, { ...row, lastActivity: row.lastActivity ?? '' }, stall)
  const { verdict } = facts.hasNewer ? await analyse(true) : stall
  return { facts, state, verdict }
}

type ReadPage = {
  sessions: ReadFacts[]
  /** Damaged sessions. Only these facts about them are known. */
  damaged: Omit<Attention, 'reason' | 'outcome' | 'sentence'>[]
  specifications: ReadonlyMap<string, Specification>
  /** Number of rows, including deleted sessions. */
  rows: number
  last: { lastActivity: string; worldSlug: string } | null
}

/** Reads a page of a statement that includes `worlds/_progress`, without deleted sessions. */
export async function readSessionFacts(graph: Graph, from: Statement, params: Params): Promise<ReadPage> {
  const { rows, specifications } = await readRowsWithSpecifications(graph, from, params)
  const sessions: ReadFacts[] = []
  const damaged: ReadPage['damaged'] = []
  for (const row of rows) {
    const { project, featureId, taskId, slug: worldSlug, currentTurn: turn } = row.shown
    const lastActivity = row.lastActivity ?? ''
    if (row.isDamaged) damaged.push({ project, featureId, taskId, worldSlug, turn, lastActivity })
    else if (!row.world.deleted) sessions.push(await readFacts(graph, row, specifications))
  }
  const last = rows.at(-1)
  return {
    sessions,
    damaged,
    specifications,
    rows: rows.length,
    last: last === undefined ? null : { lastActivity: last.lastActivity ?? '', worldSlug: last.shown.slug },
  }
}

/** Reads the facts of one session. @throws `unknown_world`, `world_deleted` */
export async function readFactsOfWorld(store: Graph, project: string, worldSlug: string): Promise<ReadFacts> {
  const graph = withOneDeadline(store)
  return readFacts(graph, await readProgressRow(graph, project, worldSlug))
}

async function readRowsWithSpecifications(graph: Graph, from: Statement, params: Params) {
  let rows: ProgressRow[] = []
  const read = async () => {
    rows = await readRows(graph, from, params, progressRow)
    return rows
  }
  await retryTornRead(read, (found) => !found.some(({ isDamaged }) => isDamaged)).catch((error) => {
    // A damaged world must not hide the others.
    if (!isHalfOfACommit(error)) throw error
  })
  return { rows, specifications: await readSpecifications(graph, [...new Set(rows.flatMap(versionsIn))]) }
}

function countsOf(states: readonly CriterionState[]) {
  const { total, contestedInTurns, ...counts } = countCriteria(states)
  return { counts, total }
}
