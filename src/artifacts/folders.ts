/** Finds the task folders of autobuild below a path, and the files of their turns. */

import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { TurngraphError } from '../core/errors.ts'
import { groupBy } from '../core/group-by.ts'
import { isGone, systemCode } from '../core/system-code.ts'
import { compareCodeUnits } from '../rules/labels.ts'

/** A file. `path` is for opening it. `shown` is for reports and begins with the requested path as it was given. */
export type FoundFile = { name: string; path: string; shown: string }

const KINDS = ['player', 'coach', 'turn_state', 'work_state', 'coach_feedback_for'] as const
type TurnFileKind = (typeof KINDS)[number]
export type TurnFilesFound = Partial<Record<TurnFileKind, FoundFile>>

export type TaskFolder = {
  taskId: string
  /** The absolute path. It identifies and orders tasks with the same id. */
  folder: string
  turns: ReadonlyMap<number, TurnFilesFound>
  checkpoints?: FoundFile
  results?: FoundFile
  /** `events.jsonl` of the `FEAT-…` folders next to the task folder. */
  events: { featureId: string; file: FoundFile }[]
}

export type FoundFolders = {
  tasks: TaskFolder[]
  unread: FoundFile[]
  skipped: { file: string; reason: string }[]
}

type Folder = { path: string; files: FoundFile[]; unread: FoundFile[] }

/** The folder in a task folder that contains its withdrawn turns, each in its own folder. */
export const ROLLED_BACK = '_rollback_archive'
export const IGNORED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git', ROLLED_BACK])
export const IS_A_LINK = 'is a link; links are not followed'
const MAX_DEPTH = 64
const MAX_TURN = 1_000_000
const TURN_FILE = /^(player|coach|turn_state|work_state|coach_feedback_for)_turn_(\d+)\.json$/
const TASK_FILES = new Set(['checkpoints.json', 'task_work_results.json', 'events.jsonl'])
const PUBLIC = `${sep}autobuild`
const PRIVATE = `${sep}autobuild-private`

/** @throws TurngraphError `not_found` that names every path that is not a folder */
export const findTaskFolders = async (paths: readonly string[]): Promise<FoundFolders> =>
  taskFoldersIn(await scanFolders(paths))

type Place = { absolute: string; shown: string }

export type FolderScan = {
  roots: Place[]
  folders: Map<string, Folder>
  skipped: FoundFolders['skipped']
}

export async function scanFolders(paths: readonly string[]): Promise<FolderScan> {
  const scan: FolderScan = { roots: [], folders: new Map(), skipped: [] }
  const visited = new Set<string>()
  for (const path of await existing(paths)) {
    const root = { absolute: await realpath(path), shown: path }
    scan.roots.push(root)
    for (const folder of await foldersBelow(root, 0, visited, scan.skipped))
      scan.folders.set(folder.path, folder)
  }
  return scan
}

/** Reads one folder again, without the folders below it. The next scan reports the files that it cannot use. */
export async function rescanFolder({ roots, folders }: FolderScan, absolute: string): Promise<void> {
  const root = roots.find((each) => absolute === each.absolute || absolute.startsWith(each.absolute + sep))
  if (root === undefined) return
  const shown = join(root.shown, relative(root.absolute, absolute))
  const { own } = await readFolder({ absolute, shown }, [])
  if (own === null) folders.delete(absolute)
  else folders.set(absolute, own)
}

export function taskFoldersIn({ folders, skipped: unusable }: FolderScan): FoundFolders {
  const skipped = [...unusable]
  const sorted = [...folders.values()].sort((a, b) => compareCodeUnits(a.path, b.path))
  const events = groupBy(sorted.flatMap(listEvents), (entry) => entry.beside)
  const ofTasks = sorted.filter(holdsTurns)
  skipWithoutTurns(
    sorted.filter((folder) => !holdsTurns(folder)),
    skipped,
  )
  const tasks = merge(ofTasks).map((group) => taskFolder(group, events, skipped))
  return {
    tasks: tasks.filter((task) => task.turns.size > 0),
    unread: ofTasks.flatMap(({ unread }) => unread),
    skipped,
  }
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(isReachableFolder))
  const missing = paths.filter((_, i) => found[i] !== true)
  if (missing.length === 0) return [...paths]
  throw new TurngraphError('not_found', `There is no folder at ${missing.map((p) => `"${p}"`).join(', ')}.`, {
    hint: 'Give a folder that holds autobuild artifacts, at any depth.',
    details: { paths: missing },
  })
}

/**
 * Finds the folders that contain artifacts, each once. Does not follow links, so there is no loop. Reads neighboring folders in
 * parallel, because a watch scans all of them again and again.
 */
async function foldersBelow(
  at: Place,
  depth: number,
  visited: Set<string>,
  skipped: FoundFolders['skipped'],
): Promise<Folder[]> {
  if (visited.has(at.absolute)) return []
  visited.add(at.absolute)
  const { own, below } = await readFolder(at, skipped)
  if (depth === MAX_DEPTH && below.length > 0) {
    const reason = `is nested ${MAX_DEPTH} folders deep; the folders in it are not read`
    skipped.push({ file: at.shown, reason })
  }
  const found = await Promise.all(
    (depth === MAX_DEPTH ? [] : below).map((folder) => foldersBelow(folder, depth + 1, visited, skipped)),
  )
  return [...(own === null ? [] : [own]), ...found.flat()]
}

async function readFolder(
  at: Place,
  skipped: FoundFolders['skipped'],
): Promise<{ own: Folder | null; below: Place[] }> {
  if (at.absolute.split(sep).includes(ROLLED_BACK)) {
    skipped.push({ file: at.shown, reason: 'holds turns that were rolled back' })
    return { own: null, below: [] }
  }
  const entries = await readdir(at.absolute, { withFileTypes: true }).catch((error: unknown) => {
    skipped.push({ file: at.shown, reason: `cannot be read: ${systemCode(error) ?? 'unknown'}` })
    return [] as Dirent[]
  })
  entries.sort((a, b) => compareCodeUnits(a.name, b.name))
  const found = ({ name }: Dirent): FoundFile => ({
    name,
    path: join(at.absolute, name),
    shown: join(at.shown, name),
  })
  const files = entries.filter((entry) => entry.isFile() && isArtifact(entry)).map(found)
  const isUnread = (entry: Dirent) =>
    entry.name === ROLLED_BACK || (entry.isFile() && !isArtifact(entry) && !entry.name.startsWith('.'))
  const unread = entries.filter(isUnread).map(found)
  for (const link of entries.filter((entry) => entry.isSymbolicLink() && mayHideArtifacts(entry, at))) {
    skipped.push({ file: found(link).shown, reason: IS_A_LINK })
  }
  const noFiles = entries.filter((entry) => isArtifact(entry) && !entry.isFile() && !entry.isSymbolicLink())
  for (const { shown } of noFiles.map(found)) {
    skipped.push({ file: shown, reason: 'is named as an artifact, and is no file' })
  }
  const below = entries.filter((entry) => entry.isDirectory() && !IGNORED_FOLDERS.has(entry.name))
  return {
    own: files.length > 0 ? { path: at.absolute, files, unread } : null,
    below: below.map(({ name }) => ({ absolute: join(at.absolute, name), shown: join(at.shown, name) })),
  }
}

export const isArtifactName = (name: string): boolean => TASK_FILES.has(name) || TURN_FILE.test(name)
const isArtifact = ({ name }: Dirent): boolean => isArtifactName(name)

/** Checks whether a link is named like an artifact, a task or a feature, or is next to such files. Other links are ignored. */
const mayHideArtifacts = (entry: Dirent, within: { absolute: string }): boolean =>
  isArtifact(entry) ||
  /^(TASK-|FEAT-|autobuild)/.test(entry.name) ||
  /^autobuild/.test(basename(within.absolute))

function skipWithoutTurns(folders: readonly Folder[], skipped: FoundFolders['skipped']): void {
  for (const { name, shown } of folders.flatMap(({ files }) => files)) {
    if (name !== 'events.jsonl') skipped.push({ file: shown, reason: 'its folder holds no turn' })
  }
}

const holdsTurns = (folder: Folder): boolean =>
  folder.files.some(({ name }) => /^(player|coach|turn_state)_turn_\d+\.json$/.test(name))

/**
 * Groups the folders of each task. Newer sessions hide the Coach's files from the Player in `autobuild-private/`, next to
 * `autobuild/` or, if the Player works in a worktree, next to the folder of the worktrees.
 */
function merge(folders: readonly Folder[]): Folder[][] {
  const tasks = new Map<string, Folder[]>()
  for (const folder of folders.filter(({ path }) => !isPrivate(path))) tasks.set(folder.path, [folder])
  for (const folder of folders.filter(({ path }) => isPrivate(path))) {
    const beside = join(dirname(dirname(folder.path)), 'autobuild', basename(folder.path))
    const below = [...tasks.keys()].filter((path) => isBelow(path, folder) && !isPrivate(path))
    const [only] = tasks.has(beside) ? [beside] : below.length === 1 ? below : []
    const key = only ?? folder.path
    tasks.set(key, [...(tasks.get(key) ?? []), folder])
  }
  return [...tasks.entries()].sort(([a], [b]) => compareCodeUnits(a, b)).map(([, group]) => group)
}

export const findPrivatePlace = ({ turns }: TaskFolder): string | null =>
  [...turns.values()]
    .flatMap((files) => Object.values(files))
    .map(({ path }) => dirname(path))
    .find((place) => isPrivate(place)) ?? null

const isPrivate = (path: string): boolean => dirname(path).endsWith(PRIVATE)

const isBelow = (path: string, folder: Folder): boolean =>
  dirname(path).endsWith(PUBLIC) &&
  basename(path) === basename(folder.path) &&
  path.startsWith(dirname(dirname(folder.path)) + sep)

function taskFolder(
  group: readonly Folder[],
  events: ReadonlyMap<string, FeatureEvents[]>,
  skipped: FoundFolders['skipped'],
): TaskFolder {
  const [first] = group
  const folder = first?.path ?? ''
  const turns = new Map<number, TurnFilesFound>()
  const task: TaskFolder = { taskId: basename(folder), folder, turns, events: [] }
  for (const file of group.flatMap(({ files }) => files)) {
    if (file.name === 'checkpoints.json') task.checkpoints ??= file
    else if (file.name === 'task_work_results.json') task.results ??= file
    else addTurnFile(turns, file, skipped)
  }
  for (const [, files] of turns) {
    if (!isTurn(files) && files.work_state !== undefined) {
      skipped.push({ file: files.work_state.shown, reason: 'its turn has no other file' })
    }
  }
  task.turns = new Map([...turns.entries()].sort(([a], [b]) => a - b).filter(([, files]) => isTurn(files)))
  const parents = new Set(group.map(({ path }) => dirname(path)))
  task.events = [...parents].flatMap((parent) => events.get(parent) ?? [])
  return task
}

/** A work_state alone is not a turn: it has a time and a task, but no result. */
const isTurn = (files: TurnFilesFound): boolean =>
  files.player !== undefined || files.coach !== undefined || files.turn_state !== undefined

function addTurnFile(
  turns: Map<number, TurnFilesFound>,
  file: FoundFile,
  skipped: FoundFolders['skipped'],
): void {
  const [, word, digits] = TURN_FILE.exec(file.name) ?? []
  const kind = KINDS.find((k) => k === word)
  if (kind === undefined || digits === undefined) return
  const turn = Number(digits)
  if (turn < 1 || turn > MAX_TURN || String(turn) !== digits) {
    skipped.push({ file: file.shown, reason: `"${digits}" is not a turn number from 1 to 1,000,000` })
    return
  }
  const files = turns.get(turn) ?? {}
  const earlier = files[kind]
  // The private folder comes second in its group. Its Coach file is the one that the Coach wrote.
  const unused = kind === 'coach' ? earlier : earlier && file
  if (unused !== file) files[kind] = file
  if (unused !== undefined) {
    skipped.push({ file: unused.shown, reason: 'another folder of the task has this file too' })
  }
  turns.set(turn, files)
}

type FeatureEvents = TaskFolder['events'][number] & { beside: string }

function listEvents({ path, files }: Folder): FeatureEvents[] {
  const featureId = basename(path)
  if (!featureId.startsWith('FEAT-')) return []
  const logs = files.filter(({ name }) => name === 'events.jsonl')
  return logs.map((file) => ({ featureId, file, beside: dirname(path) }))
}

/** @throws `not_found` for a path that the operating system does not let this user reach */
const isReachableFolder = async (path: string): Promise<boolean> =>
  (
    await stat(path).catch((cause: unknown) => {
      if (isGone(cause)) return null
      throw new TurngraphError('not_found', `"${path}" cannot be read: ${systemCode(cause) ?? 'unknown'}.`, {
        hint: 'Allow this user to read it and the folders above it.',
        details: { paths: [path] },
        cause,
      })
    })
  )?.isDirectory() === true

export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() === true
