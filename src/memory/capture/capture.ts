/** Stores a turn: reads the known criteria, plans the statements, and runs them; repeats this after a rejected write. */
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { toInstant } from '../../core/instants.ts'
import { turnKey, worldKey } from '../../core/keys.ts'
import { isEqualButMarks } from '../../core/scrub/marks.ts'
import { scrub } from '../../core/scrub/scrub.ts'
import { snakeCase, toWire } from '../../core/wire-form.ts'
import { serialize, withOneDeadline } from '../../graph/deadline.ts'
import { isHalfOfACommit, readRows } from '../../graph/decode.ts'
import { markerOfProject } from '../../graph/mask-key.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { warnOfLookAlikes } from '../../rules/look-alikes.ts'
import { optionalText } from '../../rules/values.ts'
import { readLedger } from '../criteria/snapshot.ts'
import { removeDerivedKeys } from '../record/derived-keys.ts'
import { digestRecord } from '../record/digest.ts'
import { normalizeTurn } from '../record/normalize.ts'
import { type CaptureRequest, type TurnState, turnState } from '../record/record.ts'
import { instantRow } from '../record/rows.ts'
import { defaultSlug, keyOfTask } from '../scope/scope.ts'
import { restoreUnfinished, worldAtWork, worldDeleted, worldOfAnotherTask } from '../scope/world-errors.ts'
import { checkNewWorld } from '../worlds/new-world.ts'
import { readTurn } from '../worlds/read-turns.ts'
import { fillFeature, warnOfReadings } from './guardkit-fields.ts'
import { counter, loadWorldSnapshot, type WorldSnapshot } from './load-criteria.ts'
import {
  type Capture,
  chooseWriteMode,
  type Plan,
  planCapture,
  resolveCapture,
  type Target,
  type WriteMode,
} from './plan-capture.ts'

const existing = statement('turns/existing')

export type Captured = {
  turn: TurnState
  /** False if the same record was already stored. */
  created: boolean
  /** True if the capture replaced another record. */
  superseded: boolean
  /** True if this capture made its world. */
  worldCreated: boolean
  /** Warnings about a world that was made, fields that are recorded differently, and letters of other alphabets. */
  warnings: string[]
  /** Number of masked secrets in the request. */
  redactions: number
}

export type CaptureOptions = {
  now?: () => Date
  newId?: () => string
  /** Name of the token of the caller; null: no token. */
  recordedBy?: string | null | undefined
}

/** Runs the steps of a capture in one transaction; null if a step rejected it and nothing was stored. */
type Write<T> = (graph: Graph, steps: readonly [Step, ...Step[]]) => Promise<T | null>

/**
 * Stores a turn with its verifications, promises, issues and gates in one transaction. A repeated capture returns the stored
 * record. Another record at the same turn is a conflict, unless the request has `onConflict: 'supersede'`.
 *
 * Usually takes one read and one write. A specification, a new world, a turn that is not the newest, a masked secret and a
 * rejected write each need more reads. The first write into a world with a rollback is always rejected.
 * `docs/capture-and-context.md` lists the statements. Source: seed 000, `capture_turn_state`.
 *
 * @throws `turn_conflict`, `unknown_world` (it would fork a session), `world_conflict`, `world_deleted`, `restore_unfinished`, `busy`, `store_unavailable`, `timeout`
 * @example
 * await captureTurnState(graph, { project: 'p', featureId: 'FEAT-1', taskId: 'TASK-1', turnNumber: 1, playerSummary: 'Built it' })
 */
export async function captureTurnState(
  graph: Graph,
  request: CaptureRequest & { project: string },
  options: CaptureOptions = {},
): Promise<Captured> {
  const filled = await fillFeature(graph, request)
  const { written, ...captured } = await store(graph, filled, options, false, (deadlined, steps) =>
    deadlined.write(steps),
  )
  const rows = written?.flat() ?? []
  // Another capture may have created the world at the same moment.
  const wasThere = rows.some((each) => 'world' in each && each.created === false)
  if (wasThere) Object.assign(captured, { worldCreated: false, warnings: [] })
  captured.warnings = [
    ...captured.warnings,
    ...warnOfReadings(request, filled),
    ...warnOfLookAlikes(listLabels(request)),
  ]
  const row = rows.find((each) => 'completedAt' in each)
  if (row === undefined) return captured
  // The clock may have stepped back, so the write determines the time that the service sets.
  return { ...captured, turn: { ...captured.turn, completedAt: instantRow.parse(row.completedAt) } }
}

const listLabels = (request: CaptureRequest): string[] => [
  ...Object.keys(request.acceptanceCriteriaStatus ?? {}),
  ...[...(request.verifications ?? []), ...(request.promises ?? [])].map(({ criterionId }) => criterionId),
  ...(request.issues ?? []).flatMap(({ criterionIds }) => criterionIds ?? []),
]

/** @returns the result of `write`, which runs the steps in a transaction of the caller; null if the record was already stored */
export async function captureAsOwner<T>(
  graph: Graph,
  request: CaptureRequest & { project: string },
  write: Write<T>,
  options: CaptureOptions = {},
): Promise<T | null> {
  return (await store(graph, request, options, true, write)).written
}

async function store<T>(
  unbounded: Graph,
  request: CaptureRequest & { project: string },
  options: CaptureOptions,
  asOwner: boolean,
  write: Write<T>,
): Promise<Captured & { written: T | null }> {
  const graph = withOneDeadline(unbounded)
  const sent = removeDerivedKeys(request)
  // Masks secrets first, so that no stored, compared or returned value contains one.
  const { scrubbed, redactions } = await scrub(sent, () =>
    markerOfProject(graph, request.project, () => checkNewWorld(graph, sent)),
  )
  const { now = () => new Date(), newId = () => crypto.randomUUID(), recordedBy = null } = options
  const capture: Capture = {
    request: scrubbed,
    record: { ...normalizeTurn(scrubbed, toInstant(now())), recordedBy },
    digest: digestRecord(scrubbed),
    writeId: newId(),
    asOwner,
  }
  // Runs captures of one task in order. Simultaneous ones would reject each other, because each may add criteria to the task.
  const stored = await serialize(unbounded, keyOfTask(scrubbed), () => storeTurn(graph, capture, write))
  return { ...stored, redactions }
}

type Stored<T> = Omit<Captured, 'redactions'> & { written: T | null }

/** Stores a turn. Looks up the stored one only if this one is not the newest or a write was rejected. Retries have a deadline. */
async function storeTurn<T>(graph: Graph, capture: Capture, write: Write<T>): Promise<Stored<T>> {
  const { request } = capture
  const { turnNumber } = request
  const slugs = createSlugs(request)
  let mayHaveCreatedWorld = false
  let warnings: string[] = []
  for (let refusals = 0; ; refusals++) {
    const known = await loadWorldSnapshot(graph, capture)
    const worldSlug = request.worldSlug ?? known.worldSlug ?? slugs.after(known.worldCount)
    let isNew = known.worldSlug === null
    let mode: WriteMode = known.currentTurn < turnNumber ? 'next' : 'late'
    let replaced: Target['replaced'] = null
    // The first write to a world with a rollback is rejected, so that only such a world pays for the look-up of withdrawn turns.
    let rollbacks = 0
    let withdrawnKey: string | null = null
    // An owner that sends its turn again gets the state of its attempt from `write`.
    if (refusals > 0 || (known.currentTurn >= turnNumber && !capture.asOwner)) {
      const found = await readExisting(graph, capture, worldSlug)
      rollbacks = found.rollbacks
      if (found.taskIsRestoring) throw restoreUnfinished(request)
      isNew ||= !found.worldExists
      if (found.worldExists && (!found.worldIsOfTask || found.worldDeleted)) {
        if (request.worldSlug != null)
          throw found.worldIsOfTask ? worldDeleted(worldSlug) : worldOfAnotherTask(worldSlug)
        slugs.skip(found.worldIsOfTask === true)
        continue
      }
      if (found.digest !== null) {
        const record = await readStored(graph, capture, worldSlug)
        // The record may come from this capture, if the answer to its write was lost.
        if (record !== null && isSame(record, capture, worldSlug, found.digest))
          return {
            turn: record,
            created: found.writeId === capture.writeId,
            superseded: false,
            worldCreated: found.writeId === capture.writeId && mayHaveCreatedWorld,
            warnings,
            written: null,
          }
        mode = 'supersede'
        replaced = { revision: found.revision }
      } else {
        if (!capture.asOwner) assertNoActiveAttempt(found, worldSlug, turnNumber)
        mode = found.currentTurn < turnNumber ? 'next' : 'late'
        withdrawnKey = found.withdrawn[0] ?? null
      }
    }
    if (isNew) warnings = await checkNewWorld(graph, request)
    mayHaveCreatedWorld ||= isNew
    const planned = await plan(
      graph,
      capture,
      { worldSlug, isNew, replaced, rollbacks, withdrawnKey },
      mode,
      known,
    )
    const written = planned === null ? null : await write(graph, planned)
    if (planned !== null && written !== null) {
      const superseded = mode === 'supersede'
      return {
        turn: toTurn(capture, worldSlug),
        created: true,
        superseded,
        worldCreated: isNew,
        warnings: isNew ? warnings : [],
        written,
      }
    }
    if (refusals > 0) await pause(Math.random() * Math.min(2 ** refusals, MAX_PAUSE_MS))
  }
}

/** Maximum pause after a rejection: captures that repeatedly reject each other wait a random time. */
const MAX_PAUSE_MS = 64

/** Creates the default slugs of a task's next world, in order: another task or a deleted world may already have one. */
function createSlugs(request: Capture['request']) {
  let skipped = 0
  let withFeature = false
  return {
    after: (worldCount: number) => defaultSlug(request, worldCount + 1 + skipped, withFeature),
    skip: (isOfTask: boolean) => {
      if (isOfTask || withFeature) skipped++
      withFeature = !isOfTask && !withFeature
    },
  }
}

/** Plans the writes; null if the world changed after it was read, so that it must be read again. */
async function plan(
  graph: Graph,
  capture: Capture,
  target: Target,
  wanted: WriteMode,
  known: WorldSnapshot,
): Promise<Plan | null> {
  const { project, turnNumber } = capture.request
  const readTurns = () => readLedger(graph, worldKey(project, target.worldSlug), turnNumber)
  const ofEarlierTurn = wanted === 'next' ? null : await readTurns()
  const resolution = resolveCapture(capture, target, known, ofEarlierTurn)
  const mode = chooseWriteMode(wanted, resolution)
  const ledger = mode === 'next' ? null : (ofEarlierTurn ?? (await readTurns()))
  return planCapture(capture, target, mode, known, resolution, ledger)
}

/** A world that does not exist. */
const NOWHERE: Target = { worldSlug: '', isNew: false, replaced: null, rollbacks: 0, withdrawnKey: null }

/** Runs the statements without a match. A Neo4j that has just started then plans them before a caller has to wait for that. */
export async function warmUpCapture(graph: Graph): Promise<void> {
  const capture = absentCapture()
  const known = await loadWorldSnapshot(graph, capture)
  await loadWorldSnapshot(graph, { ...capture, request: { ...capture.request, worldSlug: '' } })
  await checkNewWorld(graph, capture.request)
  await readExisting(graph, capture, '')
  if (graph.engine === 'neo4j') await planWrites(graph, capture, known)
}

/** Runs the statements that change a turn or insert an earlier one, without a match: see `warmUpCapture`. */
export async function warmUpChanges(graph: Graph): Promise<void> {
  const capture = absentCapture()
  const known = await loadWorldSnapshot(graph, capture)
  for (const mode of ['late', 'supersede'] as const) {
    const planned = await plan(graph, capture, NOWHERE, mode, known)
    if (planned !== null) await graph.write(planned)
  }
}

function absentCapture(): Capture {
  const request = {
    project: '',
    featureId: '',
    taskId: '',
    turnNumber: 1,
    playerSummary: '',
    verifications: [{ criterionId: 'AC-001', status: 'unknown' as const }],
  }
  const record = normalizeTurn(request, toInstant(new Date(0)))
  return { request, record, digest: '', writeId: '', asOwner: false }
}

/** Plans captures into an existing and into a new world: on Neo4j, a transaction that has created a world has other plans. */
async function planWrites(graph: Graph, capture: Capture, known: WorldSnapshot): Promise<void> {
  for (const isNew of [false, true]) {
    const planned = await plan(graph, capture, { ...NOWHERE, isNew }, 'next', known)
    await graph.transact(async (run) => {
      for (const step of planned ?? []) await run(step)
      return null
    })
  }
}

const existingRow = z.object({
  worldExists: z.boolean(),
  worldIsOfTask: z.boolean().nullable(),
  worldDeleted: z.boolean(),
  currentTurn: counter,
  digest: z.string().nullable(),
  revision: counter,
  writeId: z.string().nullable(),
  rollbacks: counter,
  withdrawn: z.array(z.string()),
  activeRunId: optionalText,
  activeAttemptId: optionalText,
  taskIsRestoring: z.boolean(),
})

/** Rejects the next turn of a world that a run or an attempt holds: its owner commits it (contract: runs.md). */
function assertNoActiveAttempt(
  { currentTurn, activeRunId, activeAttemptId }: z.output<typeof existingRow>,
  worldSlug: string,
  turnNumber: number,
): void {
  if (turnNumber <= currentTurn || (activeRunId === null && activeAttemptId === null)) return
  throw worldAtWork(worldSlug, { activeRunId, activeAttemptId })
}

async function readExisting(
  graph: Graph,
  { request }: Capture,
  worldSlug: string,
): Promise<z.output<typeof existingRow>> {
  const keyOfWorld = worldKey(request.project, worldSlug)
  const params = {
    worldKey: keyOfWorld,
    taskKey: keyOfTask(request),
    turnKey: turnKey(keyOfWorld, request.turnNumber),
    turnNumber: request.turnNumber,
  }
  const [row] = await readRows(graph, existing, params, existingRow)
  if (row === undefined) throw new Error('turns/existing gave no row')
  return row
}

const toTurn = ({ request: { project }, record }: Capture, worldSlug: string): TurnState => ({
  ...record,
  project,
  worldSlug,
  key: turnKey(worldKey(project, worldSlug), record.turnNumber),
})

/** Reads the stored record of the turn; null if parts of it are missing and the request replaces it. */
const readStored = (graph: Graph, { request }: Capture, worldSlug: string): Promise<TurnState | null> =>
  readTurn(graph, request.project, worldSlug, request.turnNumber).catch((error) => {
    if (request.onConflict === 'supersede' && isHalfOfACommit(error)) return null
    throw error
  })

/**
 * True if the stored record equals the capture: it has the same digest, or the same fields although the request was worded
 * differently, such as a record that was read back. False if the request replaces the stored record.
 *
 * @throws `turn_conflict` if the record differs and the request does not replace it
 */
function isSame(stored: TurnState, capture: Capture, worldSlug: string, digest: string): boolean {
  const { request } = capture
  if (digest === capture.digest) return true
  const wanted = turnState.parse(toTurn(capture, worldSlug)) // orders the fields like the stored record
  const defaulted = new Set([
    'createdAt',
    'recordedBy',
    'key',
    'id',
    ...(request.completedAt === undefined ? ['completedAt'] : []),
    ...(request.completedAt === undefined || request.durationSeconds == null ? ['durationSeconds'] : []),
  ])
  const fields = Object.keys(turnState.shape).filter(
    (field) =>
      !defaulted.has(field) &&
      !isEqualButMarks(
        JSON.stringify(wanted[field as keyof TurnState] ?? null),
        JSON.stringify(stored[field as keyof TurnState] ?? null),
      ),
  )
  if (fields.length === 0) return true
  if (request.onConflict === 'supersede') return false
  const pick = (turn: TurnState) =>
    toWire(turnState, Object.fromEntries(fields.map((field) => [field, turn[field as keyof TurnState]])))
  const wireNames = fields.map(snakeCase)
  throw new TurngraphError(
    'turn_conflict',
    `Turn ${request.turnNumber} of world ${worldSlug} holds another record; they differ in ${wireNames.join(', ')}.`,
    {
      hint:
        request.turnNumber === 1
          ? 'A new session? Create a world (POST /v1/worlds) and name it. To replace the record: on_conflict "supersede".'
          : 'To replace the stored record send on_conflict "supersede".',
      details: { fields: wireNames, world_slug: worldSlug, stored: pick(stored), sent: pick(wanted) },
    },
  )
}
