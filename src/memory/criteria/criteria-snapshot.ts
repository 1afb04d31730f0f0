import * as z from 'zod'
import { worldKey as keyOfWorld } from '../../core/keys.ts'
import { readWholeRow } from '../../graph/decode.ts'
import { optionalNumber, optionalText } from '../../graph/model/values.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { keyOfTask, type Scope } from '../worlds/scope.ts'
import { unknownWorld, worldDeleted } from '../worlds/world-errors.ts'
import type { Criterion } from './identity.ts'
import { isLedgerConsistent, ledgerColumns, ledgerEntriesIn, NO_TURN, promiseEntriesIn } from './ledger.ts'
import { criterionRow, outcomeText, progressIsWhole, progressRow } from './rows.ts'
import type { Outcome } from './signature.ts'
import { advance, finalKeys, type LedgerEntry, type Progress } from './state.ts'

/**
 * Where the criteria of a world stand as of a turn. After the newest turn that is what the captures kept (one
 * indexed read, however long the world is); as of an earlier one the ledger is folded again.
 */
export type Standing = {
  worldSlug: string
  worldKey: string
  taskKey: string
  currentTurn: number
  /** The turn it is as of, inclusive. */
  turn: number
  criteria: readonly Criterion[]
  progress: ReadonlyMap<string, Progress>
  /** How the counted turns ended, ascending: all of them, or the newest that any window looks at. */
  outcomes: readonly Outcome[]
  /** The newest turn with promises as of any turn; null where none has any. */
  promisedTurn: number | null
  /** All entries as of the turn, each under the criterion that it counts for; null where they were not read. */
  ledger: readonly LedgerEntry[] | null
}

/** A task, and the world of it: the newest one where none is named. */
export type Target = Scope & { worldSlug?: string | null | undefined }

export const targetParams = (target: Target): Params => ({
  taskKey: keyOfTask(target),
  ...(target.worldSlug == null ? {} : { worldKey: keyOfWorld(target.project, target.worldSlug) }),
})

/** A statement of `worlds/_target` in both of its forms: of a world that is named, or of the newest one of a task. */
export type OfTarget = { named: Statement; newest: Statement }

export const statementOfTarget = (file: string, ...choices: string[]): OfTarget => ({
  named: statement(file, 'named-world', ...choices),
  newest: statement(file, 'newest-world', ...choices),
})

/** The one row that a statement has of a target, read until it is of one moment; null where there is none. */
export function readTarget<S extends z.ZodType>(
  graph: Graph,
  { named, newest }: OfTarget,
  target: Target,
  params: Params,
  schema: S,
  isWhole: (row: z.output<S>) => boolean,
): Promise<z.output<S> | null> {
  const of = targetParams(target)
  return readWholeRow(graph, 'worldKey' in of ? named : newest, { ...of, ...params }, schema, isWhole)
}

/** Runs a statement in both forms where nothing matches: see `warmUpCapture`. */
export async function warmUpTarget(graph: Graph, { named, newest }: OfTarget, params: Params): Promise<void> {
  await graph.read(newest, { taskKey: '', ...params })
  await graph.read(named, { taskKey: '', worldKey: '', ...params })
}

const snapshot = statementOfTarget('criteria/snapshot')

/** The columns of `criteria/_snapshot`, decoded. */
export const standingColumns = {
  world: z.object({
    slug: z.string(),
    key: z.string(),
    taskKey: z.string(),
    currentTurn: z.number(),
    turnCount: z.number(),
    progressSum: z.number(),
    outcomes: z.array(outcomeText),
    promisedTurn: optionalNumber,
    promisedDigest: optionalText,
    newestDigest: optionalText,
    deleted: z.boolean(),
  }),
  standing: z.array(
    z.tuple([progressRow, criterionRow]).transform(([progress, criterion]) => ({ progress, criterion })),
  ),
}

export const standingRow = z.object({ ...standingColumns, ...ledgerColumns })
export type StandingRow = z.output<typeof standingRow>

/** Of what has more turns, the ledger is read apart, and only what is shown of it. */
export const SMALL_WORLD = 32
export const NO_LEDGER = 0
export const WHOLE_LEDGER = 2 ** 31

/**
 * @param asOf the turn, inclusive; null: the newest
 * @param ledgerUpTo how many turns a world may have for its ledger to come along
 * @returns null where the task has no world
 * @throws `unknown_world` where the target names a world that the task does not have, `world_deleted`
 */
export async function readStanding(
  graph: Graph,
  target: Target,
  asOf: number | null,
  ledgerUpTo: number,
): Promise<Standing | null> {
  const row = await readRow(graph, target, asOf, ledgerUpTo)
  if (row === null) return null
  if (asOf === null || asOf >= row.world.currentTurn) return standingFrom(row, asOf, ledgerUpTo)
  // What an earlier turn knew takes the whole ledger.
  const named = { ...target, worldSlug: row.world.slug }
  const whole = await readRow(graph, named, asOf, WHOLE_LEDGER)
  return whole === null ? null : standingFrom(whole, asOf, WHOLE_LEDGER)
}

async function readRow(
  graph: Graph,
  target: Target,
  asOf: number | null,
  ledgerUpTo: number,
): Promise<StandingRow | null> {
  const row = await readTarget(
    graph,
    snapshot,
    target,
    { turnNumber: asOf === null ? NO_TURN : asOf + 1, ledgerUpTo },
    standingRow,
    standingIsWhole(ledgerUpTo),
  )
  if (row === null && target.worldSlug != null) throw unknownWorld(target.project, target.worldSlug)
  if (row?.world.deleted) throw worldDeleted(row.world.slug)
  return row
}

export const standingIsWhole =
  (ledgerUpTo: number) =>
  (row: StandingRow): boolean =>
    row.world.deleted ||
    (keptIsWhole(row) && (row.world.turnCount > ledgerUpTo || isLedgerConsistent(row, row.world.turnCount)))

/** False where the edges PROGRESS are not all of the same commit. */
export const keptIsWhole = ({ world, standing }: Pick<StandingRow, 'world' | 'standing'>): boolean =>
  progressIsWhole(
    world.progressSum,
    standing.map(({ progress }) => progress),
  )

export function standingFrom(row: StandingRow, asOf: number | null, ledgerUpTo: number): Standing {
  const { world } = row
  const keyOf = finalKeys(row.criteria)
  const ledger =
    world.turnCount <= ledgerUpTo
      ? ledgerEntriesIn(row).map((entry) => ({ ...entry, criterionKey: keyOf(entry.criterionKey) }))
      : null
  const newest = newestStanding(row, ledger)
  if (asOf === null || asOf >= world.currentTurn) return { ...newest, turn: asOf ?? world.currentTurn }
  return {
    ...newest,
    turn: asOf,
    criteria: row.criteria,
    progress: advance(new Map(), ledgerEntriesIn(row), promiseEntriesIn(row), keyOf),
    outcomes: ascending(row.turns.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]))),
  }
}

/** After the newest turn: what the captures kept. */
export function newestStanding(
  { world, standing }: Pick<StandingRow, 'world' | 'standing'>,
  ledger: Standing['ledger'],
): Standing {
  const { slug: worldSlug, key: worldKey, taskKey, currentTurn, promisedTurn, outcomes } = world
  const kept = standing.flatMap(({ criterion, progress }) =>
    progress === null ? [] : [[criterion.key, progress.progress] as const],
  )
  return {
    worldSlug,
    worldKey,
    taskKey,
    currentTurn,
    promisedTurn,
    turn: currentTurn,
    ledger,
    criteria: standing.map(({ criterion }) => criterion),
    progress: new Map(kept),
    outcomes: ascending(outcomes),
  }
}

export const warmUpSnapshot = (graph: Graph): Promise<void> =>
  warmUpTarget(graph, snapshot, { turnNumber: NO_TURN, ledgerUpTo: NO_LEDGER })

const ascending = (outcomes: readonly Outcome[]): Outcome[] => outcomes.toSorted((a, b) => a.turn - b.turn)
