import * as z from 'zod'
import type { Resolution } from '../criteria/identity.ts'
import { readLedger } from '../criteria/ledger.ts'
import { progressProperties } from '../criteria/rows.ts'
import { advance, finalKeys, type Progress, type StandingSummary, summaryOf } from '../criteria/state.ts'
import { TurngraphError } from '../errors.ts'
import { optionalText } from '../graph/columns.ts'
import { withOneDeadline } from '../graph/deadline.ts'
import { readRows } from '../graph/decode.ts'
import type { Graph, Params, Step } from '../graph/port.ts'
import { type Statement, statement, statementOfNothingNew } from '../graph/statements.ts'
import { instantOf } from '../instant.ts'
import { turnKey, worldKey } from '../keys.ts'
import { scrub } from '../scrub.ts'
import { toWire } from '../wire.ts'
import { digestOf } from './digest.ts'
import { criteriaAfter, type Known, knownAfter, readKnown } from './known.ts'
import { knownWorlds } from './known-worlds.ts'
import {
  entriesOf,
  namesCriteria,
  needsEarlier,
  partsOf,
  resolveParts,
  type StoredVerification,
  storedParams,
  type TurnParts,
} from './parts.ts'
import { readTurn } from './read.ts'
import { removeDerivedKeys, seedId } from './read-back.ts'
import { type CaptureRequest, type TurnState, turnState } from './record.ts'
import { defaultSlug, keyOfTask, type Scope } from './scope.ts'
import { worldAtWork, worldDeleted, worldOfAnotherTask } from './world-errors.ts'
import { ensureWorldStep } from './worlds.ts'

const append = statement('turns/append')
const appendNothingNew = statementOfNothingNew('turns/append')
const insert = statement('turns/insert')
const supersede = statement('turns/supersede')
const newestTurns = statement('turns/newest-turns')
const standing = statement('turns/standing')

export type Captured = {
  turn: TurnState
  /** False where the same record stood there already. */
  created: boolean
  /** True where it took the place of another record. */
  superseded: boolean
  /** How many secrets were masked in what was sent. */
  redactions: number
}

export type CaptureOptions = {
  now?: () => Date
  newId?: () => string
  /**
   * Runs the steps of the capture inside a transaction of the caller's, who owns the world at that moment: how an
   * attempt commits its turn. Answers null where a step refused and nothing stayed.
   */
  within?: Within
}

type Within = (graph: Graph, steps: readonly [Step, ...Step[]]) => Promise<unknown[] | null>

/**
 * Stores a turn with its verifications, promises, issues and gates, in one transaction. The same record
 * again is answered, not stored again; another record at its turn is a conflict, unless the request says
 * `onConflict: 'supersede'`.
 *
 * One write; before it one read where the turn names criteria, or no world, and this process did not store the world's
 * turn before it. Source: seed 000, `capture_turn_state`.
 *
 * @throws `turn_conflict`, `world_conflict`, `world_deleted`, `busy`, `store_unavailable`, `timeout`
 * @example
 * await captureTurnState(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1, playerSummary: 'Built it' })
 */
export async function captureTurnState(
  store: Graph,
  request: CaptureRequest & { project: string },
  options: CaptureOptions = {},
): Promise<Captured> {
  const graph = withOneDeadline(store)
  const now = instantOf((options.now ?? (() => new Date()))())
  const record = removeDerivedKeys(request)
  // Before anything else is done with it: what is stored, compared or told holds no secret.
  const { scrubbed: clean, redactions } = await scrub(record)
  const capture: Capture = {
    graph,
    store,
    request: clean,
    scope: clean,
    parts: partsOf(clean, now),
    digest: digestOf(record),
    writeId: (options.newId ?? (() => crypto.randomUUID()))(),
    now,
    within: options.within ?? null,
  }
  return { ...(await storeTurn(capture)), redactions }
}

/** As captured, but for what was masked. */
type Stored = Omit<Captured, 'redactions'>

async function storeTurn(capture: Capture): Promise<Stored> {
  const { graph, request } = capture
  if (await appendAsRemembered(capture)) return created(capture, request.worldSlug as string)
  let way: Way = 'append'
  let withFeature = false
  let createWorld = false
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const known = await readKnown(graph, request, capture)
    const worldSlug =
      request.worldSlug ?? known.worldSlug ?? defaultSlug(request, known.worldCount + 1, withFeature)
    createWorld ||= known.worldSlug === null && (request.worldSlug == null || known.from === 'graph')
    if (tries === 0 && known.currentTurn >= request.turnNumber) way = 'insert'
    if ((await write(capture, way, worldSlug, known, createWorld)) !== null) {
      return { ...created(capture, worldSlug), superseded: way === 'supersede' }
    }
    const stands = await whatStands(capture, worldSlug)
    if (!stands.worldExists) {
      createWorld = true
    } else if (!stands.worldIsOfTask) {
      if (request.worldSlug != null || withFeature) throw worldOfAnotherTask(worldSlug)
      withFeature = true
    } else if (stands.worldDeleted) {
      if (request.worldSlug != null) throw worldDeleted(worldSlug)
    } else if (stands.digest === capture.digest) {
      // Our own write whose answer was lost counts as ours.
      const turn = await readTurn(graph, request.project, worldSlug, request.turnNumber)
      return { turn, created: stands.writeId === capture.writeId, superseded: false }
    } else if (stands.digest !== null) {
      const same = await findSame(capture, worldSlug)
      if (same !== null) return same
      way = 'supersede'
    } else {
      if (capture.within === null) refuseAtWork(stands, worldSlug, request.turnNumber)
      way = stands.currentTurn < request.turnNumber ? 'append' : 'insert'
    }
  }
  throw new TurngraphError(
    'busy',
    `The criteria of task ${request.taskId} keep changing under this capture.`,
    {
      hint: 'Try again: other worlds of the task add criteria at this moment.',
    },
  )
}

const created = (capture: Capture, worldSlug: string): Stored => ({
  turn: storedTurn(capture, worldSlug),
  created: true,
  superseded: false,
})

/** The next turn of a world whose last one this process stored. False: not so, or somebody else wrote meanwhile. */
async function appendAsRemembered(capture: Capture): Promise<boolean> {
  const { store, request, parts, within } = capture
  const { worldSlug } = request
  if (worldSlug == null || within !== null || !namesCriteria(parts)) return false
  const known = knownWorlds(store).get(worldKey(request.project, worldSlug))
  if (known === undefined || known.currentTurn >= request.turnNumber) return false
  if (needsEarlier(parts) && !known.withEarlier) return false
  return (await write(capture, 'append', worldSlug, known, false)) !== null
}

/**
 * Runs the statements of a capture where nothing can match, so that nothing is written: a Neo4j that has just
 * started takes seconds to plan each for the first time, and no caller should wait for that.
 */
export async function warmUpCapture(graph: Graph): Promise<void> {
  const nowhere = { project: '', featureId: '', taskId: '', worldSlug: '', turnNumber: 1, playerSummary: '' }
  const request = { ...nowhere, verifications: [{ criterionId: 'AC-001', status: 'unknown' as const }] }
  const now = instantOf(new Date(0))
  const capture = {
    graph,
    store: graph,
    request,
    scope: request,
    parts: partsOf(request, now),
    digest: '',
    writeId: '',
    now,
    within: null,
  }
  const known = await readKnown(graph, { ...request, worldSlug: null }, capture)
  await readKnown(graph, request, capture)
  for (const way of ['append', 'insert', 'supersede'] as const) await write(capture, way, '', known, false)
  await write({ ...capture, parts: partsOf(nowhere, now) }, 'append', '', known, false)
}

/** Enough for each reason to go another way once, and for the criteria to move three times. */
const MAX_TRIES = 8

type Way = 'append' | 'insert' | 'supersede'

type Capture = {
  /** With the deadline of this capture. */
  graph: Graph
  /** The same, as it was handed in. */
  store: Graph
  request: CaptureRequest & { project: string }
  scope: Scope
  parts: TurnParts
  digest: string
  writeId: string
  now: string
  within: Within | null
}

async function write(
  capture: Capture,
  way: Way,
  worldSlug: string,
  known: Known,
  createWorld: boolean,
): Promise<unknown> {
  const { graph, store, request, scope, parts, digest, writeId, now, within } = capture
  const keyOfWorld = worldKey(scope.project, worldSlug)
  const resolution = resolveParts(parts, {
    taskKey: keyOfTask(scope),
    worldKey: keyOfWorld,
    criteria: known.criteria,
    labels: known.labels,
    earlier: { promises: known.earlierPromises, judged: known.earlierVerifications },
  })
  // A merge moves what both criteria were: where they stand is derived anew, as after a turn that came late.
  const merges = resolution.changed.some(({ mergedInto }) => mergedInto !== null)
  const goes = way === 'append' && merges ? 'insert' : way
  const isRemembered = known.from === 'memory'
  // Only an append asks whether the world is still the one that is remembered, not one that was restored since.
  if (isRemembered && goes !== 'append') return null
  const standing = await standingAfter(capture, goes, keyOfWorld, known, resolution)
  // Another turn came between: what is known of the labels is older than the ledger that the write compares with.
  if (known.from !== 'nowhere' && standing.rev !== known.ledgerRev) return null
  const stored = storedParams(parts, resolution, standing.edges, {
    project: scope.project,
    id: seedId(capture.request),
    digest,
    writeId,
    criteriaRev: known.criteriaRev,
  })
  const params: Params = {
    worldKey: keyOfWorld,
    taskKey: keyOfTask(scope),
    turnKey: turnKey(keyOfWorld, request.turnNumber),
    turnNumber: request.turnNumber,
    token: crypto.randomUUID(),
    ...(goes === 'supersede' ? { digest } : { asOwner: within !== null }),
    ...(goes === 'append' && { creation: isRemembered ? (known.creation ?? '') : '' }),
    ...stored,
    ledger: {
      touched: standing.touched,
      rev: standing.rev,
      standing: { progressSum: standing.progressSum, ...standing.summary },
    },
    // Of a world that is new no ledger says whether it was resolved by what stands; what is remembered may be old.
    asKnown: isRemembered || (createWorld && known.from === 'graph'),
  }
  const steps: [Step, ...Step[]] = [{ statement: storing(goes, resolution, parts), params }]
  if (goes !== 'append') steps.push({ statement: newestTurns, params: { worldKey: keyOfWorld } })
  const creation = createWorld ? crypto.randomUUID() : known.creation
  if (createWorld) steps.unshift(ensureWorldStep(scope, worldSlug, { now, token: creation ?? '' }))
  const answers = await (within === null ? graph.write(steps) : within(graph, steps))
  const isNext = goes === 'append' && within === null && answers !== null
  if (!isNext) knownWorlds(store).delete(keyOfWorld)
  else if (known.from !== 'nowhere') {
    const { criteria, progress, progressSum } = standing
    const ledgerRev = known.ledgerRev + (standing.touched ? 1 : 0)
    const after = { worldSlug, creation, ledgerRev, progressSum, criteria, progress }
    knownWorlds(store).set(keyOfWorld, knownAfter(known, parts, resolution, after))
  }
  return answers
}

function storing(way: Way, { changed, labels }: Resolution, { turn }: TurnParts): Statement {
  if (way !== 'append') return { insert, supersede }[way]
  const saysNew = changed.length > 0 || labels.length > 0 || turn.transcriptSessionIds.length > 0
  return saysNew ? append : appendNothingNew
}

type Standing = {
  /** By criterion, the properties of its edge PROGRESS. */
  edges: Map<string, ReturnType<typeof progressProperties>>
  /** Those of the task. */
  criteria: Known['criteria']
  /** All of the world's, with the revisions at which they were derived. */
  progress: Known['progress']
  touched: boolean
  /** The revision that was read: written only if it still stands. */
  rev: number
  progressSum: number
  summary: StandingSummary
}

/**
 * Where each criterion stands after this turn: the newest turn's entries go on top of what is known; a late
 * turn, one that replaces another, and a merge of two criteria fold the whole ledger again.
 */
async function standingAfter(
  { graph, request, parts }: Capture,
  way: Way,
  keyOfWorld: string,
  known: Known,
  resolution: Resolution,
): Promise<Standing> {
  const entries = entriesOf(parts, resolution)
  if (way === 'append') {
    const criteria = criteriaAfter(known.criteria, resolution)
    const keyOf = finalKeys(criteria)
    const kept = known.progress.flatMap(([key, progress]) =>
      progress === null ? [] : [[key, progress] as const],
    )
    const revs = new Map(kept.map(([key, { rev }]) => [key, rev]))
    const after = advance(
      new Map(kept.map(([key, { progress }]) => [key, progress])),
      entries.ledger,
      entries.promised,
      keyOf,
    )
    const touched = new Set(
      [...entries.ledger, ...entries.promised].map(({ criterionKey }) => keyOf(criterionKey)),
    )
    const rev = known.ledgerRev + 1
    const dropped = [...touched].reduce((sum, key) => sum + (revs.get(key) ?? 0), 0)
    return {
      edges: edgesOf(after, [...touched], rev),
      criteria,
      progress: [...after].map(([key, progress]) => [
        key,
        { progress, rev: touched.has(key) ? rev : (revs.get(key) ?? rev) },
      ]),
      touched: touched.size > 0,
      rev: known.ledgerRev,
      progressSum: known.progressSum - dropped + rev * touched.size,
      summary: summaryOf(after.values()),
    }
  }
  const ledger = await readLedger(graph, keyOfWorld)
  // Of all criteria of the task: a turn that names none has read none, and merges of earlier turns still hold.
  const criteria = criteriaAfter(ledger?.criteria ?? known.criteria, resolution)
  const keyOf = finalKeys(criteria)
  const others = <E extends { turn: number }>(all: readonly E[] = []) =>
    all.filter(({ turn }) => turn !== request.turnNumber)
  const after = advance(
    new Map(),
    [...others(ledger?.ledger), ...entries.ledger],
    [...others(ledger?.promised), ...entries.promised],
    keyOf,
  )
  const ledgerRev = ledger?.ledgerRev ?? 0
  const rev = ledgerRev + 1
  const edges = edgesOf(after, [...after.keys()], rev)
  const progress = [...after].map(([key, progress]): Known['progress'][number] => [key, { progress, rev }])
  return {
    edges,
    criteria,
    progress,
    touched: true,
    rev: ledgerRev,
    progressSum: rev * after.size,
    summary: summaryOf(after.values()),
  }
}

const edgesOf = (
  after: ReadonlyMap<string, Progress>,
  keys: readonly string[],
  rev: number,
): Standing['edges'] =>
  new Map(
    keys.flatMap((key) => {
      const progress = after.get(key)
      return progress === undefined ? [] : [[key, progressProperties(progress, rev)] as const]
    }),
  )

const standingRow = z.object({
  worldExists: z.boolean(),
  worldIsOfTask: z.boolean().nullable(),
  worldDeleted: z.boolean(),
  currentTurn: z
    .number()
    .nullable()
    .transform((value) => value ?? 0),
  digest: z.string().nullable(),
  writeId: z.string().nullable(),
  activeRunId: optionalText,
  activeAttemptId: optionalText,
})

/** The next turn of a world that a run or an attempt holds is its owner's to commit (contract: runs.md). */
function refuseAtWork(
  { currentTurn, activeRunId, activeAttemptId }: z.output<typeof standingRow>,
  worldSlug: string,
  turnNumber: number,
): void {
  if (turnNumber <= currentTurn || (activeRunId === null && activeAttemptId === null)) return
  throw worldAtWork(worldSlug, { activeRunId, activeAttemptId })
}

async function whatStands(
  { graph, scope, request }: Capture,
  worldSlug: string,
): Promise<z.output<typeof standingRow>> {
  const keyOfWorld = worldKey(scope.project, worldSlug)
  const params = {
    worldKey: keyOfWorld,
    taskKey: keyOfTask(scope),
    turnKey: turnKey(keyOfWorld, request.turnNumber),
  }
  const [row] = await readRows(graph, standing, params, standingRow)
  if (row === undefined) throw new Error('turns/standing gave no row')
  return row
}

function storedTurn(capture: Capture, worldSlug: string): TurnState {
  const { scope, parts } = capture
  const { turn, verifications, promises, issues, gates } = parts
  const inForm = (wanted: StoredVerification['form']) => verifications.filter(({ form }) => form === wanted)
  return {
    ...turn,
    id: seedId(capture.request),
    key: turnKey(worldKey(scope.project, worldSlug), turn.turnNumber),
    project: scope.project,
    featureId: scope.featureId,
    taskId: scope.taskId,
    worldSlug,
    acceptanceCriteriaStatus: Object.fromEntries(
      inForm('status').map(({ criterionId, status }) => [criterionId, status]),
    ),
    verifications: inForm('entry').map(({ form, ...verification }) => verification),
    promises,
    issues,
    gates: Object.fromEntries(gates.map(({ name, status }) => [name, status])) as TurnState['gates'],
  }
}

/**
 * Compares both records, field by field. Where only the wording of the request differs, as in a record that was read
 * back, it is the same one. Null: another, which the request replaces.
 *
 * @throws `turn_conflict` where it does not
 */
async function findSame(capture: Capture, worldSlug: string): Promise<Stored | null> {
  const { graph, request } = capture
  const stored = await readTurn(graph, request.project, worldSlug, request.turnNumber)
  const sent = turnState.parse(storedTurn(capture, worldSlug)) // in the order of the schema, as the other
  const defaulted = new Set([
    'createdAt',
    'key',
    'id',
    ...(request.completedAt === undefined ? ['completedAt'] : []),
    ...(request.completedAt === undefined || request.durationSeconds == null ? ['durationSeconds'] : []),
  ])
  const fields = Object.keys(turnState.shape).filter(
    (field) =>
      !defaulted.has(field) &&
      JSON.stringify(sent[field as keyof TurnState]) !== JSON.stringify(stored[field as keyof TurnState]),
  )
  if (fields.length === 0) return { turn: stored, created: false, superseded: false }
  if (request.onConflict === 'supersede') return null
  const pick = (turn: TurnState) =>
    toWire(turnState, Object.fromEntries(fields.map((field) => [field, turn[field as keyof TurnState]])))
  const wireNames = Object.keys(pick(sent) as object)
  throw new TurngraphError(
    'turn_conflict',
    `Turn ${request.turnNumber} of world ${worldSlug} holds another record; they differ in ${wireNames.join(', ')}.`,
    {
      hint:
        request.turnNumber === 1
          ? 'A new session? Create a world (POST /v1/worlds) and name it. To replace the record: on_conflict "supersede".'
          : 'To replace the stored record send on_conflict "supersede".',
      details: { fields: wireNames, world_slug: worldSlug, stored: pick(stored), sent: pick(sent) },
    },
  )
}
