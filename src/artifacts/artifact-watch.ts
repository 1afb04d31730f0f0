/** Imports the turns of autobuild artifacts as a session writes them: each look imports what is finished and new. */
import { lstat, readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asTurngraphError, hasCode } from '../core/errors.ts'
import { isGone } from '../core/system-code.ts'
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
import { type AutobuildReading, readFolders, UNKNOWN_FEATURE } from './read.ts'

/** What was imported of a task folder. */
export type FolderImport = {
  folder: TaskFolder
  reading: AutobuildReading
  /** Those that were not stored before, in their order. */
  turns: ImportedTurn[]
  report: Pick<ImportReport, 'skipped' | 'warnings'>
}

type WatchOptions = { project: string | null; specifications: boolean }

type LookOptions = {
  /** The folders in which something changed since the last look, which alone are read again; null: look everywhere. */
  changed: ReadonlySet<string> | null
  /** Ends the look after the folder that is under way. */
  signal: AbortSignal
  /** Called for each folder that was imported; where it fails, the folder is imported again. */
  onImport: (imported: FolderImport) => Promise<void>
  /** Called at each look with the files that cannot be used, once there is no hope that they still will. */
  onSkipped: (skipped: ImportReport['skipped']) => void
}

const nothingThere = (): FolderScan => ({ roots: [], folders: new Map(), skipped: [] })

/** A turn's files come within 250 ms of each other: what stays the same for this long is imported. */
const QUIET_MS = 300

/**
 * Follows the task folders below some paths. It remembers only which state of a folder it has imported: a new watch imports
 * everything once, which changes nothing that is stored already.
 */
export class ArtifactWatch {
  readonly #paths: readonly string[]
  readonly #options: WatchOptions
  readonly #imported = new Map<string, string>()
  #scan: FolderScan = nothingThere()
  /** The folders of what was not quiet at the last look: a notification of their newest file may be under way. */
  #waiting: readonly string[] = []
  /** Folders whose import failed because the graph was unavailable or too slow. */
  readonly #failed = new Set<string>()
  /** What was said of folders whose import was refused for now (409). */
  readonly #told = new Map<string, ReadonlySet<string>>()
  #skippedSince = new Map<string, number>()
  /** The state of files of unfinished turns that were checked, by path. */
  readonly #checked = new Map<string, string>()

  constructor(paths: readonly string[], options: WatchOptions) {
    this.#paths = paths
    this.#options = options
  }

  /**
   * Imports the task folders whose finished turns changed since they were imported, and have been quiet for a moment.
   *
   * @returns whether a folder was not quiet, so that it waits for the next look; and how long it took to find out what changed
   * @throws `store_unavailable`, `timeout` … where the graph is away: the next look goes on from there
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
      if (folder.turns.size > 0 && this.#imported.get(task.folder) !== readStamp(folder, stamps))
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

  /** A report that cannot be used would hold its turn back in silence. */
  async #brokenIn(unfinished: TaskFolder, stamps: FileStamps): Promise<ImportReport['skipped']> {
    const old = listFiles(unfinished).filter(({ path }) => !isYoung(stamps, Date.now())(path))
    const unchecked = old.filter(({ path }) => this.#checked.get(path) !== JSON.stringify(stamps.get(path)))
    if (unchecked.length === 0) return []
    for (const { path } of unchecked) this.#checked.set(path, JSON.stringify(stamps.get(path)))
    const { skipped } = await readFolders({ tasks: [unfinished], unread: [], skipped: [] })
    const names = new Set(old.map(({ shown }) => shown))
    return skipped.filter(({ file }) => names.has(file))
  }

  /** A new file without the others of its turn is about to get company. */
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
    // A folder that failed comes last, so that one slow task does not delay other tasks.
    const [first, last] = [false, true].map((isLate) =>
      folders.filter(({ folder }) => this.#failed.has(folder) === isLate),
    )
    let failure: unknown = null
    for (const given of [...(first ?? []), ...(last ?? [])]) {
      if (signal.aborted) return
      try {
        const finished = await readWhole(given, stated.features, scannedAt)
        if (finished === null || this.#imported.get(given.folder) === finished.stamp) continue
        const { folder, reading, stamp } = finished
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
        if (!isRefused) this.#imported.set(folder.folder, stamp)
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

  /** What was not said of the folder before: one that is refused is imported again at each look. */
  #untold(folder: string, report: FolderImport['report'], isRefused: boolean): FolderImport['report'] {
    const told = this.#told.get(folder) ?? new Set()
    const isNew = (entry: unknown) => !told.has(JSON.stringify(entry))
    const untold = { skipped: report.skipped.filter(isNew), warnings: report.warnings.filter(isNew) }
    if (isRefused)
      this.#told.set(
        folder,
        new Set([...report.skipped, ...report.warnings].map((entry) => JSON.stringify(entry))),
      )
    else this.#told.delete(folder)
    return untold
  }

  /** A folder that comes back is imported again. */
  #forgetAllBut({ tasks }: FoundFolders): void {
    const there = new Set(tasks.map(({ folder }) => folder))
    for (const folder of this.#imported.keys()) if (!there.has(folder)) this.#imported.delete(folder)
  }
}

/**
 * Reads the finished turns whose files are whole; null where one of the other files is not, or the feature may still be named.
 *
 * @param scannedAt when the files were listed, in epoch milliseconds: a file that came later is not among them, however long ago
 */
async function readWhole(
  finished: TaskFolder,
  features: ReadonlyMap<string, string>,
  scannedAt: number,
): Promise<{ folder: TaskFolder; reading: AutobuildReading; stamp: string } | null> {
  const [stamps, now] = [await readStamps(finished), Date.now()]
  for (let folder = finished; folder.turns.size > 0; ) {
    const reading = await readFolders({ tasks: [folder], unread: [], skipped: [] }, features)
    const stamp = readStamp(folder, stamps)
    if (stamp !== readStamp(folder, await readStamps(folder))) return null
    const halfWritten = new Set(reading.broken.map(({ path }) => path).filter(isYoung(stamps, now)))
    const isNameless = reading.tasks.some(({ featureId }) => featureId === UNKNOWN_FEATURE)
    if (halfWritten.size === 0) {
      return isNameless && mayStillBeNamed(folder, stamps, scannedAt) ? null : { folder, reading, stamp }
    }
    const unfinished = [...folder.turns].filter(([, files]) =>
      Object.values(files).some(({ path }) => halfWritten.has(path)),
    )
    if (unfinished.length === 0) return null
    folder = withoutTurns(folder, new Set(unfinished.map(([turn]) => turn)), stamps, now)
  }
  return null
}

/** Checks whether the folder's content made its import fail. Other causes are a graph that is unavailable or a missing right. */
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

const isYoung =
  (stamps: FileStamps, now: number) =>
  (path: string): boolean =>
    now - (stamps.get(path)?.changedAt ?? now) < PATIENCE_MS

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

/** Time of the last change of a file, a link or a folder; null if it is gone. */
const readChangeTime = async (file: string): Promise<number | null> =>
  (await lstat(file).catch(() => null))?.mtimeMs ?? null

/** The folders that hold its files. */
const listPlaces = (folder: TaskFolder): string[] => [
  ...new Set(listFiles(folder).map(({ path }) => dirname(path))),
]

/** What tells whether a folder is quiet: its finished turns, and the names of the artifacts beside them. */
async function readState(folder: TaskFolder): Promise<string> {
  const names = await Promise.all(
    listPlaces(folder).map((place) => readdir(place).catch(() => [] as string[])),
  )
  const artifacts = names.map((beside) => beside.filter(isArtifactName).sort())
  return JSON.stringify([readStamp(folder, await readStamps(folder)), artifacts])
}

/** Logs of events grow with every task of their feature: they count only as long as they may name the feature of this one. */
function readStamp(folder: TaskFolder, stamps: FileStamps): string {
  const isNamed = [...folder.turns.values()].some((files) => files.turn_state !== undefined)
  const files = listFiles(isNamed ? { ...folder, events: [] } : folder)
  return JSON.stringify(files.map(({ path }) => [path, stamps.get(path)]))
}

async function existingFolders(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(isFolder))
  return paths.filter((_, i) => found[i])
}

/** A path may go away between two calls: the next look sees it. */
async function unlessGone<T, U>(work: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await work()
  } catch (error) {
    if (!hasCode(error, 'not_found') && !isGone(error)) throw error
    return otherwise
  }
}
