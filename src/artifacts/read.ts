/** Reads the artifacts of autobuild below some folders into turn records. */

import { isUtf8 } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { groupBy } from '../core/group-by.ts'
import { canonicalInstant, compareInstants } from '../core/instants.ts'
import { systemCode } from '../core/system-code.ts'
import { compareCodeUnits } from '../rules/labels.ts'
import { UNKNOWN_FEATURE } from '../rules/values.ts'
import { parseEvents, parseFile, SHAPES, type TaskWorkResults } from './artifacts.ts'
import { isText, type WireTurn } from './content.ts'
import { SHORTEST_TURN_MS } from './finished-turns.ts'
import { type FoundFile, type FoundFolders, ROLLED_BACK, type TaskFolder } from './folders.ts'
import type { ImportReport } from './import-report.ts'
import { type Parsed, readArtifact, type Shape } from './read-artifact.ts'
import { readTimes, splitRuns, warnOfTimes } from './times.ts'
import type { Warn } from './truncate-to-limits.ts'
import {
  completedAt,
  type EarlierReading,
  findBoilerplate,
  listEarlierReadings,
  listOtherPlaces,
  type TurnSources,
  turnRecord,
} from './turn-record.ts'

export type AutobuildTask = {
  taskId: string
  featureId: string
  /** The folder of the turns. Two repositories may contain tasks with the same name. */
  folder: string
  /** Oldest run first, each in the order of its turns. */
  runs: WireTurn[][]
  /** By turn: values of records that were read before a file existed, or before a text proved to be boilerplate. */
  earlierReadings: ReadonlyMap<number, EarlierReading>
}

export type AutobuildReading = Pick<
  ImportReport,
  'unmapped' | 'unread' | 'skipped' | 'warnings' | 'redactions'
> & {
  /** In the order of feature, task, folder. */
  tasks: AutobuildTask[]
  /** Files that do not parse. They are also in `skipped`. A writer may be about to complete them. */
  broken: FoundFile[]
}

const MAX_FILE_BYTES = 16 * 1024 * 1024

/** @param features the feature of each task in its own file, used if no artifact names the feature */
export async function readFolders(
  found: FoundFolders,
  features: ReadonlyMap<string, string> = new Map(),
  onProgress?: (done: number, total: number) => void,
): Promise<AutobuildReading> {
  const reader = new ArtifactReader(found.skipped)
  const archives = found.unread.filter(({ name }) => name === ROLLED_BACK)
  for (const { path } of archives) {
    const message =
      'holds withdrawn turns, which are not read; if they are stored, withdraw them: turngraph worlds rollback WORLD --to-turn N'
    reader.warnings.push({ task: basename(dirname(path)), turn: null, field: ROLLED_BACK, message })
  }
  const tasks: AutobuildTask[] = []
  for (const [i, folder] of found.tasks.entries()) {
    try {
      tasks.push(...(await readTask(folder, reader, features.get(folder.taskId))))
    } catch (error) {
      reader.skipped.push({ file: folder.folder, reason: `cannot be read: ${String(error).slice(0, 200)}` })
    }
    onProgress?.(i + 1, found.tasks.length)
  }
  return {
    tasks: tasks.sort(
      (a, b) =>
        compareCodeUnits(a.featureId, b.featureId) ||
        compareCodeUnits(a.taskId, b.taskId) ||
        compareCodeUnits(a.folder, b.folder),
    ),
    broken: reader.broken,
    unmapped: [...reader.unmapped.values()].sort(
      (a, b) => compareCodeUnits(a.shape, b.shape) || compareCodeUnits(a.key, b.key),
    ),
    unread: countByName(found.unread.filter((file) => !archives.includes(file))),
    skipped: reader.skipped.sort(
      (a, b) => compareCodeUnits(a.file, b.file) || compareCodeUnits(a.reason, b.reason),
    ),
    warnings: reader.warnings,
    redactions: reader.redactions,
  }
}

function countByName(files: readonly FoundFile[]): ImportReport['unread'] {
  const byName = groupBy(files, ({ name }) => name.replaceAll(/\d+/g, 'N'))
  return [...byName]
    .map(([name, alike]) => ({ name, count: alike.length, example: alike[0]?.shown ?? '' }))
    .sort((a, b) => compareCodeUnits(a.name, b.name))
}

const OWN_PLACE = { turn: 'its name', task: 'its folder' }

type TurnFiles = Omit<TurnSources, 'featureId' | 'boilerplate'>

async function readTask(
  folder: TaskFolder,
  reader: ArtifactReader,
  ofTaskFile: string | undefined,
): Promise<AutobuildTask[]> {
  const { taskId } = folder
  const ofTask = { task: taskId, turn: null }
  const results = await reader.read(SHAPES.taskWorkResults, folder.results, ofTask)
  const resultsAt = await findWriteTime(results, folder.results)
  const checkpoints = (await reader.read(SHAPES.checkpoints, folder.checkpoints, ofTask))?.checkpoints ?? []
  const warnOfTask: Warn = (field, message) => reader.warnings.push({ ...ofTask, field, message })
  warnOfTimes([{ field: 'task_work_results.timestamp', text: results?.timestamp }], warnOfTask)
  warnOfTimes(
    checkpoints.map(({ timestamp: text }, i) => ({ field: `checkpoints.checkpoints[${i}].timestamp`, text })),
    warnOfTask,
  )
  const turns: TurnFiles[] = []
  for (const [turn, files] of folder.turns) {
    const at = { task: taskId, turn }
    const player = await reader.read(SHAPES.player, files.player, at)
    const coach = await reader.read(SHAPES.coach, files.coach, at)
    const turnState = await reader.read(SHAPES.turnState, files.turn_state, at)
    const workState = await reader.read(SHAPES.workState, files.work_state, at)
    const givenFeedback = await reader.read(SHAPES.givenFeedback, files.coach_feedback_for, at)
    if (player === undefined && coach === undefined && turnState === undefined) continue
    reader.warnings.push(
      ...listOtherPlaces({ taskId, turn }, OWN_PLACE, {
        'player file': player,
        'coach file': coach,
        'turn_state file': turnState,
      }).map((warning) => ({ ...at, ...warning })),
    )
    const ofTurn = checkpoints.filter((entry) => entry.turn === turn)
    turns.push({ taskId, turn, player, coach, turnState, workState, givenFeedback, checkpoints: ofTurn })
  }
  const features = await findFeatures(
    turns,
    results?.feature_id,
    async () => (await featureOfEvents(folder, reader)) ?? named(ofTaskFile),
  )
  const boilerplate = findBoilerplate(turns)
  const placed = turns.map(
    (files, i): TurnSources => ({ ...files, boilerplate, featureId: features[i] ?? UNKNOWN_FEATURE }),
  )
  if (placed.some(({ featureId }) => featureId === UNKNOWN_FEATURE)) {
    const message = `no file names the feature of this task; recorded under ${UNKNOWN_FEATURE}`
    reader.warnings.push({ task: taskId, turn: null, field: 'feature_id', message })
  }
  const byFeature = groupBy(placed, ({ featureId }) => featureId)
  if (byFeature.size > 1) {
    const message = `its turns are of several features, each read as a task: ${[...byFeature.keys()].join(', ')}`
    reader.warnings.push({ task: taskId, turn: null, field: 'feature_id', message })
  }
  const ofResults = results && resultsAt && findTurnOfResults(placed, resultsAt)
  return [...byFeature].map(([featureId, sources]) => ({
    taskId,
    featureId,
    folder: folder.folder,
    runs: listRuns(sources).map((run) =>
      run.map((files) => record(files === ofResults ? { ...files, results } : files, reader)),
    ),
    earlierReadings: new Map(sources.map((files) => [files.turn, listEarlierReadings(files)])),
  }))
}

function record(sources: TurnSources, reader: ArtifactReader): WireTurn {
  const { record, warnings } = turnRecord(sources)
  for (const warning of warnings)
    reader.warnings.push({ task: sources.taskId, turn: sources.turn, ...warning })
  return record
}

const listRuns = (turns: readonly TurnSources[]): TurnSources[][] => splitRuns(turns, completion)

async function findWriteTime(
  results: TaskWorkResults | undefined,
  file: FoundFile | undefined,
): Promise<ResultsTime | null> {
  if (results === undefined || file === undefined) return null
  const stated = isText(results.timestamp) ? canonicalInstant(results.timestamp) : null
  if (stated !== null) return { at: Date.parse(stated), isStated: true }
  const found = await stat(file.path).catch(() => null)
  return { at: found?.mtimeMs ?? Number.POSITIVE_INFINITY, isStated: false }
}

type ResultsTime = { at: number; isStated: boolean }

/**
 * Finds the turn that wrote `task_work_results.json`, which each turn overwrites. It is the first turn of the newest run that
 * ended after the results were written, if it began before. A copy of a folder has new file times, so results without a time in
 * the file may be newer than every turn. They belong to the last one.
 * A turn that the Player never finished has no results (contract: truth.md, section 5).
 */
function findTurnOfResults(
  turns: readonly TurnSources[],
  { at, isStated }: ResultsTime,
): TurnSources | undefined {
  const run = listRuns(turns).at(-1) ?? []
  const index = run.findIndex((turn) => latestWrite(turn) >= at)
  if (index < 0) return isStated ? undefined : run.at(-1)
  const turn = run[index]
  const began = turn && startOf(turn)
  return began != null && at < began ? undefined : turn
}

function completion(turn: TurnSources): number | null {
  const completed = completedAt(turn)
  return completed === null ? null : Date.parse(completed)
}

/** Returns the latest time at which a turn may have written its results. Only a turn state has the end of the turn. */
function latestWrite(turn: TurnSources): number {
  const completed = completion(turn) ?? Number.POSITIVE_INFINITY
  return isText(turn.turnState?.completed_at) ? completed : completed + SHORTEST_TURN_MS
}

function startOf(turn: TurnSources): number | null {
  const { startedAt } = readTimes(turn, () => {})
  return startedAt === undefined ? null : Date.parse(startedAt)
}

/** Finds the feature of each turn: from its own turn state, from that of the nearest turn, or from the task's other files. */
async function findFeatures(
  turns: readonly TurnFiles[],
  ofResults: string | null | undefined,
  ofOtherFiles: () => Promise<string | null>,
): Promise<(string | null)[]> {
  const own = turns.map(({ turnState }) => named(turnState?.feature_id))
  const inherited = own.map(
    (feature, i) => feature ?? own.slice(0, i).findLast(isNamed) ?? own.slice(i).find(isNamed) ?? null,
  )
  if (inherited.every(isNamed)) return inherited
  const ofTask = named(ofResults) ?? (await ofOtherFiles())
  return turns.map(() => ofTask)
}

const named = (feature: string | null | undefined): string | null => feature?.trim() || null
const isNamed = (feature: string | null): feature is string => feature !== null

/** Finds the feature in the event logs. If several features name the task, the latest event counts. */
async function featureOfEvents(folder: TaskFolder, reader: ArtifactReader): Promise<string | null> {
  const naming: { featureId: string; at: string }[] = []
  for (const { featureId, file } of folder.events) {
    const at = (await reader.events(file, folder.taskId)).get(folder.taskId)
    if (at !== undefined) naming.push({ featureId, at })
  }
  return (
    naming.sort((a, b) => compareInstants(a.at, b.at) || compareCodeUnits(b.featureId, a.featureId)).at(-1)
      ?.featureId ?? null
  )
}

/** Reads each file once and records the files and fields that cannot be used. */
class ArtifactReader {
  readonly skipped: ImportReport['skipped']
  readonly warnings: ImportReport['warnings'] = []
  readonly broken: FoundFile[] = []
  readonly unmapped = new Map<string, ImportReport['unmapped'][number]>()
  redactions = 0
  readonly #events = new Map<string, Map<string, string>>()

  constructor(skipped: ImportReport['skipped']) {
    this.skipped = [...skipped]
  }

  async read<S extends Shape>(
    shape: S,
    file: FoundFile | undefined,
    at: { task: string; turn: number | null },
  ): Promise<Parsed<S> | undefined> {
    const text = file && (await this.#text(file))
    if (file === undefined || text === null || text === undefined) return undefined
    const read = await readArtifact(shape, text, shape.name)
    if (!read.ok) {
      if (parseFile(text) === undefined) this.broken.push(file)
      this.skipped.push({ file: file.shown, reason: read.reason })
      return undefined
    }
    this.warnings.push(...read.warnings.map((warning) => ({ ...at, ...warning })))
    for (const { shape, key } of read.unmapped) {
      const id = `${shape} ${key}`
      const seen = this.unmapped.get(id) ?? { shape, key, count: 0, example: file.shown }
      this.unmapped.set(id, { ...seen, count: seen.count + 1 })
    }
    this.redactions += read.redactions
    return read.value
  }

  /** @param task task for the warnings of the file: the first task that needs it, because each file is read once */
  async events(file: FoundFile, task: string): Promise<ReadonlyMap<string, string>> {
    const cached = this.#events.get(file.path)
    if (cached !== undefined) return cached
    const { tasks, brokenLines, unusableTimes } = parseEvents((await this.#text(file)) ?? '')
    if (unusableTimes > 0) {
      const message = `${file.shown} has times that are not ISO 8601: ${unusableTimes}; they are left out`
      this.warnings.push({ task, turn: null, field: 'events.timestamp', message })
    }
    if (brokenLines > 0) {
      this.broken.push(file)
      this.skipped.push({ file: file.shown, reason: `holds lines that are not events: ${brokenLines}` })
    }
    this.#events.set(file.path, tasks)
    return tasks
  }

  async #text(file: FoundFile): Promise<string | null> {
    try {
      const { size } = await stat(file.path)
      if (size > MAX_FILE_BYTES) {
        const reason = `has ${size} bytes, over the limit of ${MAX_FILE_BYTES}`
        this.skipped.push({ file: file.shown, reason })
        return null
      }
      const bytes = await readFile(file.path)
      if (isUtf8(bytes)) return bytes.toString('utf8')
      // Decoding would store replacement characters as content. A file that is being written may end within a character.
      this.broken.push(file)
      this.skipped.push({ file: file.shown, reason: 'is not UTF-8' })
    } catch (error) {
      this.skipped.push({ file: file.shown, reason: `cannot be read: ${systemCode(error) ?? 'unknown'}` })
    }
    return null
  }
}
