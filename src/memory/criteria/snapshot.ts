/**
 * Reads a snapshot of a world: the progress of its criteria after a turn. After the newest turn, this is the state that each
 * write stores, at the same cost for a world of any length. After an earlier turn, it is computed from the ledger: the
 * verifications and promises of all turns up to that one.
 *
 * A read that overlaps with a commit may see only a part of it. The state is one property, so it is always whole. The other
 * values of a row are compared with it and with counts, and the row is read again if they differ.
 */
import * as z from 'zod'
import { worldKey as keyOfWorld, turnKey } from '../../core/keys.ts'
import { readRows, readWholeRow, retryTornRead } from '../../graph/decode.ts'
import type { Graph, Params } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import type { Criterion } from '../../rules/identity.ts'
import { type Outcome, outcomeText } from '../../rules/outcome.ts'
import {
  advance,
  finalKeys,
  inOrder,
  type LedgerEntry,
  ledgerEntry,
  type Progress,
  promiseEntry,
  type RecentEntry,
} from '../../rules/progress.ts'
import { columns } from '../../rules/values.ts'
import {
  decodeState,
  type StoredState,
  stateColumn,
  sumDigests,
  UNREADABLE_STATE,
} from '../../rules/world-state.ts'
import { criterionRow } from '../record/criterion-rows.ts'
import { keyOfTask, type Scope } from '../scope/scope.ts'
import { unknownWorld, worldDamaged, worldDeleted } from '../scope/world-errors.ts'
import type { CriterionState } from './views.ts'

export type Snapshot = {
  worldSlug: string
  worldKey: string
  taskKey: string
  currentTurn: number
  /** Turn after which the snapshot is taken, as requested. It may be higher than `currentTurn`. */
  turn: number
  /** After the newest turn: the criteria that have progress. After an earlier turn: all criteria of the task. */
  criteria: readonly Criterion[]
  /** Progress by the key of the criterion. */
  progress: ReadonlyMap<string, Progress>
  /** Outcomes for stall analysis, ascending. After the newest turn, these are only the newest ones, as the world stores them. */
  outcomes: readonly Outcome[]
  /** Number of the newest turn when each version of the specification was declared; empty without a specification. */
  specifiedAfter: readonly number[]
  /** False if no verification of the world names files. True if a verification names files, or if this is not known. */
  hasProofFiles: boolean
  /** True if the task has a newer session. Also false if this was not read, or if the snapshot is after an earlier turn. */
  isSuperseded: boolean
  /** Verifications that were read, each under the criterion for which it counts (see {@link placeEntries}); null if not read. */
  ledger: readonly LedgerEntry[] | null
}

/** Task with its world; the newest world if none is named. */
export type Target = Scope & { worldSlug?: string | null | undefined }

/** Statement that includes `worlds/_target`, in its two forms: for a named world, and for the newest world of a task. */
export type SnapshotStatements = { named: Statement; newest: Statement }

/** Returns a statement that includes `worlds/_target`. `choices` select other parts of the file. */
export const statementOfTarget = (file: string, ...choices: string[]): SnapshotStatements => ({
  named: statement(file, 'named-world', ...choices),
  newest: statement(file, 'newest-world', ...choices),
})

/** Returns the row of a target; null without a row. Reads again while `isWhole` rejects the row as a part of a commit. */
export function readTarget<S extends z.ZodType>(
  graph: Graph,
  { named, newest }: SnapshotStatements,
  target: Target,
  params: Params,
  schema: S,
  isWhole: (row: z.output<S>) => boolean,
): Promise<z.output<S> | null> {
  const { project, worldSlug } = target
  const taskParams = { taskKey: keyOfTask(target), ...params }
  return worldSlug == null
    ? readWholeRow(graph, newest, taskParams, schema, isWhole)
    : readWholeRow(graph, named, { worldKey: keyOfWorld(project, worldSlug), ...taskParams }, schema, isWhole)
}

/** Reads a row, and rejects a deleted world, whose row may be incomplete. @throws `world_deleted` */
export async function readLiveTarget<S extends z.ZodType<{ world: SnapshotRow['world'] }>>(
  graph: Graph,
  statements: SnapshotStatements,
  target: Target,
  params: Params,
  schema: S,
  isWhole: (row: z.output<S>) => boolean,
): Promise<z.output<S> | null> {
  const isDeletedOrWhole = (row: z.output<S>) => row.world.deleted || isWhole(row)
  const row = await readTarget(graph, statements, target, params, schema, isDeletedOrWhole)
  if (row?.world.deleted) throw worldDeleted(row.world.slug)
  return row
}

/** Runs both forms of a statement with keys that match nothing, so that the server plans them: see `warmUpCapture`. */
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
const entriesOfTurns = statement('criteria/entries')
const mergedCriteria = statement('criteria/merged')

/** Decoded columns of `criteria/_snapshot`. */
export const snapshotColumns = {
  world: z
    .object({
      slug: z.string(),
      key: z.string(),
      taskKey: z.string(),
      currentTurn: z.number(),
      turnCount: z.number(),
      state: stateColumn,
      specifiedAfter: z.array(z.number()).nullable(),
      hasProofFiles: z.boolean().nullable(),
      deleted: z.boolean(),
    })
    .transform((row) => ({ ...row, state: decodeState(row.taskKey, row.state) })),
  namedCriteria: z.array(criterionRow),
}

/** Decoded columns of `criteria/_ledger`. They are empty if the world has more turns than `$ledgerUpTo`. */
export const ledgerColumns = {
  /** Number of all turns that the statement found, below and above `$turnNumber`. */
  turnsFound: z.number(),
  /** Turns below `$turnNumber`, each with its outcome, its verifications (`entries`) and its promises (`promised`). */
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

/** Maximum number of turns of a world whose ledger is read with its progress. A second read gets the entries of larger worlds. */
export const SMALL_WORLD = 32
export const NO_LEDGER = 0
export const WHOLE_LEDGER = 2 ** 31
/** Number above every turn number. */
export const NO_TURN = 2 ** 31

/** Returns null if the task has no world. @throws `unknown_world` if the task does not have the named world, `world_deleted` */
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

/** Reads a row. A snapshot after an earlier turn needs the ledger, so a larger world is read a second time with its ledger. */
export async function readTargetAsOf<S extends z.ZodType<SnapshotRow>>(
  graph: Graph,
  statements: SnapshotStatements,
  target: Target,
  asOf: number | null,
  ledgerUpTo: number,
  schema: S,
  isWhole: (row: z.output<S>) => boolean = () => true,
): Promise<z.output<S> | null> {
  const params = { turnNumber: asOf === null ? NO_TURN : asOf + 1, ledgerUpTo }
  const row = await readLiveTarget(
    graph,
    statements,
    target,
    params,
    schema,
    (found) => isSnapshotWhole(ledgerUpTo)(found) && isWhole(found),
  )
  if (row === null || asOf === null || asOf >= row.world.currentTurn || hasLedger(row)) return row
  // Names the world, because the task may have a newer world by now.
  const { slug: worldSlug } = row.world
  return readTargetAsOf(graph, statements, { ...target, worldSlug }, asOf, WHOLE_LEDGER, schema, isWhole)
}

/** True if the ledger was read: the statement returns no turns of a world with more turns than requested. */
const hasLedger = ({ world, turnsFound }: SnapshotRow): boolean => turnsFound === world.turnCount

export const warmUpSnapshot = (graph: Graph): Promise<void> =>
  warmUpTarget(graph, snapshotStatements, { turnNumber: NO_TURN, ledgerUpTo: NO_LEDGER })

/** Creates a check that returns true if the state of a row, and its ledger if requested, show the same moment. */
export const isSnapshotWhole =
  (ledgerUpTo: number) =>
  (row: SnapshotRow): boolean =>
    row.world.deleted ||
    (isStateWhole(row) &&
      // A world above the limit has no ledger in its row. If the row has turns, a commit raised the world above the limit.
      (row.world.turnCount > ledgerUpTo
        ? row.turnsFound === 0
        : isLedgerWhole(row, row.world.turnCount) &&
          (row.turns.length < row.turnsFound || isOfState(row.world.state, row.turns))))

/** True if state, counters and criteria show one moment. @throws `internal` if the stored text cannot be decoded */
export function isStateWhole({
  world: { slug, state, currentTurn, turnCount },
  namedCriteria,
}: {
  world: Pick<SnapshotRow['world'], 'slug' | 'state' | 'currentTurn' | 'turnCount'>
  namedCriteria: readonly { key: string }[]
}): boolean {
  if (state === UNREADABLE_STATE) throw worldDamaged(slug)
  const keys = new Set(namedCriteria.map(({ key }) => key))
  return (
    state.turn === currentTurn &&
    state.turnCount === turnCount &&
    [...state.progress.keys()].every((key) => keys.has(key))
  )
}

/** False if the records do not belong to the state, because a replacement was committed during the read. */
export const isOfState = (
  state: StoredState,
  turns: readonly { digest: string; entries: readonly unknown[] }[],
): boolean =>
  sumDigests(0, turns) === state.digestSum &&
  turns.reduce((sum, { entries }) => sum + entries.length, 0) ===
    [...state.progress.values()].reduce((sum, { entries }) => sum + entries, 0)

/**
 * True if the ledger shows one moment. Each turn stores the numbers of its verifications and promises, and a complete read finds the
 * same numbers. A read of half a commit can also find another number of turns than the world stores, a turn twice, or an entry that
 * names an unknown criterion.
 *
 * @param except turn that may lack parts (see {@link readLedger})
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

/** Builds a snapshot from a row, which needs its ledger if `asOf` is an earlier turn. */
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

/** Builds the snapshot after the newest turn from the stored state. */
export function newestSnapshot(
  { world, namedCriteria }: Pick<SnapshotRow, keyof typeof snapshotColumns>,
  ledger: Snapshot['ledger'],
): Snapshot {
  const { slug: worldSlug, key: worldKey, taskKey, currentTurn, state } = world
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
    criteria: namedCriteria.filter(({ key }) => state.progress.has(key)),
    progress: state.progress,
    outcomes: state.outcomes,
  }
}

const ascending = (outcomes: readonly Outcome[]): Outcome[] => outcomes.toSorted((a, b) => a.turn - b.turn)

/** Assigns each entry to the criterion for which it counts: for a merged criterion, the one that it was merged into. */
export const placeEntries = (
  entries: readonly LedgerEntry[],
  finalKey: (key: string) => string,
): LedgerEntry[] => entries.map((entry) => ({ ...entry, criterionKey: finalKey(entry.criterionKey) }))

const ledgerRow = z.object({
  taskKey: z.string(),
  /** Number of writes that had changed the ledger when it was read. The next write is rejected if this number has changed since. */
  ledgerRev: z.number(),
  turnCount: z.number(),
  deleted: z.boolean(),
  ...ledgerColumns,
})

/** All turns of a world with their verifications and promises, unordered, and the criteria of its task. */
export type Ledger = z.output<typeof ledgerRow>

/** Returns null if the world does not exist. `except`: turn whose record may lack parts, because the capture replaces it. */
export function readLedger(
  graph: Graph,
  worldKey: string,
  except: number | null = null,
): Promise<Ledger | null> {
  const params = { worldKeys: [worldKey], turnNumber: NO_TURN, ledgerUpTo: WHOLE_LEDGER }
  // A deleted world loses its turns one by one, so its ledger may be incomplete. The write then rejects the capture.
  return readWholeRow(
    graph,
    wholeLedger,
    params,
    ledgerRow,
    (found) => found.deleted || isLedgerWhole(found, found.turnCount, except),
  )
}

/** Reads the ledgers of worlds, of deleted ones too. Leaves out worlds that do not exist. */
export async function readLedgersOfWorlds(
  graph: Graph,
  worldKeys: readonly string[],
): Promise<ReadonlyMap<string, Ledger>> {
  const params = { worldKeys: [...worldKeys], turnNumber: NO_TURN, ledgerUpTo: WHOLE_LEDGER }
  const found = await readRows(graph, wholeLedger, params, ledgerRow.extend({ key: z.string() }))
  const ledgers = new Map<string, Ledger>()
  for (const { key, ...row } of found) {
    // A world that changed during the read is read again.
    const isWhole = row.deleted || isLedgerWhole(row, row.turnCount)
    const ledger = isWhole ? row : await readLedger(graph, key)
    if (ledger !== null) ledgers.set(key, ledger)
  }
  return ledgers
}

const mergedRow = z.object({ key: z.string(), mergedInto: z.string() })

export const readMerges = (graph: Graph, taskKey: string): Promise<z.output<typeof mergedRow>[]> =>
  readRows(graph, mergedCriteria, { taskKey }, mergedRow)

const entriesRow = z.object({
  turn: z.number(),
  verificationCount: z.number(),
  ledger: z.array(ledgerEntry),
})

/**
 * Returns the verifications of each criterion by its key, oldest first: all of them if the snapshot has the ledger. Otherwise it
 * reads only the turns whose entries are shown, so that a history costs the same after 50 and after 1,000 turns.
 *
 * @returns null if the entries differ from those of the snapshot, because a turn was replaced between the two reads
 */
export async function readHistories(
  graph: Graph,
  snapshot: Snapshot,
  states: readonly CriterionState[],
): Promise<ReadonlyMap<string, LedgerEntry[]> | null> {
  const ledger = snapshot.ledger ?? (await readEntries(graph, snapshot, listShownTurns(snapshot, states)))
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

function listShownTurns({ progress }: Snapshot, states: readonly CriterionState[]): number[] {
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
