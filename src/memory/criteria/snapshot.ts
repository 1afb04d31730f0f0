/**
 * Reads the progress of the criteria of a world as of a turn. After the newest turn, it is the stored progress (one indexed read
 * for a world of any length). As of an earlier turn, the ledger is folded again.
 */
import * as z from 'zod'
import { worldKey as keyOfWorld, turnKey } from '../../core/keys.ts'
import { readRows, readWholeRow, retryTornRead } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import type { Criterion } from '../../rules/identity.ts'
import type { Outcome } from '../../rules/outcome.ts'
import {
  advance,
  finalKeys,
  inOrder,
  type LedgerEntry,
  ledgerEntry,
  type Progress,
  type PromiseEntry,
  promiseEntry,
  type RecentEntry,
} from '../../rules/progress.ts'
import { columns, optionalNumber, optionalText } from '../../rules/values.ts'
import { criterionRow, outcomeText, progressIsWhole, progressRow } from '../record/criterion-rows.ts'
import { keyOfTask, type Scope } from '../scope/scope.ts'
import { unknownWorld, worldDeleted } from '../scope/world-errors.ts'
import type { CriterionState } from './views.ts'

export type Snapshot = {
  worldSlug: string
  worldKey: string
  taskKey: string
  currentTurn: number
  /** Turn of the snapshot, inclusive. */
  turn: number
  criteria: readonly Criterion[]
  progress: ReadonlyMap<string, Progress>
  /** Ends of the counted turns, ascending: all, or the newest ones that stall analysis uses. */
  outcomes: readonly Outcome[]
  /** Turn after which each version of the specification was declared; empty without a specification. */
  specifiedAfter: readonly number[]
  /** True if a verification may name files. */
  hasProofFiles: boolean
  /** True if the task has a newer session; false as of a turn that is not the newest. */
  isSuperseded: boolean
  /** All entries as of the turn, each under the criterion for which it counts; null if they were not read. */
  ledger: readonly LedgerEntry[] | null
}

/** Task with its world; the newest world if none is named. */
export type Target = Scope & { worldSlug?: string | null | undefined }

/** Statement with `worlds/_target` in its two forms: for a named world, and for the newest world of a task. */
export type SnapshotStatements = { named: Statement; newest: Statement }

export const statementOfTarget = (file: string, ...choices: string[]): SnapshotStatements => ({
  named: statement(file, 'named-world', ...choices),
  newest: statement(file, 'newest-world', ...choices),
})

/** Reads the row of a target until it shows one moment; null if the target does not exist. */
export function readTarget<S extends z.ZodType>(
  graph: Graph,
  { named, newest }: SnapshotStatements,
  target: Target,
  params: Params,
  schema: S,
  isWhole: (row: z.output<S>) => boolean,
): Promise<z.output<S> | null> {
  const { project, worldSlug } = target
  const ofTask = { taskKey: keyOfTask(target), ...params }
  return worldSlug == null
    ? readWholeRow(graph, newest, ofTask, schema, isWhole)
    : readWholeRow(graph, named, { worldKey: keyOfWorld(project, worldSlug), ...ofTask }, schema, isWhole)
}

/**
 * Reads the row of a target with the columns of a snapshot.
 *
 * @throws `world_deleted`
 */
export async function readLiveTarget<S extends z.ZodType<{ world: SnapshotRow['world'] }>>(
  graph: Graph,
  of: SnapshotStatements,
  target: Target,
  params: Params,
  schema: S,
  isWhole: (row: z.output<S>) => boolean,
): Promise<z.output<S> | null> {
  const isDeletedOrWhole = (row: z.output<S>) => row.world.deleted || isWhole(row)
  const row = await readTarget(graph, of, target, params, schema, isDeletedOrWhole)
  if (row?.world.deleted) throw worldDeleted(row.world.slug)
  return row
}

/** Runs both forms of a statement without a match: see `warmUpCapture`. */
export async function warmUpTarget(
  graph: Graph,
  { named, newest }: SnapshotStatements,
  params: Params,
): Promise<void> {
  await graph.read(newest, { taskKey: '', ...params })
  await graph.read(named, { taskKey: '', worldKey: '', ...params })
}

const snapshotStatements = statementOfTarget('criteria/snapshot')
const wholeLedger = statement('criteria/ledger')
const wholeLedgers = statement('criteria/ledgers')
const entriesOfTurns = statement('criteria/entries')
const merged = statement('criteria/merged')

/** Decoded columns of `criteria/_snapshot`. */
export const snapshotColumns = {
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
    specifiedAfter: z.array(z.number()).nullable(),
    hasProofFiles: z.boolean().nullable(),
    deleted: z.boolean(),
  }),
  criteriaProgress: z.array(columns({ progress: progressRow, criterion: criterionRow })),
}

/** Decoded columns of `criteria/_ledger`; empty if the world has more turns than requested. */
export const ledgerColumns = {
  /** Number of turns of the world. */
  turnsFound: z.number(),
  /** Turns below the requested one, each with its entries about criteria and its end. */
  turns: z.array(
    columns({
      turn: z.number(),
      digest: z.string(),
      verificationCount: z.number(),
      promiseCount: z.number(),
      outcome: outcomeText.nullable(),
      entries: z.array(ledgerEntry),
      promised: z.array(promiseEntry),
    }),
  ),
  criteria: z.array(criterionRow),
}

export const snapshotRow = z.object({
  isSuperseded: z.boolean().optional(),
  ...snapshotColumns,
  ...ledgerColumns,
})
export type SnapshotRow = z.output<typeof snapshotRow>
type LedgerTurns = Pick<SnapshotRow, keyof typeof ledgerColumns>

/** Maximum number of turns of a world whose ledger is read in the same statement. Otherwise only its shown part is read. */
export const SMALL_WORLD = 32
export const NO_LEDGER = 0
export const WHOLE_LEDGER = 2 ** 31
/** Number above every turn number. */
export const NO_TURN = 2 ** 31

/**
 * @param asOf turn of the snapshot, inclusive; null for the newest
 * @param ledgerUpTo maximum number of turns of a world whose ledger is read, too
 * @returns null if the task has no world
 * @throws `unknown_world` if the task does not have the named world, `world_deleted`
 */
export async function readSnapshot(
  graph: Graph,
  target: Target,
  asOf: number | null,
  ledgerUpTo: number,
): Promise<Snapshot | null> {
  const row = await readTargetAsOf(graph, snapshotStatements, target, asOf, ledgerUpTo, snapshotRow)
  if (row !== null) return snapshotFrom(row, asOf)
  if (target.worldSlug != null) throw unknownWorld(target.project, target.worldSlug)
  return null
}

/** Reads a row with a snapshot and its ledger. An earlier turn needs the whole ledger of any length. */
export async function readTargetAsOf<S extends z.ZodType<SnapshotRow>>(
  graph: Graph,
  of: SnapshotStatements,
  target: Target,
  asOf: number | null,
  ledgerUpTo: number,
  schema: S,
  isWhole: (row: z.output<S>) => boolean = () => true,
): Promise<z.output<S> | null> {
  const params = { turnNumber: asOf === null ? NO_TURN : asOf + 1, ledgerUpTo }
  const row = await readLiveTarget(
    graph,
    of,
    target,
    params,
    schema,
    (found) => isSnapshotWhole(ledgerUpTo)(found) && isWhole(found),
  )
  if (row === null || asOf === null || asOf >= row.world.currentTurn || hasLedger(row)) return row
  const { slug: worldSlug } = row.world
  return readTargetAsOf(graph, of, { ...target, worldSlug }, asOf, WHOLE_LEDGER, schema, isWhole)
}

/** True if the ledger was read: the statement returns no turns of a world with more turns than requested. */
const hasLedger = ({ world, turnsFound }: SnapshotRow): boolean => turnsFound === world.turnCount

export const warmUpSnapshot = (graph: Graph): Promise<void> =>
  warmUpTarget(graph, snapshotStatements, { turnNumber: NO_TURN, ledgerUpTo: NO_LEDGER })

export const isSnapshotWhole =
  (ledgerUpTo: number) =>
  (row: SnapshotRow): boolean =>
    row.world.deleted ||
    (isProgressWhole(row) &&
      // A commit that raised the world above the limit during the read leaves a count without turns.
      (row.world.turnCount > ledgerUpTo ? row.turnsFound === 0 : isLedgerWhole(row, row.world.turnCount)))

/** False if the edges PROGRESS come from different commits. */
export const isProgressWhole = ({
  world,
  criteriaProgress,
}: Pick<SnapshotRow, keyof typeof snapshotColumns>): boolean =>
  progressIsWhole(
    world.progressSum,
    criteriaProgress.map(({ progress }) => progress),
  )

/**
 * True if the read shows one moment. A turn's parts never change, so each turn must have as many as it counts. A read of half a
 * commit or half a replacement has another number of turns than the world, one number twice, or an entry of an unknown criterion.
 */
export function isLedgerWhole(
  { turnsFound, turns, criteria }: LedgerTurns,
  turnCount: number,
  except: number | null = null,
): boolean {
  const keys = new Set(criteria.map(({ key }) => key))
  return (
    turnsFound === turnCount &&
    new Set(turns.map(({ turn }) => turn)).size === turns.length &&
    turns.every(
      ({ turn, verificationCount, promiseCount, entries, promised }) =>
        turn === except ||
        (entries.length === verificationCount &&
          promised.length === promiseCount &&
          [...entries, ...promised].every(({ criterionKey }) => keys.has(criterionKey))),
    )
  )
}

export function snapshotFrom(row: SnapshotRow, asOf: number | null): Snapshot {
  const { world, turns, criteria } = row
  const finalKey = finalKeys(criteria)
  const entries = turns.flatMap((turn) => turn.entries)
  const newest = newestSnapshot(row, hasLedger(row) ? placeEntries(entries, finalKey) : null)
  if (asOf === null || asOf >= world.currentTurn) {
    return { ...newest, turn: asOf ?? world.currentTurn, isSuperseded: row.isSuperseded === true }
  }
  const promised = turns.flatMap((turn) => turn.promised)
  return {
    ...newest,
    turn: asOf,
    criteria,
    progress: advance(new Map(), entries, promised, finalKey),
    outcomes: ascending(turns.flatMap(({ outcome }) => outcome ?? [])),
  }
}

/** Builds the snapshot after the newest turn from the stored progress. */
export function newestSnapshot(
  { world, criteriaProgress }: Pick<SnapshotRow, keyof typeof snapshotColumns>,
  ledger: Snapshot['ledger'],
): Snapshot {
  const { slug: worldSlug, key: worldKey, taskKey, currentTurn } = world
  return {
    worldSlug,
    worldKey,
    taskKey,
    currentTurn,
    specifiedAfter: world.specifiedAfter ?? [],
    hasProofFiles: world.hasProofFiles === true,
    turn: currentTurn,
    ledger,
    isSuperseded: false,
    criteria: criteriaProgress.map(({ criterion }) => criterion),
    progress: new Map(
      criteriaProgress.flatMap(({ criterion, progress }) =>
        progress === null ? [] : [[criterion.key, progress.progress] as const],
      ),
    ),
    outcomes: ascending(world.outcomes),
  }
}

const supersededStatement = statement('worlds/is-superseded')

/** Returns true if the task of a world has a newer session. */
export async function isSuperseded(graph: Graph, key: string): Promise<boolean> {
  const [row] = await readRows(graph, supersededStatement, { key }, z.object({ isSuperseded: z.boolean() }))
  return row?.isSuperseded === true
}

const ascending = (outcomes: readonly Outcome[]): Outcome[] => outcomes.toSorted((a, b) => a.turn - b.turn)

/** Assigns entries to the criteria for which they count. */
export const placeEntries = (
  entries: readonly LedgerEntry[],
  finalKey: (key: string) => string,
): LedgerEntry[] => entries.map((entry) => ({ ...entry, criterionKey: finalKey(entry.criterionKey) }))

/** All entries of a world with its criteria and the revision of the read. */
export type Ledger = {
  ledgerRev: number
  /** Numbers of the turns, unordered. */
  turns: number[]
  criteria: readonly Criterion[]
  ledger: LedgerEntry[]
  promised: PromiseEntry[]
}

const ledgerRow = z.object({
  ledgerRev: z.number(),
  turnCount: z.number(),
  deleted: z.boolean(),
  ...ledgerColumns,
})

/**
 * Reads the whole ledger of a world; null if the world does not exist.
 *
 * @param except turn whose record may lack parts, because the capture replaces it
 */
export async function readLedger(
  graph: Graph,
  worldKey: string,
  except: number | null = null,
): Promise<Ledger | null> {
  const row = await readTurnLedgers(graph, worldKey, except)
  if (row === null) return null
  const { ledgerRev, criteria, turns } = row
  return {
    ledgerRev,
    turns: turns.map(({ turn }) => turn),
    criteria,
    ledger: turns.flatMap(({ entries }) => entries),
    promised: turns.flatMap(({ promised }) => promised),
  }
}

/** Reads the ledger of a world by turn, like {@link readLedger}. */
export function readTurnLedgers(
  graph: Graph,
  worldKey: string,
  except: number | null = null,
): Promise<z.output<typeof ledgerRow> | null> {
  const params = { worldKey, turnNumber: NO_TURN, ledgerUpTo: WHOLE_LEDGER }
  // Accepts a world that is being forgotten and loses its turns one by one. The write then rejects the capture.
  return readWholeRow(
    graph,
    wholeLedger,
    params,
    ledgerRow,
    (found) => found.deleted || isLedgerWhole(found, found.turnCount, except),
  )
}

/** Reads the ledgers of worlds by turn. Leaves out worlds that do not exist or are deleted. */
export async function readLedgersOfWorlds(
  graph: Graph,
  worldKeys: readonly string[],
): Promise<ReadonlyMap<string, z.output<typeof ledgerRow>>> {
  const params = { worldKeys: [...worldKeys], turnNumber: NO_TURN, ledgerUpTo: WHOLE_LEDGER }
  const found = await readRows(graph, wholeLedgers, params, ledgerRow.extend({ key: z.string() }))
  const ledgers = new Map<string, z.output<typeof ledgerRow>>()
  for (const { key, ...row } of found) {
    // A world that changed during the read is read again.
    const isWhole = row.deleted || isLedgerWhole(row, row.turnCount)
    const ledger = isWhole ? row : await readTurnLedgers(graph, key)
    if (ledger !== null && !ledger.deleted) ledgers.set(key, ledger)
  }
  return ledgers
}

const mergedRow = z.object({ key: z.string(), mergedInto: z.string() })

/** Reads the merges of a task's criteria. */
export const readMerges = (graph: Graph, taskKey: string): Promise<z.output<typeof mergedRow>[]> =>
  readRows(graph, merged, { taskKey }, mergedRow)

const entriesRow = z.object({
  turn: z.number(),
  verificationCount: z.number(),
  ledger: z.array(ledgerEntry),
})

/**
 * Reads the shown part of each criterion's history, by key and in order. For a long world it reads only the turns with the newest
 * entries, so that a history costs the same after 50 and after 1,000 turns.
 *
 * @returns null if the entries differ from those of the snapshot, because a turn was replaced between the two reads
 */
export async function readHistories(
  graph: Graph,
  snapshot: Snapshot,
  states: readonly CriterionState[],
): Promise<ReadonlyMap<string, LedgerEntry[]> | null> {
  const ledger = snapshot.ledger ?? (await readEntries(graph, snapshot, turnsShown(snapshot, states)))
  const histories = new Map<string, LedgerEntry[]>(states.map(({ key }) => [key, []]))
  for (const entry of ledger.toSorted(inOrder)) histories.get(entry.criterionKey)?.push(entry)
  return [...histories].every(([key, history]) => endsWith(history, snapshot.progress.get(key)?.recent ?? []))
    ? histories
    : null
}

const endsWith = (history: readonly LedgerEntry[], recent: readonly RecentEntry[]): boolean =>
  history.length >= recent.length &&
  recent.every(({ turn, status }, i) => {
    const entry = history[history.length - recent.length + i]
    return entry?.turn === turn && entry.status === status
  })

function turnsShown({ progress }: Snapshot, states: readonly CriterionState[]): number[] {
  const turns = states.flatMap(({ key, contestedInTurn }) => [
    ...(progress.get(key)?.recent ?? []).map(({ turn }) => turn),
    ...(contestedInTurn === null ? [] : [contestedInTurn]),
  ])
  return [...new Set(turns)]
}

async function readEntries(
  graph: Graph,
  { worldKey, taskKey }: Snapshot,
  turns: readonly number[],
): Promise<LedgerEntry[]> {
  if (turns.length === 0) return []
  const turnKeys = turns.map((turn) => turnKey(worldKey, turn))
  const [rows, merges] = await Promise.all([
    retryTornRead(
      () => readRows(graph, entriesOfTurns, { turnKeys }, entriesRow),
      (found) =>
        found.length === turns.length &&
        found.every(({ ledger, verificationCount }) => ledger.length === verificationCount),
    ),
    readMerges(graph, taskKey),
  ])
  return placeEntries(
    rows.flatMap(({ ledger }) => ledger),
    finalKeys(merges),
  )
}
