/** Imports the turns of autobuild artifacts while a session writes them: each look imports the new finished turns. */
import { lstat, readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asTurngraphError, hasCode } from '../core/errors.ts'
import { isGone } from '../core/system-code.ts'
import { UNKNOWN_FEATURE } from '../rules/values.ts'
import type { ImportTarget } from './existing-worlds.ts'
import { type FoundTaskFiles, findTaskFiles } from './find-task-files.ts'
import {
  type FileStamps,
  finishedTurns,
  listFiles,
  mayStillBeNamed,
  PATIENCE_MS,
  withoutTurns,
} from './finished-turns.ts'
import {
  type FolderScan,
  type FoundFile,
  type FoundFolders,
  isArtifactName,
  isFolder,
  rescanFolder,
  scanFolders,
  type TaskFolder,
  taskFoldersIn,
} from './folders.ts'
import { type ImportedTurn, importReading } from './import.ts'
import type { ImportReport } from './import-report.ts'
import { type AutobuildReading, readFolders } from './read.ts'

export type FolderImport = {
  folder: TaskFolder
  reading: AutobuildReading
  turns: ImportedTurn[]
  report: Pick<ImportReport, 'skipped' | 'warnings'>
}

type WatchOptions = { project: string | null; specifications: boolean }

type LookOptions = {
  /** The folders that changed since the last look; only these are read again. Null: all folders are read. */
  changed: ReadonlySet<string> | null
  signal: AbortSignal
  /** Called for each imported folder. If it fails, the next look imports the folder again. */
  onImport: (imported: FolderImport) => Promise<void>
  /** Called at each look with the files that cannot be used and are not expected to become usable. */
  onSkipped: (skipped: ImportReport['skipped']) => void
}

const nothingThere = (): FolderScan => ({ roots: [], folders: new Map(), skipped: [] })

/** A folder is imported after no change for this time. The files of a turn are written within 250 ms. */
const QUIET_MS = 300

/** Follows the task folders below some paths. A new watch imports everything once, which does not change stored records. */
export class ArtifactWatch {
  readonly #paths: readonly string[]
  readonly #options: WatchOptions
  readonly #imported = new Map<string, string>()
  readonly #turns = new Map<string, ReadonlyMap<number, string>>()
  #scan: FolderScan = nothingThere()
  /** Folders that were not quiet at the last look: the notification of their newest file may not have arrived yet. */
  #waiting: readonly string[] = []
  /** Folders whose import failed because the graph was unavailable or too slow. */
  readonly #failed = new Set<string>()
  /** Messages already reported for folders whose import was rejected temporarily (409). */
  readonly #reported = new Map<string, ReadonlySet<string>>()
  #skippedSince = new Map<string, number>()
  /** The state of files of unfinished turns that were checked, by path. */
  readonly #checked = new Map<string, string>()

  constructor(paths: readonly string[], options: WatchOptions) {
    this.#paths = paths
    this.#options = options
  }

  /**
   * Imports the task folders whose finished turns changed since their last import, once they are quiet.
   * @returns `isWaiting`: a folder was not quiet and waits for the next look; `scanMs`: the time to find the changes
   */
  async look(client: ImportTarget, options: LookOptions): Promise<{ isWaiting: boolean; scanMs: number }> {
    const began = performance.now()
    const paths = await existingFolders(this.#paths)
    const touched = options.changed === null ? null : new Set([...options.changed, ...this.#waiting])
    this.#waiting = []
    const scannedAt = Date.now()
    const found = await this.#find(paths, touched)
    const changed: { folder: TaskFolder; state: string }[] = []
    for (const task of found.tasks) {
      if (touched !== null && !listPlaces(task).some((place) => touched.has(place))) continue
      const stamps = await readStamps(task)
      const folder = finishedTurns(task, stamps, Date.now())
      const isImported = this.#imported.get(task.folder) === readStamp(folder, stamps)
      if (folder.turns.size > 0 && !isImported && !this.#isOlder(folder, task, stamps))
        changed.push({ folder, state: await readState(folder) })
      options.onSkipped(await this.#brokenIn(unfinishedTurns(task, folder), stamps))
    }
    options.onSkipped(await this.#stillSkipped(found.skipped))
    this.#forgetAllBut(found)
    const scanMs = performance.now() - began
    if (changed.length === 0) return { isWaiting: false, scanMs }
    const taskIds = new Set(this.#options.specifications ? found.tasks.map(({ taskId }) => taskId) : [])
    const [stated] = await Promise.all([
      unlessGone(() => findTaskFiles(paths, taskIds), null),
      sleep(QUIET_MS, undefined, { signal: options.signal }).catch(() => {}),
    ])
    const quiet: TaskFolder[] = []
    for (const { folder, state } of changed) if (state === (await readState(folder))) quiet.push(folder)
    this.#waiting = changed.flatMap(({ folder }) => (quiet.includes(folder) ? [] : listPlaces(folder)))
    if (stated !== null) await this.#import(client, { stated, folders: quiet, scannedAt, ...options })
    return { isWaiting: quiet.length < changed.length, scanMs }
  }

  async #find(paths: readonly string[], touched: ReadonlySet<string> | null): Promise<FoundFolders> {
    if (touched === null) this.#scan = await unlessGone(() => scanFolders(paths), nothingThere())
    else for (const folder of touched) await rescanFolder(this.#scan, folder)
    return taskFoldersIn(this.#scan)
  }

  /** Returns the unusable files of unfinished turns. Without a report, such a file would hold back its turn silently. */
  async #brokenIn(unfinished: TaskFolder, stamps: FileStamps): Promise<ImportReport['skipped']> {
    const old = listFiles(unfinished).filter(({ path }) => !isYoung(stamps, Date.now())(path))
    const unchecked = old.filter(({ path }) => this.#checked.get(path) !== JSON.stringify(stamps.get(path)))
    if (unchecked.length === 0) return []
    for (const { path } of unchecked) this.#checked.set(path, JSON.stringify(stamps.get(path)))
    const { skipped } = await readFolders({ tasks: [unfinished], unread: [], skipped: [] })
    const names = new Set(old.map(({ shown }) => shown))
    return skipped.filter(({ file }) => names.has(file))
  }

  /** Keeps the entries that are skipped for a minute. A new file may still be completed, or get the other files of its turn. */
  async #stillSkipped(skipped: ImportReport['skipped']): Promise<ImportReport['skipped']> {
    const now = Date.now()
    const since = new Map<string, number>()
    for (const entry of skipped) {
      const key = JSON.stringify(entry)
      since.set(key, this.#skippedSince.get(key) ?? (await readChangeTime(entry.file)) ?? now)
    }
    this.#skippedSince = since
    return skipped.filter((entry) => now - (since.get(JSON.stringify(entry)) ?? now) >= PATIENCE_MS)
  }

  async #import(
    client: ImportTarget,
    {
      stated,
      folders,
      scannedAt,
      signal,
      onImport,
      onSkipped,
    }: LookOptions & { stated: FoundTaskFiles; folders: TaskFolder[]; scannedAt: number },
  ): Promise<void> {
    const { project } = this.#options
    // Folders that failed before come last, so that a slow task does not delay other tasks.
    const [first, last] = [false, true].map((isLate) =>
      folders.filter(({ folder }) => this.#failed.has(folder) === isLate),
    )
    let failure: unknown = null
    for (const given of [...(first ?? []), ...(last ?? [])]) {
      if (signal.aborted) return
      try {
        const finished = await readWhole(given, stated.features, scannedAt)
        if (finished === null || this.#imported.get(given.folder) === finished.stamp) continue
        const { folder, reading, stamp, stamps } = finished
        if (this.#isOlder(folder, given, stamps)) continue
        const turns: ImportedTurn[] = []
        let isRefused = false
        const report = await importReading(client, reading, stated, {
          project,
          onTurn: (turn) => turns.push(turn),
          onConflict: () => {
            isRefused = true
          },
        })
        await onImport({ folder, reading, turns, report: this.#untold(given.folder, report, isRefused) })
        if (!isRefused) {
          this.#imported.set(folder.folder, stamp)
          this.#turns.set(folder.folder, stampTurns(folder, stamps))
        }
        this.#failed.delete(folder.folder)
      } catch (error) {
        if (isOfFolder(error)) {
          const { message, status } = asTurngraphError(error)
          const skipped = [{ file: given.folder, reason: `cannot be imported: ${message}` }]
          const isRefused = status === 409
          onSkipped(this.#untold(given.folder, { skipped, warnings: [] }, isRefused).skipped)
          if (!isRefused) this.#imported.set(given.folder, readStamp(given, await readStamps(given)))
          continue
        }
        if (!this.#failed.has(given.folder)) {
          this.#failed.add(given.folder)
          throw error
        }
        failure ??= error
      }
    }
    if (failure !== null) throw failure
  }

  /** Checks whether an import would repeat turns without a later, imported one, whose context would then be replaced. */
  #isOlder(ready: TaskFolder, found: TaskFolder, stamps: FileStamps): boolean {
    const imported = this.#turns.get(found.folder) ?? new Map()
    const isSame = [...stampTurns(ready, stamps)].every(([turn, stamp]) => imported.get(turn) === stamp)
    return isSame && [...found.turns.keys()].some((turn) => imported.has(turn) && !ready.turns.has(turn))
  }

  /** Returns the messages not reported before. A rejected folder is imported again at each look, with the same messages. */
  #untold(folder: string, report: FolderImport['report'], isRefused: boolean): FolderImport['report'] {
    const reported = this.#reported.get(folder) ?? new Set()
    const isNew = (entry: unknown) => !reported.has(JSON.stringify(entry))
    const untold = { skipped: report.skipped.filter(isNew), warnings: report.warnings.filter(isNew) }
    if (isRefused)
      this.#reported.set(
        folder,
        new Set([...report.skipped, ...report.warnings].map((entry) => JSON.stringify(entry))),
      )
    else this.#reported.delete(folder)
    return untold
  }

  /** Forgets folders that do not exist any more, so that a folder that returns is imported again. */
  #forgetAllBut({ tasks }: FoundFolders): void {
    const there = new Set(tasks.map(({ folder }) => folder))
    for (const known of [this.#imported, this.#turns])
      for (const folder of known.keys()) if (!there.has(folder)) known.delete(folder)
  }
}

/**
 * Reads the finished turns if all their files are whole. Returns null if another file of the folder is not whole, or if a file
 * that names the feature may still come.
 * @param scannedAt time at which the files were listed, in epoch milliseconds: the list lacks later files
 */
async function readWhole(
  finished: TaskFolder,
  features: ReadonlyMap<string, string>,
  scannedAt: number,
): Promise<{ folder: TaskFolder; reading: AutobuildReading; stamp: string; stamps: FileStamps } | null> {
  const [stamps, now] = [await readStamps(finished), Date.now()]
  for (let folder = finished; folder.turns.size > 0; ) {
    const reading = await readFolders({ tasks: [folder], unread: [], skipped: [] }, features)
    const stamp = readStamp(folder, stamps)
    if (stamp !== readStamp(folder, await readStamps(folder))) return null
    const halfWritten = new Set(reading.broken.map(({ path }) => path).filter(isYoung(stamps, now)))
    const isNameless = reading.tasks.some(({ featureId }) => featureId === UNKNOWN_FEATURE)
    if (halfWritten.size === 0) {
      return isNameless && mayStillBeNamed(folder, stamps, scannedAt)
        ? null
        : { folder, reading, stamp, stamps }
    }
    const unfinished = [...folder.turns].filter(([, files]) =>
      Object.values(files).some(({ path }) => halfWritten.has(path)),
    )
    if (unfinished.length === 0) return null
    folder = withoutTurns(folder, new Set(unfinished.map(([turn]) => turn)), stamps, now)
  }
  return null
}

/** Checks whether the content of the folder made its import fail. Other causes: an unavailable graph, a missing right. */
const isOfFolder = (error: unknown): boolean => {
  const { status } = asTurngraphError(error)
  return ![401, 403, 429].includes(status) && status < 501
}

const unfinishedTurns = (task: TaskFolder, { turns }: TaskFolder): TaskFolder => ({
  taskId: task.taskId,
  folder: task.folder,
  turns: new Map([...task.turns].filter(([turn]) => !turns.has(turn))),
  events: [],
})

/** A time in the future, from another clock, must not hold back a turn until then. */
const isYoung =
  (stamps: FileStamps, now: number) =>
  (path: string): boolean =>
    Math.abs(now - (stamps.get(path)?.changedAt ?? now)) < PATIENCE_MS

async function readStamps(folder: TaskFolder): Promise<FileStamps> {
  const found = await Promise.all(
    listFiles(folder).map(async ({ path }) => [path, await stat(path).catch(() => null)] as const),
  )
  return new Map(
    found.flatMap(([path, stats]) =>
      stats === null ? [] : [[path, { changedAt: stats.mtimeMs, size: stats.size, inode: stats.ino }]],
    ),
  )
}

const readChangeTime = async (file: string): Promise<number | null> =>
  (await lstat(file).catch(() => null))?.mtimeMs ?? null

const listPlaces = (folder: TaskFolder): string[] => [
  ...new Set(listFiles(folder).map(({ path }) => dirname(path))),
]

/** Returns a text that changes if the folder changes: its finished turns, and the names of all artifacts in it. */
async function readState(folder: TaskFolder): Promise<string> {
  const names = await Promise.all(
    listPlaces(folder).map((place) => readdir(place).catch(() => [] as string[])),
  )
  const artifacts = names.map((beside) => beside.filter(isArtifactName).sort())
  return JSON.stringify([readStamp(folder, await readStamps(folder)), artifacts])
}

/** Includes event logs only if the folder needs them for its feature. They grow with every task of their feature. */
function readStamp(folder: TaskFolder, stamps: FileStamps): string {
  const isNamed = [...folder.turns.values()].some((files) => files.turn_state !== undefined)
  const files = listFiles(isNamed ? { ...folder, events: [] } : folder)
  return stampFiles(files, stamps)
}

const stampTurns = ({ turns }: TaskFolder, stamps: FileStamps): Map<number, string> =>
  new Map([...turns].map(([turn, files]) => [turn, stampFiles(Object.values(files), stamps)]))

const stampFiles = (files: readonly FoundFile[], stamps: FileStamps): string =>
  JSON.stringify(files.map(({ path }) => [path, stamps.get(path)]))

async function existingFolders(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(isFolder))
  return paths.filter((_, i) => found[i])
}

/** Returns `otherwise` if a path disappears between two calls. The next look handles it. */
async function unlessGone<T, U>(work: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await work()
  } catch (error) {
    if (!hasCode(error, 'not_found') && !isGone(error)) throw error
    return otherwise
  }
}
