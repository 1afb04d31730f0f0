/** Imports the autobuild artifacts below some paths: reads the task folders, then writes their turns. */
import * as z from 'zod'
import { asTurngraphError, hasCode, listProblems, TurngraphError } from '../core/errors.ts'
import { aFunction, name } from '../core/fields.ts'
import { sha256 } from '../core/keys.ts'
import { parseInput, snakeCase } from '../core/wire-form.ts'
import type { CaptureRequest, TurnState } from '../memory/record/record.ts'
import { UNKNOWN_FEATURE } from '../rules/values.ts'
import type { WireTurn } from './content.ts'
import type { ImportTarget } from './existing-worlds.ts'
import { type ExistingWorld, findWorldOfRun, readExistingWorlds } from './existing-worlds.ts'
import { type FoundTaskFile, type FoundTaskFiles, findTaskFiles } from './find-task-files.ts'
import { fitRequest } from './fit-request.ts'
import { findTaskFolders } from './folders.ts'
import type { ImportReport } from './import-report.ts'
import { type AutobuildReading, type AutobuildTask, readFolders } from './read.ts'
import {
  compareRecords,
  type Difference,
  differs,
  hasGained,
  isEarlierReading,
  keepFieldsOfResults,
} from './record-diff.ts'

export type ImportProgress = { phase: 'reading' | 'writing'; done: number; total: number }

/** Unknown options are rejected: an import with a misspelled `dryRun` would write. */
const importOptions = z.strictObject({
  project: name.nullish(),
  dryRun: z.boolean().optional(),
  /** False: the task files with the criteria are not read. */
  specifications: z.boolean().optional(),
  /** Called with the number of tasks done and of all tasks, first for reading, then for writing. */
  onProgress: aFunction<(progress: ImportProgress) => void>().optional(),
})
export type ImportOptions = z.input<typeof importOptions>

/**
 * Captures the turns of the autobuild artifacts below the paths. A run is captured in the world that already contains one of its
 * turns, otherwise in a new world. A repeated import changes only turns that have gained content (autobuild-artifacts.md). A turn
 * that cannot be stored is counted and reported.
 * @throws `not_found` if a path is not a folder; `store_unavailable`, `timeout` …: a repeated import continues from there
 * @example const { turnsCreated } = await importAutobuild(client, ['./shop/.guardkit'], { project: 'shop' })
 */
export async function importAutobuild(
  client: ImportTarget,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportReport> {
  parseInput(importOptions, options, 'importAutobuild', 'is no option here')
  const { project = null, dryRun = false, specifications = true, onProgress } = options
  const found = await findTaskFolders(paths)
  const stated = await findTaskFiles(
    paths,
    new Set(specifications ? found.tasks.map(({ taskId }) => taskId) : []),
  )
  const reading = await readFolders(found, stated.features, (done, total) =>
    onProgress?.({ phase: 'reading', done, total }),
  )
  return importReading(client, reading, stated, {
    project,
    dryRun,
    onTask: (done, total) => onProgress?.({ phase: 'writing', done, total }),
  })
}

export type ImportedTurn = TurnState & { superseded: boolean }

type ReadingOptions = {
  project: string | null
  dryRun?: boolean
  onTask?: (done: number, total: number) => void
  onTurn?: (turn: ImportedTurn) => void
  /** Called if an import is rejected temporarily (409), for example while a run holds the world. It may be repeated later. */
  onConflict?: () => void
}

export async function importReading(
  client: ImportTarget,
  { tasks, broken: _, ...read }: AutobuildReading,
  stated: FoundTaskFiles,
  { project, dryRun = false, onTask, onTurn, onConflict }: ReadingOptions,
): Promise<ImportReport> {
  const report: ImportReport = {
    tasks: tasks.length,
    worlds: 0,
    turnsCreated: 0,
    turnsUnchanged: 0,
    turnsSuperseded: 0,
    turnsFailed: 0,
    specifications: 0,
    verifications: 0,
    promises: 0,
    issues: 0,
    ...read,
  }
  const importing: Importing = { client, project, dryRun, report, onTurn, onConflict }
  const named = new Set(report.skipped.map(({ file }) => file))
  report.skipped.push(...stated.skipped.filter(({ file }) => !named.has(file)))
  let isPreviousLate = tasks.length === 1
  for (const [i, task] of tasks.entries()) {
    try {
      await declareTask(importing, task, stated.byTask.get(task.taskId))
      await importTask(importing, task)
      isPreviousLate = false
    } catch (error) {
      // A single task may be too large for the graph. If the next task times out too, the graph is too slow for all tasks.
      const isLate = hasCode(error, 'timeout')
      if (isPreviousLate || !isLate) throwUnlessLimited(importing, error)
      countFailedTask(report, task, error)
      isPreviousLate = isLate
    }
    onTask?.(i + 1, tasks.length)
  }
  return report
}

type Importing = {
  client: ImportTarget
  project: string | null
  dryRun: boolean
  report: ImportReport
  onTurn: ((turn: ImportedTurn) => void) | undefined
  onConflict: (() => void) | undefined
}

async function declareTask(
  { client, project, dryRun, report }: Importing,
  { featureId, taskId }: AutobuildTask,
  stated: FoundTaskFile | undefined,
): Promise<void> {
  if (stated === undefined) return
  const { file, criteria, warnings, others } = stated
  const warn = (message: string) =>
    report.warnings.push({ task: taskId, turn: null, field: 'specification', message })
  if (others.length > 0) warn(`${file} counts; another list states ${others.join(', ')}`)
  for (const { line, message } of warnings) warn(`${line === null ? file : `${file}:${line}`}: ${message}`)
  try {
    if (!dryRun)
      await client.declareCriteria({
        project,
        featureId,
        taskId,
        criteria: [...criteria],
        source: { path: file },
      })
    report.specifications++
  } catch (error) {
    if (!OF_THE_TURN.has(asTurngraphError(error).status)) throw error
    warn(`${file} is not declared: ${asTurngraphError(error).message}`)
  }
}

async function importTask(importing: Importing, task: AutobuildTask): Promise<void> {
  const { client, project, report } = importing
  const { featureId, taskId } = task
  const worlds = await readExistingWorlds(client, { project, featureId, taskId })
  const nameless = await readNamelessWorlds(client, { project, featureId, taskId })
  for (const run of task.runs) {
    report.worlds++
    for (const turn of run) {
      report.verifications += turn.verifications?.length ?? 0
      report.promises += turn.promises?.length ?? 0
      report.issues += turn.issues?.length ?? 0
    }
    const requests = run.flatMap((turn) => toRequest(importing, turn) ?? [])
    const { earlierReadings } = task
    const world = findWorldOfRun(requests, worlds, earlierReadings)
    const worldOfRun = world ?? findWorldOfRun(requests, nameless, earlierReadings)
    const ofWorld =
      world === worldOfRun ? requests : requests.map((each) => ({ ...each, featureId: UNKNOWN_FEATURE }))
    await importRun(importing, ofWorld, worldOfRun, earlierReadings)
  }
}

/** Reads the worlds without a feature: their first turns were imported before a file named it. Later turns continue there. */
const readNamelessWorlds = async (
  client: ImportTarget,
  scope: { project: string | null; featureId: string; taskId: string },
): Promise<ExistingWorld[]> =>
  scope.featureId === UNKNOWN_FEATURE
    ? []
    : readExistingWorlds(client, { ...scope, featureId: UNKNOWN_FEATURE })

function toRequest(importing: Importing, turn: WireTurn): CaptureRequest | null {
  const { project, report } = importing
  const at = { task: turn.task_id, turn: turn.turn_number }
  // An unknown time stays null: the default of a capture is "now".
  const wire = { ...turn, project, completed_at: turn.completed_at ?? null }
  try {
    return fitRequest(wire, `turn ${turn.turn_number} of ${turn.task_id}`, (field, message) =>
      report.warnings.push({ ...at, field, message }),
    )
  } catch (error) {
    countFailure(importing, { taskId: turn.task_id, turnNumber: turn.turn_number }, error)
    return null
  }
}

async function importRun(
  importing: Importing,
  run: readonly CaptureRequest[],
  existing: ExistingWorld | null,
  earlierReadings: AutobuildTask['earlierReadings'],
): Promise<void> {
  const isOldCopy = (existing?.turns.size ?? 0) > run.length
  let worldSlug = existing?.worldSlug ?? null
  for (const request of run) {
    try {
      const stored = existing?.turns.get(request.turnNumber)
      if (stored !== undefined) {
        const earlier = earlierReadings.get(request.turnNumber)
        await importAgain(importing, request, stored, (difference) =>
          earlier === undefined ? false : isEarlierReading(stored, difference, earlier, isOldCopy),
        )
        continue
      }
      if (!importing.dryRun) {
        worldSlug ??= await newWorld(importing, run, request)
        await capture(importing, { ...request, worldSlug })
      } else importing.report.turnsCreated++
    } catch (error) {
      countFailure(importing, request, error)
    }
  }
}

async function importAgain(
  importing: Importing,
  read: CaptureRequest,
  stored: TurnState,
  isEarlier: (difference: Difference) => boolean,
): Promise<void> {
  const { report, dryRun } = importing
  const request = { ...keepFieldsOfResults(read, stored), worldSlug: stored.worldSlug }
  const difference = compareRecords(stored, request)
  if (!differs(difference)) {
    report.turnsUnchanged++
    return
  }
  const supersedes = hasGained(difference) || isEarlier(difference)
  if (dryRun && supersedes) {
    report.turnsSuperseded++
    return
  }
  if (supersedes) {
    await capture(importing, { ...request, onConflict: 'supersede' })
    return
  }
  // The difference may be a scrubbed secret. Only the capture itself can decide whether the record is the same.
  if (!dryRun && (await isStored(importing, request))) return
  report.turnsUnchanged++
  const fields = [...difference.lost, ...difference.changed].map(snakeCase).join(', ')
  const message = `differs from the record in world ${stored.worldSlug}, which is kept: it has lost as much as it gained, or more`
  report.warnings.push({ task: read.taskId, turn: read.turnNumber, field: fields, message })
}

async function isStored(importing: Importing, request: CaptureRequest): Promise<boolean> {
  try {
    await capture(importing, request)
    return true
  } catch (error) {
    if (hasCode(error, 'turn_conflict')) return false
    throw error
  }
}

async function capture({ client, report, onTurn }: Importing, request: CaptureRequest): Promise<void> {
  const stored = await client.captureTurnState(request)
  const { created, superseded, redactions = 0 } = stored
  if (superseded) report.turnsSuperseded++
  else if (created) report.turnsCreated++
  else report.turnsUnchanged++
  report.redactions += redactions
  if (created || superseded) onTurn?.(stored)
}

/**
 * Creates the next world of the task. If an import is interrupted before its first capture, the next import finds the empty world
 * by its key. The key is derived from the first turn, because a watch does not know the later ones yet.
 * A deleted world is not reused.
 */
async function newWorld(
  { client, project }: Importing,
  run: readonly CaptureRequest[],
  request: CaptureRequest,
): Promise<string> {
  const { featureId, taskId } = request
  const scope = { project, featureId, taskId }
  const { project: _, ...first } = run[0] ?? request
  const idempotencyKey = `import-${sha256(JSON.stringify([featureId, taskId, first]))}`
  try {
    return (await client.createWorld(scope, { idempotencyKey })).worldSlug
  } catch (error) {
    if (!hasCode(error, 'world_deleted')) throw error
    return (await client.createWorld(scope)).worldSlug
  }
}

function countFailure(
  importing: Importing,
  { taskId, turnNumber }: Pick<CaptureRequest, 'taskId' | 'turnNumber'>,
  error: unknown,
): void {
  throwUnlessLimited(importing, error)
  const { report } = importing
  const message = error instanceof TurngraphError ? error.message : String(error)
  report.turnsFailed++
  const fields = listProblems(error).map(({ path }) => path)
  const field = fields.slice(0, 5).join(', ') || 'turn'
  report.warnings.push({ task: taskId, turn: turnNumber, field, message: `not stored: ${message}` })
}

/** Throws an error that is not limited to a turn or task. An unavailable graph or a missing right would fail every turn. */
function throwUnlessLimited({ onConflict }: Importing, error: unknown): void {
  const { status } = asTurngraphError(error)
  if (!OF_THE_TURN.has(status)) throw error
  if (status === 409) onConflict?.()
}

function countFailedTask(report: ImportReport, { taskId, runs }: AutobuildTask, error: unknown): void {
  report.turnsFailed += runs.flat().length
  const message = `not stored: ${asTurngraphError(error).message}`
  report.warnings.push({ task: taskId, turn: null, field: 'task', message })
}

const OF_THE_TURN: ReadonlySet<number> = new Set([400, 409, 410, 413, 500])
